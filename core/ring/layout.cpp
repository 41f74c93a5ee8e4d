#include "core/ring/layout.hpp"

#include <algorithm>

namespace cerar::ring {
namespace {

// Regions begin at multiples of this many elements: whole cache lines.
constexpr std::size_t kRegionUnit = 16;

std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }
std::size_t round_up(std::size_t a, std::size_t unit) { return ceil_div(a, unit) * unit; }

Region make_region(std::size_t begin, std::size_t end, std::size_t lanes) {
  Region region;
  region.begin = begin;
  region.elements = end - begin;
  region.tail_begin = end;
  if (lanes == 1) {
    region.body = region.elements;
    return region;
  }
  const std::size_t tiles = region.elements / (lanes * kTileWidth);
  region.body = tiles * kTileWidth;
  region.tail_begin = begin + tiles * lanes * kTileWidth;
  region.tail_elements = end - region.tail_begin;
  region.tail_width = ceil_div(region.tail_elements, lanes);
  return region;
}

}  // namespace

Layout::Layout(std::size_t count, int groups, int lanes, std::size_t segment, int streams)
    : lanes_(lanes) {
  const std::size_t units = ceil_div(count, kRegionUnit);
  std::size_t longest = 0;
  for (int g = 0; g < groups; ++g) {
    const std::size_t begin = std::min(count, units * g / groups * kRegionUnit);
    const std::size_t end = std::min(count, units * (g + 1) / groups * kRegionUnit);
    regions_.push_back(make_region(begin, end, lanes));
    longest = std::max(longest, regions_.back().packet());
  }
  std::size_t wanted = ceil_div(longest, round_up(std::max<std::size_t>(segment, 1), kTileWidth));
  if (wanted > static_cast<std::size_t>(streams)) wanted = round_up(wanted, streams);
  segment_ = round_up(ceil_div(longest, std::max<std::size_t>(wanted, 1)), kTileWidth);
  segments_ = longest == 0 ? 0 : ceil_div(longest, segment_);
}

std::size_t Layout::length(int group, std::size_t segment) const {
  const std::size_t packet = regions_[group].packet();
  const std::size_t first = segment * segment_;
  return first >= packet ? 0 : std::min(segment_, packet - first);
}

Runs Layout::runs(int group, std::size_t segment) const {
  Runs runs;
  const Region& region = regions_[group];
  const std::size_t first = segment * segment_;
  const std::size_t last = first + length(group, segment);
  if (first == last) return runs;

  const std::size_t body_last = std::min(last, region.body);
  if (first < body_last) {
    Run& run = runs.run[runs.count++];
    const std::size_t elements = body_last - first;
    run.offset = region.begin + first * lanes_;
    run.width = lanes_ == 1 ? elements : kTileWidth;
    run.tiles = lanes_ == 1 ? 1 : elements / kTileWidth;
  }
  if (last > region.body) {
    Run& run = runs.run[runs.count++];
    run.tail = true;
    run.offset = tail_offset(group);
    run.packet = region.body - first;
    run.width = region.tail_width;
    run.tiles = 1;
  }
  return runs;
}

std::size_t Layout::tail_capacity() const {
  return lanes_ == 1 ? 0 : regions_.size() * lanes_ * kTileWidth;
}

}  // namespace cerar::ring
