#include "core/transport/ucx/operation.hpp"

#include <new>

namespace cerar::transport::ucx {

namespace {

constexpr std::size_t kLine = 64;

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

}  // namespace

OperationPool::OperationPool(std::size_t request_bytes)
    : front_(round_up(request_bytes)), block_(front_ + round_up(sizeof(UcxOperation))) {}

bool OperationPool::grow() {
  std::byte* slab = new (std::nothrow) std::byte[kSlab * block_ + kLine];
  if (slab == nullptr) return false;
  try {
    slabs_.emplace_back(slab);
  } catch (const std::bad_alloc&) {
    delete[] slab;
    return false;
  }
  void* start = slab;
  std::size_t space = kSlab * block_ + kLine;
  auto* block = static_cast<std::byte*>(std::align(kLine, kSlab * block_, start, space));
  for (std::size_t i = 0; i < kSlab; ++i, block += block_) {
    give_back(new (block + front_) UcxOperation);
  }
  return true;
}

UcxOperation* OperationPool::take() {
  if (free_ == nullptr && !grow()) return nullptr;
  UcxOperation* op = free_;
  free_ = op->next_free;
  op->done.store(false, std::memory_order_relaxed);
  op->status = UCS_OK;
  op->abandoned = false;
  return op;
}

void OperationPool::give_back(UcxOperation* op) {
  op->next_free = free_;
  free_ = op;
}

}  // namespace cerar::transport::ucx
