#include "gpu/context.hpp"

namespace cerar::gpu {

namespace {

bool is_gone(api::Result result) {
  return result == api::kInvalidContext || result == api::kContextIsDestroyed ||
         result == api::kDeinitialized;
}

}  // namespace

BesideCaptures::BesideCaptures(const Driver& driver) : driver_(driver) {
  driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  // A thread that is allowed everything goes on being so.
  if (mode_ == api::kCaptureRelaxed) driver_.cuThreadExchangeStreamCaptureMode(&mode_);
}

BesideCaptures::~BesideCaptures() {
  if (mode_ == api::kCaptureGlobal) driver_.cuThreadExchangeStreamCaptureMode(&mode_);
}

Current::Current(const Driver& driver, api::Context context)
    : beside_captures_(driver), driver_(driver) {
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
  if (driver.cuCtxGetId && driver.cuCtxGetId(context_, &id_) != api::kSuccess) id_ = 0;
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

bool ContextHandle::alive() const {
  if (!retained_) return same();
  unsigned flags = 0;
  int active = 1;
  const api::Result state = driver_.cuDevicePrimaryCtxGetState(device_, &flags, &active);
  if (!active || is_gone(state)) return false;
  // Nothing may be done with the handle of a context that is gone, not even ask for its id.
  api::Context now = nullptr;
  if (driver_.cuDevicePrimaryCtxRetain(&now, device_) == api::kSuccess) {
    driver_.cuDevicePrimaryCtxRelease_v2(device_);
    if (now != context_) return false;
  }
  return same();
}

bool ContextHandle::same() const {
  unsigned long long id = 0;
  if (!driver_.cuCtxGetId || id_ == 0) return true;
  const api::Result result = driver_.cuCtxGetId(context_, &id);
  return result == api::kSuccess ? id == id_ : !is_gone(result);
}

}  // namespace cerar::gpu
