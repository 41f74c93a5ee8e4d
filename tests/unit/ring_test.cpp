#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <thread>

#include "tests/unit/ring_harness.hpp"

namespace cerar::ring::test {
namespace {

struct Case {
  int ranks, components;
  std::size_t count, segment_bytes;
  bool is_double;
  std::uint64_t seed;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << "N=" << c.ranks << " c=" << c.components << " count=" << c.count
             << " segment=" << c.segment_bytes << (c.is_double ? " double" : " float")
             << " seed=" << c.seed;
}

TeamOptions options_of(const Case& c) {
  TeamOptions options;
  options.ranks = c.ranks;
  options.components = c.components;
  options.segment_bytes = c.segment_bytes;
  return options;
}

// For few elements the relative error is that of few samples: allow for it.
template <class T>
double limit_of(const Case& c) {
  return error_limit<T>(c.ranks, c.components) * (c.count < 1000 ? 8 : 1);
}

template <class T>
void expect_sum(const Case& c) {
  SCOPED_TRACE(testing::Message() << c);
  transport::InprocOptions links;
  links.seed = c.seed;
  Ring ring(options_of(c), links);
  Reduction<T> reduction(gaussian<T>(c.ranks, c.count, c.seed));
  std::mt19937_64 random(c.seed);
  for (int rank = 0; rank < c.ranks; ++rank) reduction.in_place[rank] = random() % 2;
  const Vectors<T> before = reduction.inputs;

  ASSERT_NO_THROW(ring.run(reduction));

  for (cerar_status_t status : reduction.status) ASSERT_EQ(status, CERAR_OK);
  EXPECT_LE(worst_error(reduction.results, exact_sum(before)), limit_of<T>(c));
  EXPECT_EQ(reduction.inputs, before) << "the send buffer was written to";
  EXPECT_EQ(ring.fabric().outstanding(), 0u);
  EXPECT_EQ(ring.fabric().undelivered(), 0u);
}

void expect_sum(const Case& c) { c.is_double ? expect_sum<double>(c) : expect_sum<float>(c); }

TEST(RingAllreduce, SumsInRandomCases) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  for (int i = 0; i < 150; ++i) {
    Case c;
    c.ranks = 2 + static_cast<int>(random() % 8);
    c.components = 1 + static_cast<int>(random() % (4 * c.ranks));
    c.count = 1 + (random() % 4 == 0 ? random() % 50 : random() % 30000);
    c.segment_bytes = 512 << (random() % 8);
    c.is_double = random() % 2;
    c.seed = random();
    expect_sum(c);
    if (HasFailure()) FAIL() << "first seed " << seed;
  }
}

TEST(RingAllreduce, SumsOneElement) {
  for (int ranks : {2, 3, 5}) {
    for (int components = 1; components <= 3 * ranks; ++components) {
      // Every element alone: Gaussian sums may come out near 0, so only exact codes have a relative
      // limit.
      if (components <= ranks) expect_sum({ranks, components, 1, 512, true, 7});
      expect_sum({ranks, components, 2000, 512, false, 7});
    }
  }
}

TEST(RingAllreduce, SumsOn64Ranks) {
  expect_sum({64, 64, 20011, 512, false, 1});
  expect_sum({64, 128, 100003, 2048, false, 2});
  expect_sum({64, 192, 30011, 1024, true, 3});
  expect_sum({64, 40, 3011, 512, true, 4});
  expect_sum({64, 100, 30011, 512, true, 5});
}

TEST(RingAllreduce, IsBitIdenticalWithAsManyComponentsAsRanks) {
  for (int ranks : {2, 3, 4, 8}) {
    Case c{ranks, ranks, 10007, 4096, false, 11};
    Ring ring(options_of(c));
    Reduction<float> reduction(gaussian<float>(ranks, c.count, c.seed));
    reduction.in_place[1] = true;
    ring.run(reduction);
    for (int rank = 1; rank < ranks; ++rank) {
      EXPECT_EQ(reduction.results[rank], reduction.results[0]) << ranks << " ranks";
    }
  }
}

TEST(RingAllreduce, GivesTheSameBitsWhateverTheTiming) {
  for (int components : {4, 6, 8, 12}) {
    Vectors<float> first;
    for (std::uint64_t seed : {1, 2, 3}) {
      transport::InprocOptions links;
      links.seed = seed;
      Ring ring(options_of({4, components, 5003, 1024, false, 0}), links);
      Reduction<float> reduction(gaussian<float>(4, 5003, 99));
      ring.run(reduction);
      if (first.empty()) first = reduction.results;
      EXPECT_EQ(reduction.results, first) << components << " components, timing " << seed;
    }
  }
}

// A class mate that is 1e6 times larger would drown an element: class mates must be neighbours.
TEST(RingAllreduce, KeepsTheRelativeErrorOfEveryBlockWhereScalesDiffer) {
  constexpr std::size_t block = 64 * 1024;
  constexpr std::size_t blocks = 8;
  for (int components : {8, 12, 16, 6, 10}) {
    const Case c{4, components, block * blocks, 16384, false, 21};
    Ring ring(options_of(c));
    Vectors<float> data = gaussian<float>(4, c.count, c.seed);
    for (auto& vector : data) {
      for (std::size_t i = 0; i < c.count; ++i) vector[i] *= (i / block) % 2 ? 1e6f : 1.0f;
    }
    const auto sum = exact_sum(data);
    Reduction<float> reduction(std::move(data));
    reduction.in_place[2] = true;
    ring.run(reduction);
    const bool shared = components % 4 != 0;
    const std::size_t tile = kTileWidth * (shared ? components : components / 4);
    for (int rank = 0; rank < 4; ++rank) {
      for (std::size_t b = 0; b < blocks; ++b) {
        EXPECT_LE(
            relative_error(reduction.results[rank], sum, b * block + tile, (b + 1) * block - tile),
            error_limit<float>(4, components))
            << components << " components, rank " << rank << ", block " << b;
      }
    }
  }
}

TEST(RingAllreduce, SendsOnePacketARound) {
  for (int components : {3, 4, 6, 8, 16}) {
    const std::size_t count = 120000;
    Ring ring(options_of({4, components, count, 8192, false, 0}));
    Reduction<float> reduction(gaussian<float>(4, count, 1));
    ring.run(reduction);
    const double rounds = components + 4 - 2;
    const double expected = rounds * count * sizeof(float) / components;
    for (int rank = 0; rank < 4; ++rank) {
      EXPECT_NEAR(ring.team(rank).transport().bytes_sent() / expected, 1, 0.005)
          << components << " components";
    }
  }
}

TEST(RingAllreduce, HoldsNoMoreThanSegmentsBeyondTheBuffers) {
  const std::size_t count = 1 << 20;
  for (int components : {4, 8, 16}) {
    Ring ring(options_of({4, components, count, 4096, false, 0}));
    Reduction<float> reduction(gaussian<float>(4, count, 1));
    reduction.in_place.assign(4, true);
    ring.run(reduction);
    const std::size_t segments = CERAR_MAX_STREAMS * kSlots * 4096;
    const std::size_t tails = 2 * components * kTileWidth * sizeof(double);
    EXPECT_LE(ring.team(0).scratch_bytes(), segments + tails);
    EXPECT_GT(ring.team(0).scratch_bytes(), 0u);
  }
}

TEST(RingAllreduce, CopiesTheInputInPlaceOnlyWhereComponentsAreShared) {
  const std::size_t count = 1 << 18;
  Ring ring(options_of({4, 6, count, 4096, false, 0}));
  Reduction<float> reduction(gaussian<float>(4, count, 1));
  reduction.in_place[1] = true;
  ring.run(reduction);
  EXPECT_LT(ring.team(0).scratch_bytes(), count * sizeof(float) / 2);
  EXPECT_GT(ring.team(1).scratch_bytes(), count * sizeof(float));
}

TEST(RingAllreduce, RunsOverlappingCallsOfBothTypes) {
  Ring ring(options_of({5, 10, 0, 1024, false, 0}));
  Reduction<float> a(gaussian<float>(5, 20000, 1));
  Reduction<double> b(gaussian<double>(5, 9000, 2));
  Reduction<float> c(gaussian<float>(5, 777, 3));
  ring.post(a);
  ring.post(b);
  ring.post(c);
  ring.finish(c);
  ring.finish(a);
  ring.finish(b);
  EXPECT_LE(worst_error(a.results, exact_sum(a.inputs)), error_limit<float>(5, 10));
  EXPECT_LE(worst_error(b.results, exact_sum(b.inputs)), error_limit<double>(5, 10));
  EXPECT_LE(worst_error(c.results, exact_sum(c.inputs)), 8 * error_limit<float>(5, 10));
  EXPECT_EQ(ring.team(0).calls(), 3u);
}

TEST(RingAllreduce, IsDoneAtOnceWithoutElements) {
  Ring ring(options_of({3, 6, 0, 1024, false, 0}));
  Reduction<float> reduction(gaussian<float>(3, 0, 1));
  ring.post(reduction);
  EXPECT_FALSE(ring.progress(reduction));
}

TEST(RingAllreduce, RunsWithAThreadARank) {
  constexpr int ranks = 4;
  Ring ring(options_of({ranks, 8, 0, 2048, false, 0}));
  Reduction<float> reduction(gaussian<float>(ranks, 50000, 5));
  ring.post(reduction);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      while (reduction.calls[rank]->progress() == CERAR_IN_PROGRESS) std::this_thread::yield();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(worst_error(reduction.results, exact_sum(reduction.inputs)), error_limit<float>(4, 8));
}

TEST(RingAllreduce, KeepsInfinitiesAmongTheirClassMates) {
  const int components = 8;
  Ring ring(options_of({4, components, 0, 2048, false, 0}));
  Vectors<float> data = gaussian<float>(4, 40000, 6);
  data[2][12345] = std::numeric_limits<float>::infinity();
  const auto sum = exact_sum(data);
  Reduction<float> reduction(std::move(data));
  ring.run(reduction);
  for (const auto& result : reduction.results) {
    EXPECT_FALSE(std::isfinite(result[12345]));
    const auto infected = std::count_if(result.begin(), result.end(),
                                        [](float value) { return !std::isfinite(value); });
    EXPECT_LE(infected, components / 4);
  }
}

// Runs a vector through a ring and returns c; the result has to keep the tolerance.
template <class T>
int components_for(Ring& ring, std::size_t count, double tolerance) {
  Reduction<T> reduction(gaussian<T>(ring.ranks(), count, 17));
  reduction.in_place[0] = true;
  ring.run(reduction);
  EXPECT_LE(worst_error(reduction.results, exact_sum(reduction.inputs)), tolerance)
      << count << " elements, c = " << ring.team(0).last_code().spec.components;
  for (int rank = 1; rank < ring.ranks(); ++rank) {
    EXPECT_EQ(ring.team(rank).last_code().spec.components,
              ring.team(0).last_code().spec.components);
  }
  return ring.team(0).last_code().spec.components;
}

TEST(RingAllreduce, TakesTheFastestCodeThatKeepsTheTolerance) {
  TeamOptions options;
  options.ranks = 4;
  options.segment_bytes = 16384;
  options.tolerance = 1e-3;
  Ring ring(options);
  EXPECT_EQ(components_for<float>(ring, 4000000, 1e-3), 8);
  EXPECT_EQ(components_for<double>(ring, 2000000, 1e-3), 16);
  EXPECT_LE(components_for<float>(ring, 1000, 1e-3), 4);  // few rounds are what counts
  EXPECT_EQ(components_for<float>(ring, 4000001, 1e-3), 8);
}

TEST(RingAllreduce, IsExactWithoutTolerance) {
  TeamOptions options;
  options.ranks = 4;
  Ring ring(options);
  EXPECT_EQ(components_for<float>(ring, 4000000, 1e-6), 4);
}

TEST(Team, RefusesOptionsOutOfRange) {
  transport::InprocRing fabric(4);
  const auto refused = [&](TeamOptions options) {
    EXPECT_THROW(Team(options, fabric.link(0)), std::invalid_argument);
  };
  TeamOptions good = options_of({4, 8, 0, 1024, false, 0});
  EXPECT_NO_THROW(Team(good, fabric.link(0)));
  TeamOptions bad = good;
  bad.ranks = 1;
  refused(bad);
  bad = good, bad.rank = 4;
  refused(bad);
  bad = good, bad.rank = -1;
  refused(bad);
  bad = good, bad.components = -1;
  refused(bad);
  bad = good, bad.components = 33;
  refused(bad);
  bad = good, bad.epsilon = 1;
  refused(bad);
  bad = good, bad.epsilon = -0.1;
  refused(bad);
  bad = good, bad.segment_bytes = 511;
  refused(bad);
  bad = good, bad.segment_bytes = (16 << 20) + 1;
  refused(bad);
}

}  // namespace
}  // namespace cerar::ring::test
