// Contexts of the driver: who is current, and which one a buffer belongs to.
#pragma once

#include <memory>

#include "gpu/driver.hpp"

namespace cerar::gpu {

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
  const Driver& driver_;
  api::Result status_;
  bool pushed_ = false;
};

// A context that stays alive. Where it is a device's primary context it is retained; any other is
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
  // Tells it from a later one at the same address; 0 from drivers that do not know.
  unsigned long long id() const { return id_; }

 private:
  void retain();

  const Driver& driver_;
  api::Context context_;
  api::Device device_ = 0;
  bool retained_ = false;
  unsigned long long id_ = 0;
};

unsigned long long context_id(const Driver& driver, api::Context context);

}  // namespace cerar::gpu
