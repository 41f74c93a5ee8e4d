// A worker of a device for as long as somebody needs it.
#pragma once

#include <memory>
#include <utility>

#include "core/error.hpp"
#include "gpu/device.hpp"

namespace cerar::gpu {

class WorkerLease {
 public:
  // Throws as check does.
  explicit WorkerLease(std::shared_ptr<Device> device)
      : device_(std::move(device)), worker_(device_->take()) {}
  // Nothing may be under way.
  ~WorkerLease() { device_->give_back(std::move(worker_)); }
  WorkerLease(const WorkerLease&) = delete;
  WorkerLease& operator=(const WorkerLease&) = delete;

  Device& device() const { return *device_; }
  const Driver& driver() const { return device_->driver(); }
  api::Context context() const { return device_->context().get(); }
  Worker& worker() const { return *worker_; }

 private:
  std::shared_ptr<Device> device_;
  std::unique_ptr<Worker> worker_;
};

// A result as a status, its name kept for cerar_last_error.
inline cerar_status_t status_of(const Driver& driver, api::Result result) {
  if (result == api::kSuccess) return CERAR_OK;
  set_last_error("the GPU's driver says " + name_of(driver, result));
  return result == api::kOutOfMemory ? CERAR_ERR_NO_MEMORY : CERAR_ERR_DEVICE;
}

}  // namespace cerar::gpu
