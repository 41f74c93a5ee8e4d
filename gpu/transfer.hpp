// Copies between the host and devices that are done when they return.
#pragma once

#include <cstddef>

#include "core/cerar.h"
#include "gpu/worker_lease.hpp"

namespace cerar::gpu {

class Transfer {
 public:
  // In the stream of the lease, which outlives it and may be shared.
  explicit Transfer(const WorkerLease& lease) : lease_(lease) {}

  // Whether the memory is not simply the host's. A driver without an answer makes status an error.
  bool on_device(const void* pointer);

  // From and to any kind of memory. Nothing is done once status is an error.
  void copy(void* to, const void* from, std::size_t bytes);

  // CERAR_OK, or the first error.
  cerar_status_t status() const { return status_; }

 private:
  const WorkerLease& lease_;
  cerar_status_t status_ = CERAR_OK;
};

}  // namespace cerar::gpu
