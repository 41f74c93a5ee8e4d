#include "gpu/space.hpp"

#include <utility>

#include "gpu/queue.hpp"

namespace cerar::gpu {
namespace {

// Its address must be the same for the device: so it is wherever addresses are unified, which every
// 64-bit driver for Linux does.
void* allocate_mapped(const Driver& driver, std::size_t bytes) {
  void* host = nullptr;
  check(driver,
        driver.cuMemHostAlloc(&host, bytes, api::kHostAllocPortable | api::kHostAllocDeviceMap),
        "cuMemHostAlloc");
  api::Address device = 0;
  const api::Result result = driver.cuMemHostGetDevicePointer_v2(&device, host, 0);
  if (result == api::kSuccess && device == reinterpret_cast<api::Address>(host)) return host;
  driver.cuMemFreeHost(host);
  check(driver, result, "cuMemHostGetDevicePointer");
  throw Error("the device has no unified addresses");
}

}  // namespace

DeviceSpace::DeviceSpace(std::shared_ptr<Device> device, Messages messages)
    : device_(std::move(device)), messages_(messages) {
  device_->kernels();
}

std::byte* DeviceSpace::allocate(std::size_t bytes, ring::Use use) {
  const Driver& driver = device_->driver();
  const Current current(driver, device_->context().get());
  check(driver, current.status(), "cuCtxPushCurrent");
  if (on_host(use)) return static_cast<std::byte*>(allocate_mapped(driver, bytes));
  api::Address address = 0;
  check(driver, driver.cuMemAlloc_v2(&address, bytes), "cuMemAlloc");
  return reinterpret_cast<std::byte*>(address);
}

void DeviceSpace::deallocate(std::byte* data, ring::Use use) noexcept {
  if (data == nullptr || !device_->context().alive()) return;
  const Driver& driver = device_->driver();
  const Current current(driver, device_->context().get());
  if (current.status() != api::kSuccess) return;
  if (on_host(use)) {
    driver.cuMemFreeHost(data);
  } else {
    driver.cuMemFree_v2(reinterpret_cast<api::Address>(data));
  }
}

std::unique_ptr<ring::Queue<float>> DeviceSpace::make_float_queue(int lanes) {
  return std::make_unique<DeviceQueue<float>>(device_, lanes);
}

std::unique_ptr<ring::Queue<double>> DeviceSpace::make_double_queue(int lanes) {
  return std::make_unique<DeviceQueue<double>>(device_, lanes);
}

}  // namespace cerar::gpu
