// What the driver knows about a pointer.
#pragma once

#include "gpu/driver.hpp"
#include "gpu/gpu.hpp"

namespace cerar::gpu {

struct Pointer {
  Kind kind = Kind::host;
  api::Context context = nullptr;  // nullptr: of none, for which the device's primary one will do
  int ordinal = -1;
  // From a pool (cudaMallocAsync), or mapped by hand (cuMemMap).
  bool pooled() const { return kind == Kind::device && context == nullptr; }
};

// Throws Error if the driver can be asked but has no answer.
Pointer ask_driver(const Driver& driver, const void* pointer);

}  // namespace cerar::gpu
