// Device memory as a space of the ring engine.
#pragma once

#include <memory>

#include "core/ring/space.hpp"
#include "gpu/device.hpp"

namespace cerar::gpu {

// Where the packets are that a transport sends and receives. This is the one place where it is
// decided how packets get between a device and a transport that can't reach it.
enum class Messages {
  device,  // in device memory
  mapped   // in pinned host memory that is mapped into the device: a kernel reads the packet that
           // came in and writes the one that goes out, over the bus, without copies
};

class DeviceSpace : public ring::Space {
 public:
  // Throws as check does (driver.hpp).
  DeviceSpace(std::shared_ptr<Device> device, Messages messages);

  std::byte* allocate(std::size_t bytes, ring::Use use) override;
  void deallocate(std::byte* data, ring::Use use) noexcept override;
  std::unique_ptr<ring::Queue<float>> make_float_queue(int lanes) override;
  std::unique_ptr<ring::Queue<double>> make_double_queue(int lanes) override;

 private:
  bool on_host(ring::Use use) const {
    return use == ring::Use::message && messages_ == Messages::mapped;
  }

  std::shared_ptr<Device> device_;
  Messages messages_;
};

}  // namespace cerar::gpu
