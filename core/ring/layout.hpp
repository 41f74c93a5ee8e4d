// Where the components of a vector lie, and how packets are cut into segments.
//
// The vector is cut into `groups` contiguous regions, a region into tiles of lanes·kTileWidth
// elements; lane r of a tile is kTileWidth neighbouring elements of component r of the group. What
// is left at a region's end is a shorter tile whose lanes are ⌈rest/lanes⌉ wide: it is padded with
// zeros and so lives beside the buffer (Tail). With one lane a region is one run: no tiles, no
// tail. A packet is the lanes' images in tile order.
#pragma once

#include <cstddef>
#include <vector>

namespace cerar::ring {

// Elements in a lane of a tile: long enough for vector loads, short enough that class mates are
// neighbours.
inline constexpr std::size_t kTileWidth = 128;

struct Region {
  std::size_t begin = 0;       // first element in the vector
  std::size_t elements = 0;    // of the vector
  std::size_t body = 0;        // packet elements in full tiles (one lane: all of them)
  std::size_t tail_width = 0;  // packet elements in the short tile
  std::size_t tail_begin = 0;  // first element of the vector in the short tile
  std::size_t tail_elements = 0;

  std::size_t packet() const { return body + tail_width; }
};

// A part of a segment whose tiles all have the same width and lie one after the other.
struct Run {
  bool tail = false;       // tiles are in the tail buffers, not in the vector
  std::size_t offset = 0;  // first element of the first tile: in the vector, or in the tail buffers
  std::size_t packet = 0;  // first element in the segment
  std::size_t width = 0;   // elements in a lane of a tile
  std::size_t tiles = 0;
};

// At most two runs: full tiles, then the short one.
struct Runs {
  Run run[2];
  int count = 0;
  const Run* begin() const { return run; }
  const Run* end() const { return run + count; }
};

class Layout {
 public:
  // segment: most elements in a segment; rounded up to whole lanes, then evened out so that the
  // number of segments is, where there are that many, a multiple of `streams`.
  Layout(std::size_t count, int groups, int lanes, std::size_t segment, int streams);

  int groups() const { return static_cast<int>(regions_.size()); }
  int lanes() const { return lanes_; }
  const Region& region(int group) const { return regions_[group]; }

  std::size_t segments() const { return segments_; }         // of the longest packet
  std::size_t segment_elements() const { return segment_; }  // of all but a packet's last segment
  std::size_t length(int group,
                     std::size_t segment) const;  // packet elements in a segment, may be 0
  Runs runs(int group, std::size_t segment) const;

  // Elements in the tail buffers: each group has lanes·kTileWidth of its own. 0 with one lane.
  std::size_t tail_capacity() const;
  std::size_t tail_offset(int group) const { return group * (lanes_ * kTileWidth); }

 private:
  std::vector<Region> regions_;
  int lanes_;
  std::size_t segment_ = 0;
  std::size_t segments_ = 0;
};

}  // namespace cerar::ring
