#include "core/ring/layout.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace cerar::ring {
namespace {

struct Shape {
  std::size_t count;
  int groups, lanes;
  std::size_t segment;
  int streams;
};

Shape random_shape(std::mt19937_64& random) {
  const auto upto = [&](std::size_t n) { return random() % n; };
  Shape shape;
  shape.groups = 1 + static_cast<int>(upto(9));
  shape.lanes = 1 + static_cast<int>(upto(6));
  shape.count = upto(2) ? upto(300) : upto(40000);
  shape.segment = 1 + upto(3000);
  shape.streams = 1 + static_cast<int>(upto(16));
  return shape;
}

// How often each element of the vector is in a lane of some segment, tails taken back to where they
// came from.
std::vector<int> coverage(const Layout& layout, const Shape& shape) {
  std::vector<int> times(shape.count, 0);
  for (int g = 0; g < layout.groups(); ++g) {
    const Region& region = layout.region(g);
    for (std::size_t j = 0; j < layout.segments(); ++j) {
      std::size_t in_segment = 0;
      for (const Run& run : layout.runs(g, j)) {
        EXPECT_EQ(run.packet, in_segment);
        in_segment += run.width * run.tiles;
        for (std::size_t e = 0; e < run.width * run.tiles * shape.lanes; ++e) {
          const std::size_t in_tail = run.offset + e - layout.tail_offset(g);
          if (run.tail && in_tail >= region.tail_elements) continue;  // padding
          ++times.at(run.tail ? region.tail_begin + in_tail : run.offset + e);
        }
      }
      EXPECT_EQ(in_segment, layout.length(g, j));
    }
  }
  return times;
}

TEST(Layout, HoldsEveryElementOnce) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 500; ++i) {
    const Shape s = random_shape(random);
    const Layout layout(s.count, s.groups, s.lanes, s.segment, s.streams);
    ASSERT_EQ(coverage(layout, s), std::vector<int>(s.count, 1))
        << s.count << " elements, " << s.groups << " groups, " << s.lanes << " lanes, segment "
        << s.segment;
  }
}

TEST(Layout, PadsLessThanATileRow) {
  for (std::size_t count : {1u, 7u, 129u, 1000u, 4099u}) {
    const Layout layout(count, 4, 3, 1024, 4);
    for (int g = 0; g < 4; ++g) {
      const Region& region = layout.region(g);
      EXPECT_LT(region.tail_width * 3 - region.tail_elements, 3u);
      EXPECT_LE(region.tail_width, kTileWidth);
    }
  }
}

TEST(Layout, RegionsAreEvenToACacheLine) {
  const Layout layout(1000003, 7, 2, 4096, 4);
  for (int g = 0; g < 7; ++g) {
    EXPECT_NEAR(static_cast<double>(layout.region(g).elements), 1000003.0 / 7, 32);
  }
}

TEST(Layout, SegmentsFillTheStreamsEvenly) {
  const Layout layout(1 << 20, 4, 1, 10000, 4);  // 262144 / 10112 would be 26 segments
  EXPECT_EQ(layout.segments() % 4, 0u);
  EXPECT_LE(layout.segment_elements(), 10112u);
  EXPECT_EQ(layout.segment_elements() % kTileWidth, 0u);
}

TEST(Layout, SegmentsAreWholeLanesEvenIfLessIsAsked) {
  const Layout layout(100000, 2, 3, 1, 2);
  EXPECT_EQ(layout.segment_elements(), kTileWidth);
}

TEST(Layout, AnEmptyVectorHasNoSegments) { EXPECT_EQ(Layout(0, 4, 2, 128, 4).segments(), 0u); }

}  // namespace
}  // namespace cerar::ring
