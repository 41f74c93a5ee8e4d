// What the driver knows about a pointer.
#pragma once

#include "gpu/driver.hpp"
#include "gpu/gpu.hpp"

namespace cerar::gpu {

struct Pointer {
  Kind kind = Kind::host;
  api::Context context = nullptr;  // nullptr: the device's primary context
  int ordinal = -1;
};

// Throws Error if the driver can be asked but has no answer.
Pointer ask_driver(const Driver& driver, const void* pointer);

// Lets all work be done that the caller may take for done while it is not: an allocation's first
// time, work in the default stream (cudaMemcpy from pageable memory returns before the data are on
// the device; cudaMemset, too); from then on the driver is told to wait in such calls, and where it
// can't be told, every time. A buffer on a device only; `pointer`'s context must be current. Throws
// Error.
void settle(const Driver& driver, const void* pointer);

}  // namespace cerar::gpu
