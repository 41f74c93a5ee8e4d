#include "gpu/device.hpp"

#include <algorithm>
#include <utility>

namespace cerar::gpu {

Worker::Worker(const ContextHandle& context) : context_(context), driver_(context.driver()) {
  check(driver_, driver_.cuStreamCreate(&stream_, api::kStreamNonBlocking), "cuStreamCreate");
  const api::Result result = driver_.cuEventCreate(&event_, api::kEventDisableTiming);
  if (result != api::kSuccess) driver_.cuStreamDestroy_v2(stream_);
  check(driver_, result, "cuEventCreate");
}

Worker::~Worker() {
  if (!context_.alive()) return;
  if (memory_ != 0) driver_.cuMemFree_v2(memory_);
  if (pinned_ != nullptr) driver_.cuMemFreeHost(pinned_);
  driver_.cuEventDestroy_v2(event_);
  driver_.cuStreamDestroy_v2(stream_);
}

api::Address Worker::memory(std::size_t bytes) {
  if (bytes > bytes_) {
    if (memory_ != 0) driver_.cuMemFree_v2(std::exchange(memory_, 0));
    bytes_ = 0;
    check(driver_, driver_.cuMemAlloc_v2(&memory_, bytes), "cuMemAlloc");
    bytes_ = bytes;
  }
  return memory_;
}

void* Worker::pinned(std::size_t bytes) {
  if (bytes > pinned_bytes_) {
    if (pinned_ != nullptr) driver_.cuMemFreeHost(std::exchange(pinned_, nullptr));
    pinned_bytes_ = 0;
    check(driver_, driver_.cuMemHostAlloc(&pinned_, bytes, api::kHostAllocPortable),
          "cuMemHostAlloc");
    pinned_bytes_ = bytes;
  }
  return pinned_;
}

std::shared_ptr<Device> Device::of(const Driver& driver, const Pointer& pointer) {
  static std::mutex mutex;
  static std::vector<std::weak_ptr<Device>> devices;

  const std::lock_guard lock(mutex);
  std::erase_if(devices, [](const auto& device) { return device.expired(); });
  for (const auto& known : devices) {
    auto device = known.lock();
    if (device && device->has(pointer)) return device;
  }
  auto device = std::make_shared<Device>(driver, pointer.context, pointer.ordinal);
  devices.push_back(device);
  return device;
}

bool Device::has(const Pointer& pointer) const {
  if (pointer.ordinal != ordinal_) return false;
  return pointer.context ? pointer.context == context_.get() && context_.same()
                         : context_.primary() && context_.alive();
}

Device::~Device() {
  const Current current(driver(), context_.get());
  idle_.clear();
  kernels_.reset();
}

const Kernels& Device::kernels() {
  const std::lock_guard lock(mutex_);
  if (defect_) throw *defect_;
  if (!kernels_) load_kernels();
  return *kernels_;
}

void Device::load_kernels() {
  const Current current(driver(), context_.get());
  check(driver(), current.status(), "cuCtxPushCurrent");
  try {
    kernels_ = std::make_unique<Kernels>(context_);
  } catch (const Error& error) {
    defect_ = error;
    throw;
  }
}

std::unique_ptr<Worker> Device::take() {
  const std::lock_guard lock(mutex_);
  if (!idle_.empty()) {
    auto worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }
  const Current current(driver(), context_.get());
  check(driver(), current.status(), "cuCtxPushCurrent");
  auto worker = std::make_unique<Worker>(context_);
  idle_.reserve(++workers_);  // so that give_back does not throw
  return worker;
}

void Device::give_back(std::unique_ptr<Worker> worker) noexcept {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
}

}  // namespace cerar::gpu
