// The memory that a call needs beyond the user's buffers, and a team's pool of it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace cerar::ring {

// Uninitialised bytes on a cache line's boundary. Throws std::bad_alloc.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t bytes);

  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

// A stream receives, sends and has a send still under way at the same time: three segments.
inline constexpr int kSlots = 3;

struct ScratchSizes {
  std::size_t segment_bytes = 0;
  int streams = 0;
  std::size_t tail_bytes = 0;  // of one of the two tail buffers

  std::size_t staging_bytes() const { return segment_bytes * streams * kSlots; }
  std::size_t total() const { return staging_bytes() + 2 * tail_bytes; }
};

class Scratch {
 public:
  explicit Scratch(const ScratchSizes& sizes);

  std::byte* slot(int stream, int slot) const {
    return buffer_.data() + (stream * kSlots + slot) * sizes_.segment_bytes;
  }
  std::byte* tail_source() const { return buffer_.data() + sizes_.staging_bytes(); }
  std::byte* tail_result() const { return tail_source() + sizes_.tail_bytes; }
  std::size_t bytes() const { return buffer_.size(); }

 private:
  ScratchSizes sizes_;
  AlignedBuffer buffer_;
};

// Holds one Scratch from the start, so that a blocking call never allocates; more are made when
// calls overlap. Remembers the most that was in use at once.
class ScratchPool {
 public:
  explicit ScratchPool(const ScratchSizes& sizes);

  std::unique_ptr<Scratch> take();
  void give_back(std::unique_ptr<Scratch> scratch);

  // What a call allocates by itself (a copy of its input) counts too.
  void account(std::size_t bytes);
  void release(std::size_t bytes) { in_use_ -= bytes; }
  std::size_t most_in_use() const { return most_in_use_; }

 private:
  ScratchSizes sizes_;
  std::vector<std::unique_ptr<Scratch>> idle_;
  std::size_t in_use_ = 0;
  std::size_t most_in_use_ = 0;
};

}  // namespace cerar::ring
