// The memory that a call needs beyond the user's buffers, and a team's pool of it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/ring/space.hpp"

namespace cerar::ring {

// A stream receives, sends and has a send still under way at the same time: three segments.
inline constexpr int kSlots = 3;

struct ScratchSizes {
  std::size_t segment_bytes = 0;
  int streams = 0;

  std::size_t staging_bytes() const { return segment_bytes * streams * kSlots; }
};

class Scratch {
 public:
  // Throws std::bad_alloc.
  Scratch(Space& space, const ScratchSizes& sizes);

  // Makes each of the two tail buffers at least that long. What is in them is lost. Throws
  // std::bad_alloc.
  void hold_tails(Space& space, std::size_t bytes);

  std::byte* slot(int stream, int slot) const {
    return staging_.data() + (stream * kSlots + slot) * segment_bytes_;
  }
  std::byte* tail_source() const { return tails_.data(); }
  std::byte* tail_result() const { return tails_.data() + tails_.size() / 2; }
  std::size_t bytes() const { return staging_.size() + tails_.size(); }

 private:
  std::size_t segment_bytes_;
  SpaceBuffer staging_;
  SpaceBuffer tails_;
};

// Scratch in one space. Holds one from the start; more are made when calls overlap, and tail
// buffers when a code first needs them. Remembers the most that was in use at once.
class ScratchPool {
 public:
  // Throws std::bad_alloc. The space must outlive the pool.
  ScratchPool(Space& space, const ScratchSizes& sizes);

  Space& space() const { return *space_; }

  // With tail buffers of at least tail_bytes each. Throws std::bad_alloc.
  std::unique_ptr<Scratch> take(std::size_t tail_bytes);
  void give_back(std::unique_ptr<Scratch> scratch);

  // What a call allocates by itself (a copy of its input) counts too.
  void account(std::size_t bytes);
  void release(std::size_t bytes) { in_use_ -= bytes; }
  std::size_t most_in_use() const { return most_in_use_; }

 private:
  Space* space_;
  ScratchSizes sizes_;
  std::vector<std::unique_ptr<Scratch>> idle_;
  std::size_t in_use_ = 0;
  std::size_t most_in_use_ = 0;
};

}  // namespace cerar::ring
