// The part of the CUDA driver's interface that is used here, declared anew so that nothing of CUDA
// is needed to compile it. tests/gpu/api_test.cpp compares it with cuda.h where there is one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cerar::gpu::api {

using Result = int;
using Device = int;
using Address = unsigned long long;  // of device memory
using Context = struct ContextRecord*;
using Module = struct ModuleRecord*;
using Function = struct FunctionRecord*;
using Stream = struct StreamRecord*;
using Event = struct EventRecord*;

inline constexpr Result kSuccess = 0;
inline constexpr Result kInvalidValue = 1;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNotInitialized = 3;
inline constexpr Result kDeinitialized = 4;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kInvalidDevice = 101;
inline constexpr Result kInvalidContext = 201;
inline constexpr Result kNoBinaryForGpu = 209;
inline constexpr Result kInvalidHandle = 400;
inline constexpr Result kNotFound = 500;
inline constexpr Result kNotReady = 600;
inline constexpr Result kIllegalAddress = 700;
inline constexpr Result kContextIsDestroyed = 709;
inline constexpr Result kLaunchFailed = 719;
inline constexpr Result kNotSupported = 801;
inline constexpr Result kStreamCaptureUnsupported = 900;
inline constexpr Result kStreamCaptureInvalidated = 901;
inline constexpr Result kStreamCaptureImplicit = 906;

// Pointer attributes.
inline constexpr int kAttributeContext = 1;
inline constexpr int kAttributeMemoryType = 2;
inline constexpr int kAttributeSyncMemops = 6;
inline constexpr int kAttributeBufferId = 7;
inline constexpr int kAttributeIsManaged = 8;
inline constexpr int kAttributeDeviceOrdinal = 9;

inline constexpr unsigned kMemoryTypeHost = 1;
inline constexpr unsigned kMemoryTypeDevice = 2;

inline constexpr unsigned kHostAllocPortable = 1;
inline constexpr unsigned kHostAllocDeviceMap = 2;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kContextSchedule = 0x07;  // which of the ways to wait for a device
inline constexpr unsigned kContextMapHost = 0x08;
inline constexpr unsigned kContextSyncMemops = 0x80;

// Of a capture of a graph, and of a thread: which captures forbid the thread what.
inline constexpr int kCaptureGlobal = 0;
inline constexpr int kCaptureThreadLocal = 1;
inline constexpr int kCaptureRelaxed = 2;

// The default stream with its old semantics: it waits for all blocking streams of its context.
inline Stream legacy_stream() { return reinterpret_cast<Stream>(std::uintptr_t{1}); }

}  // namespace cerar::gpu::api

// X(name, parameters): the functions that must be there. Names are those of the library's symbols.
#define CERAR_DRIVER_FUNCTIONS(X)                                                                 \
  X(cuDriverGetVersion, (int* version))                                                           \
  X(cuGetErrorName, (Result error, const char** name))                                            \
  X(cuDeviceGet, (Device * device, int ordinal))                                                  \
  X(cuDevicePrimaryCtxGetState, (Device device, unsigned* flags, int* active))                    \
  X(cuDevicePrimaryCtxRetain, (Context * context, Device device))                                 \
  X(cuDevicePrimaryCtxRelease_v2, (Device device))                                                \
  X(cuCtxGetCurrent, (Context * context))                                                         \
  X(cuCtxPushCurrent_v2, (Context context))                                                       \
  X(cuCtxPopCurrent_v2, (Context * context))                                                      \
  X(cuPointerGetAttributes, (unsigned count, int* attributes, void** values, Address pointer))    \
  X(cuPointerSetAttribute, (const void* value, int attribute, Address pointer))                   \
  X(cuMemAlloc_v2, (Address * pointer, std::size_t bytes))                                        \
  X(cuMemFree_v2, (Address pointer))                                                              \
  X(cuMemHostAlloc, (void** pointer, std::size_t bytes, unsigned flags))                          \
  X(cuMemFreeHost, (void* pointer))                                                               \
  X(cuMemHostGetDevicePointer_v2, (Address * pointer, void* host, unsigned flags))                \
  X(cuMemcpyAsync, (Address to, Address from, std::size_t bytes, Stream stream))                  \
  X(cuMemsetD8Async, (Address to, unsigned char value, std::size_t bytes, Stream stream))         \
  X(cuModuleLoadData, (Module * module, const void* image))                                       \
  X(cuModuleUnload, (Module module))                                                              \
  X(cuModuleGetFunction, (Function * function, Module module, const char* name))                  \
  X(cuLaunchKernel, (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,        \
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, \
                     Stream stream, void** arguments, void** extra))                              \
  X(cuStreamCreate, (Stream * stream, unsigned flags))                                            \
  X(cuStreamDestroy_v2, (Stream stream))                                                          \
  X(cuStreamSynchronize, (Stream stream))                                                         \
  X(cuStreamIsCapturing, (Stream stream, int* status))                                            \
  X(cuThreadExchangeStreamCaptureMode, (int* mode))                                               \
  X(cuEventCreate, (Event * event, unsigned flags))                                               \
  X(cuEventDestroy_v2, (Event event))                                                             \
  X(cuEventRecord, (Event event, Stream stream))                                                  \
  X(cuEventQuery, (Event event))

// Functions that there are reasons to do without: newer drivers have them, or little is lost.
#define CERAR_OPTIONAL_DRIVER_FUNCTIONS(X)                            \
  X(cuDeviceGetPCIBusId, (char* address, int bytes, Device device))   \
  X(cuCtxGetId, (Context context, unsigned long long* id)) /* 12.0 */ \
  X(cuCtxGetFlags, (unsigned* flags))                                 \
  X(cuCtxSetFlags, (unsigned flags)) /* 12.1 */
