// Copies between the host and devices that are done when they return.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "core/cerar.h"
#include "gpu/worker_lease.hpp"

namespace cerar::gpu {

// Where copies are put in: a stream of the library's own, or the context's default stream where
// the driver has no memory for one more. So copying needs nothing that a device could be short of.
class CopyStream {
 public:
  explicit CopyStream(std::shared_ptr<Device> device);

  const Driver& driver() const { return device_->driver(); }
  api::Context context() const { return device_->context().get(); }
  api::Stream get() const { return own_ ? own_->worker().stream() : api::legacy_stream(); }

 private:
  std::shared_ptr<Device> device_;
  std::optional<WorkerLease> own_;
};

class Transfer {
 public:
  // The stream outlives it and may be shared.
  explicit Transfer(const CopyStream& stream) : stream_(stream) {}

  // Whether the memory is not simply the host's. A driver without an answer makes status an error.
  bool on_device(const void* pointer);

  // From and to any kind of memory. Nothing is done once status is an error.
  void copy(void* to, const void* from, std::size_t bytes);

  // CERAR_OK, or the first error.
  cerar_status_t status() const { return status_; }

 private:
  const CopyStream& stream_;
  cerar_status_t status_ = CERAR_OK;
};

}  // namespace cerar::gpu
