// The driver's functions as a program calls them: those that the library uses, and those that an
// application needs to have device memory.
#pragma once

#include <cstddef>

#include "gpu/api.hpp"

#pragma GCC visibility push(default)

namespace cerar::standin {

namespace api = gpu::api;
using Result = api::Result;
using Device_ = api::Device;
using Address = api::Address;
using ContextHandle = api::Context;

extern "C" {

#define CERAR_DECLARE(NAME, PARAMETERS) Result NAME PARAMETERS;
#define Device Device_
#define Context ContextHandle
#define Module api::Module
#define Function api::Function
#define Stream api::Stream
#define Event api::Event
CERAR_DRIVER_FUNCTIONS(CERAR_DECLARE)
CERAR_OPTIONAL_DRIVER_FUNCTIONS(CERAR_DECLARE)
#undef Device
#undef Context
#undef Module
#undef Function
#undef Stream
#undef Event
#undef CERAR_DECLARE

Result cuInit(unsigned flags);
Result cuDeviceGetName(char* name, int bytes, Device_ device);
Result cuEventElapsedTime(float* milliseconds, api::Event from, api::Event to);
Result cuCtxCreate_v2(ContextHandle* context, unsigned flags, Device_ device);
Result cuCtxSetCurrent(ContextHandle context);
Result cuDevicePrimaryCtxReset_v2(Device_ device);
Result cuStreamBeginCapture_v2(api::Stream stream, int mode);
Result cuStreamEndCapture(api::Stream stream, struct GraphRecord** graph);
Result cuMemAllocAsync(Address* pointer, std::size_t bytes, api::Stream stream);
Result cuMemAllocManaged(Address* pointer, std::size_t bytes, unsigned flags);
Result cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned flags);
Result cuMemHostUnregister(void* pointer);
Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes);
Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes);

}  // extern "C"
}  // namespace cerar::standin

#pragma GCC visibility pop
