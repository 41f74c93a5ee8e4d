// A space that computes on the host for vectors of which some are on a device: what it needs of
// them it copies, piece by piece, and what it changes it copies back. Slow, but it needs no kernels
// and no memory but what the host's own calls need, so it is what remains where a DeviceSpace can't
// be had.
#pragma once

#include <memory>

#include "core/ring/space.hpp"
#include "gpu/transfer.hpp"

namespace cerar::gpu {

// Its memory is host memory; its queues have done everything when they return, so that one stream
// is enough for all.
class StagedSpace : public ring::Space {
 public:
  explicit StagedSpace(std::shared_ptr<Device> device) : stream_(std::move(device)) {}

  std::byte* allocate(std::size_t bytes, ring::Use use) override {
    return ring::host_space().allocate(bytes, use);
  }
  void deallocate(std::byte* data, ring::Use use) noexcept override {
    ring::host_space().deallocate(data, use);
  }
  ring::Space& memory() override { return ring::host_space(); }
  std::unique_ptr<ring::Queue<float>> make_float_queue(int lanes) override;
  std::unique_ptr<ring::Queue<double>> make_double_queue(int lanes) override;

 private:
  CopyStream stream_;
};

}  // namespace cerar::gpu
