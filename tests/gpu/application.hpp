// An application with device memory, on the stand-in driver.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "tests/gpu/standin/api.hpp"
#include "tests/gpu/standin/standin.hpp"

namespace cerar::gpu::test {

namespace driver = cerar::standin;

inline void must(api::Result result) {
  if (result != api::kSuccess) throw std::runtime_error("driver: " + std::to_string(result));
}

// Runs the driver with the primary contexts of both devices, the first one current, as the CUDA
// runtime does.
class Application {
 public:
  explicit Application(const driver::Options& options = {}) {
    driver::configure(options);
    must(driver::cuInit(0));
    for (int device : {0, 1}) must(driver::cuDevicePrimaryCtxRetain(&contexts_[device], device));
    must(driver::cuCtxSetCurrent(contexts_[0]));
  }
  ~Application() {
    driver::heal();
    driver::cuCtxSetCurrent(nullptr);
    for (int device : {0, 1}) driver::cuDevicePrimaryCtxRelease_v2(device);
  }
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  static api::Context current() {
    api::Context context = nullptr;
    driver::cuCtxGetCurrent(&context);
    return context;
  }

 private:
  api::Context contexts_[2];
};

enum class Where { host, registered, device, other_device, pooled, managed };
inline constexpr Where kEverywhere[] = {Where::host,         Where::registered, Where::device,
                                        Where::other_device, Where::pooled,     Where::managed};
// One of kEverywhere.
template <class Random>
Where anywhere(Random& random) {
  return kEverywhere[random() % std::size(kEverywhere)];
}

// Elements of T in some memory, `shift` elements after where an allocation begins.
template <class T>
class Buffer {
 public:
  Buffer(Where where, std::size_t elements, std::size_t shift = 0)
      : where_(where), shift_(shift), elements_(elements) {
    const std::size_t bytes = (elements + shift) * sizeof(T) + 1;
    driver::Address address = 0;
    switch (where) {
      case Where::host:
        host_.resize(elements + shift + 1);
        base_ = host_.data();
        return;
      case Where::registered:
        host_.resize(elements + shift + 1);
        base_ = host_.data();
        must(driver::cuMemHostRegister_v2(base_, bytes, 0));
        return;
      case Where::device:
        must(driver::cuMemAlloc_v2(&address, bytes));
        break;
      case Where::other_device:
        allocate_elsewhere(bytes, address);
        break;
      case Where::pooled:
        must(driver::cuMemAllocAsync(&address, bytes, nullptr));
        break;
      case Where::managed:
        must(driver::cuMemAllocManaged(&address, bytes, 1));
        break;
    }
    base_ = reinterpret_cast<T*>(address);
  }
  ~Buffer() {
    if (where_ == Where::registered) driver::cuMemHostUnregister(base_);
    if (host_.empty()) driver::cuMemFree_v2(reinterpret_cast<driver::Address>(base_));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() const { return base_ + shift_; }
  // The memory has gone with its context.
  void forget() {
    if (host_.empty()) base_ = nullptr;
  }
  std::size_t size() const { return elements_; }

  // As long as nothing is under way.
  void write(const std::vector<T>& values) {
    std::memcpy(driver::alias(data()), values.data(), values.size() * sizeof(T));
  }
  std::vector<T> read() const {
    std::vector<T> values(elements_);
    std::memcpy(values.data(), driver::alias(data()), elements_ * sizeof(T));
    return values;
  }

 private:
  static void allocate_elsewhere(std::size_t bytes, driver::Address& address) {
    api::Context context = nullptr;
    must(driver::cuDevicePrimaryCtxRetain(&context, 1));
    must(driver::cuCtxPushCurrent_v2(context));
    const api::Result result = driver::cuMemAlloc_v2(&address, bytes);
    must(driver::cuCtxPopCurrent_v2(&context));
    must(driver::cuDevicePrimaryCtxRelease_v2(1));
    must(result);
  }

  Where where_;
  std::size_t shift_;
  std::size_t elements_;
  std::vector<T> host_;
  T* base_ = nullptr;
};

}  // namespace cerar::gpu::test
