#include "core/ring/scratch.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace cerar::ring {
namespace {

constexpr std::size_t kCacheLine = 64;

}  // namespace

AlignedBuffer::AlignedBuffer(std::size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  void* data = nullptr;
  if (posix_memalign(&data, kCacheLine, bytes) != 0) throw std::bad_alloc();
  data_.reset(static_cast<std::byte*>(data));
}

void AlignedBuffer::Free::operator()(std::byte* data) const { std::free(data); }

Scratch::Scratch(const ScratchSizes& sizes) : sizes_(sizes), buffer_(sizes.total()) {}

ScratchPool::ScratchPool(const ScratchSizes& sizes) : sizes_(sizes) {
  idle_.push_back(std::make_unique<Scratch>(sizes));
}

std::unique_ptr<Scratch> ScratchPool::take() {
  std::unique_ptr<Scratch> scratch;
  if (idle_.empty()) {
    scratch = std::make_unique<Scratch>(sizes_);
    idle_.reserve(idle_.capacity() + 1);  // so that give_back does not throw
  } else {
    scratch = std::move(idle_.back());
    idle_.pop_back();
  }
  account(scratch->bytes());
  return scratch;
}

void ScratchPool::give_back(std::unique_ptr<Scratch> scratch) {
  release(scratch->bytes());
  idle_.push_back(std::move(scratch));
}

void ScratchPool::account(std::size_t bytes) {
  in_use_ += bytes;
  most_in_use_ = std::max(most_in_use_, in_use_);
}

}  // namespace cerar::ring
