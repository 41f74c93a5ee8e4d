#include "gpu/context.hpp"

namespace cerar::gpu {

Current::Current(const Driver& driver, api::Context context) : driver_(driver) {
  api::Context current = nullptr;
  status_ = driver.cuCtxGetCurrent(&current);
  if (status_ == api::kSuccess && current == context) return;
  // Also where the driver does not say which one is: what is freed here would be left otherwise.
  status_ = driver.cuCtxPushCurrent_v2(context);
  pushed_ = status_ == api::kSuccess;
}

Current::~Current() {
  api::Context popped;
  if (pushed_) driver_.cuCtxPopCurrent_v2(&popped);
}

ContextHandle::ContextHandle(const Driver& driver, api::Context context, int ordinal)
    : driver_(driver), context_(context) {
  check(driver, driver.cuDeviceGet(&device_, ordinal), "cuDeviceGet");
  int active = 1;
  unsigned flags = 0;
  if (context != nullptr) {
    // Retaining it would make a primary context where there is none.
    check(driver, driver.cuDevicePrimaryCtxGetState(device_, &flags, &active),
          "cuDevicePrimaryCtxGetState");
  }
  if (active) retain();
  id_ = context_id(driver, context_);
}

ContextHandle::~ContextHandle() {
  if (retained_) driver_.cuDevicePrimaryCtxRelease_v2(device_);
}

void ContextHandle::retain() {
  api::Context primary = nullptr;
  check(driver_, driver_.cuDevicePrimaryCtxRetain(&primary, device_), "cuDevicePrimaryCtxRetain");
  retained_ = context_ == nullptr || context_ == primary;
  if (retained_) {
    context_ = primary;
  } else {
    driver_.cuDevicePrimaryCtxRelease_v2(device_);
  }
}

unsigned long long context_id(const Driver& driver, api::Context context) {
  unsigned long long id = 0;
  if (driver.cuCtxGetId && driver.cuCtxGetId(context, &id) != api::kSuccess) id = 0;
  return id;
}

}  // namespace cerar::gpu
