// Where a call's vectors are, and what computes on them. Host memory here; device memory is another
// room's.
#pragma once

#include <cstddef>
#include <memory>

#include "core/cerar.h"
#include "core/kernel/kernel.hpp"

namespace cerar::ring {

// Work on one space, done in the order in which it is put in, perhaps later. Nothing throws; what
// goes wrong is told by test, from then on.
template <class T>
class Queue {
 public:
  virtual ~Queue() = default;

  virtual void combine(const kernel::Combine<T>& args) = 0;
  virtual void decode(const kernel::Decode<T>& args) = 0;
  // As decode, and takes note of the greatest magnitude in out.
  virtual void decode_result(const kernel::Decode<T>& args) = 0;
  virtual void copy(T* to, const T* from, std::size_t elements) = 0;
  virtual void zero(T* to, std::size_t elements) = 0;

  // What greatest tells, once a mark after this is reached, covers all that was put in before.
  virtual void conclude() = 0;
  // The greatest magnitude of all results; 0 if there were none.
  virtual kernel::Magnitude<T> greatest() const = 0;

  // Marks this point; one mark at a time.
  virtual void mark() = 0;
  // CERAR_OK once all that was put in before the mark is done, CERAR_IN_PROGRESS before, or an
  // error.
  virtual cerar_status_t test() = 0;
  // Returns when nothing is under way any more, well or not.
  virtual void drain() = 0;
};

enum class Use {
  message,  // a transport sends from it and receives into it; queues read and write it
  data      // only queues touch it
};

class Space {
 public:
  virtual ~Space() = default;

  // On a cache line's boundary, uninitialised. Throws std::bad_alloc; other exceptions are a
  // device's.
  virtual std::byte* allocate(std::size_t bytes, Use use) = 0;
  virtual void deallocate(std::byte* data, Use use) noexcept = 0;
  // Whose memory allocate hands out: a space may have none of its own.
  virtual Space& memory() { return *this; }

  // A queue whose decode will be asked for at most so many lanes. Throw std::bad_alloc; other
  // exceptions are a device's.
  virtual std::unique_ptr<Queue<float>> make_float_queue(int lanes) = 0;
  virtual std::unique_ptr<Queue<double>> make_double_queue(int lanes) = 0;

  template <class T>
  std::unique_ptr<Queue<T>> make_queue(int lanes);
};

template <>
inline std::unique_ptr<Queue<float>> Space::make_queue<float>(int lanes) {
  return make_float_queue(lanes);
}
template <>
inline std::unique_ptr<Queue<double>> Space::make_queue<double>(int lanes) {
  return make_double_queue(lanes);
}

// Host memory; its queues have done everything when they return.
Space& host_space();

// Memory of a space.
class SpaceBuffer {
 public:
  SpaceBuffer() : data_(nullptr, Free{nullptr, Use::data}) {}
  // Throws std::bad_alloc. The space must outlive the buffer.
  SpaceBuffer(Space& space, std::size_t bytes, Use use)
      : data_(bytes == 0 ? nullptr : space.allocate(bytes, use), Free{&space, use}), size_(bytes) {}

  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    Space* space;
    Use use;
    void operator()(std::byte* data) const { space->deallocate(data, use); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace cerar::ring
