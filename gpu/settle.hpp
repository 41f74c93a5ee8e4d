// The caller's work that may not be done when the caller takes it for done.
#pragma once

#include "gpu/device.hpp"

namespace cerar::gpu {

// Lets all work be done that the caller may take for done while it is not: work in the default
// stream (cudaMemcpy from pageable memory returns before the data are on the device; cudaMemset,
// too). That is waited for at an allocation's first time, or its context's where an allocation
// can't be told to; from then on the driver is told to wait in such calls itself, and where it
// can't be told, every time. `pointer` is in memory of `device`. Throws Error.
void settle(Device& device, const void* pointer);

}  // namespace cerar::gpu
