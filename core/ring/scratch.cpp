#include "core/ring/scratch.hpp"

#include <algorithm>
#include <utility>

namespace cerar::ring {

Scratch::Scratch(Space& space, const ScratchSizes& sizes)
    : segment_bytes_(sizes.segment_bytes), staging_(space, sizes.staging_bytes(), Use::message) {}

void Scratch::hold_tails(Space& space, std::size_t bytes) {
  if (tails_.size() < 2 * bytes) tails_ = SpaceBuffer(space, 2 * bytes, Use::data);
}

ScratchPool::ScratchPool(Space& space, const ScratchSizes& sizes) : space_(&space), sizes_(sizes) {
  idle_.push_back(std::make_unique<Scratch>(space, sizes));
}

std::unique_ptr<Scratch> ScratchPool::take(std::size_t tail_bytes) {
  if (idle_.empty()) {
    idle_.reserve(idle_.capacity() + 1);  // so that give_back does not throw
    idle_.push_back(std::make_unique<Scratch>(*space_, sizes_));
  }
  idle_.back()->hold_tails(*space_, tail_bytes);
  std::unique_ptr<Scratch> scratch = std::move(idle_.back());
  idle_.pop_back();
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
