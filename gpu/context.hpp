// Contexts of the driver: who is current, and which one a buffer belongs to.
#pragma once

#include <memory>

#include "gpu/driver.hpp"

namespace cerar::gpu {

// Lets the thread do, for as long as it lives, what captures of graphs by other threads would
// forbid it: nothing that is done here is part of a graph. A capture by the thread itself goes on
// forbidding it, so that nobody takes a sum for a part of their graph.
class BesideCaptures {
 public:
  explicit BesideCaptures(const Driver& driver);
  ~BesideCaptures();
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;

 private:
  const Driver& driver_;
  int mode_ = api::kCaptureThreadLocal;  // global: the thread's own, to be given back
};

// Makes a context the current one for as long as it lives, and then the caller's again.
class Current {
 public:
  Current(const Driver& driver, api::Context context);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

  // Anything but success: the context is not current, and nothing may be done in it.
  api::Result status() const { return status_; }

 private:
  const BesideCaptures beside_captures_;
  const Driver& driver_;
  api::Result status_;
  bool pushed_ = false;
};

// A context that is kept alive. Where it is a device's primary context it is retained; any other is
// its maker's, who has to keep it until the teams that used buffers of it are gone.
class ContextHandle {
 public:
  // context == nullptr: the device's primary context. Throws as check does.
  ContextHandle(const Driver& driver, api::Context context, int ordinal);
  ~ContextHandle();
  ContextHandle(const ContextHandle&) = delete;
  ContextHandle& operator=(const ContextHandle&) = delete;

  const Driver& driver() const { return driver_; }
  api::Context get() const { return context_; }
  bool primary() const { return retained_; }
  // False: somebody has reset the device (cudaDeviceReset), and all that was in it is gone; the
  // device may have a new one since, under the same handle. Drivers before 12.0 don't tell that
  // one from the old.
  bool alive() const;
  // Of a handle that is known to be a context's: whether it is still the same one's.
  bool same() const;

 private:
  void retain();

  const Driver& driver_;
  api::Context context_;
  api::Device device_ = 0;
  bool retained_ = false;
  unsigned long long id_ = 0;  // 0: not known
};

}  // namespace cerar::gpu
