// A space that computes on the host for vectors of which some are on a device: what it needs of
// them it copies, piece by piece, and what it changes it copies back. Slow, but it needs next to no
// memory and no kernels, so it is what remains where a DeviceSpace can't be had.
#pragma once

#include <memory>

#include "core/ring/space.hpp"
#include "gpu/worker_lease.hpp"

namespace cerar::gpu {

// Its memory is host memory; its queues have done everything when they return, so that one stream
// is enough for all.
class StagedSpace : public ring::Space {
 public:
  // Throws as check does (driver.hpp).
  explicit StagedSpace(std::shared_ptr<Device> device) : lease_(std::move(device)) {}

  std::byte* allocate(std::size_t bytes, ring::Use use) override {
    return ring::host_space().allocate(bytes, use);
  }
  void deallocate(std::byte* data, ring::Use use) noexcept override {
    ring::host_space().deallocate(data, use);
  }
  std::unique_ptr<ring::Queue<float>> make_float_queue(int lanes) override;
  std::unique_ptr<ring::Queue<double>> make_double_queue(int lanes) override;

 private:
  WorkerLease lease_;
};

}  // namespace cerar::gpu
