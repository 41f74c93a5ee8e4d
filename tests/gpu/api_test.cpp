// gpu/api.hpp against CUDA's own header. All of it is checked when this file is compiled.
#include "gpu/api.hpp"

#include <cuda.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace cerar::gpu::api {
namespace {

static_assert(kSuccess == CUDA_SUCCESS);
static_assert(kInvalidValue == CUDA_ERROR_INVALID_VALUE);
static_assert(kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(kNotInitialized == CUDA_ERROR_NOT_INITIALIZED);
static_assert(kDeinitialized == CUDA_ERROR_DEINITIALIZED);
static_assert(kNoDevice == CUDA_ERROR_NO_DEVICE);
static_assert(kInvalidDevice == CUDA_ERROR_INVALID_DEVICE);
static_assert(kInvalidContext == CUDA_ERROR_INVALID_CONTEXT);
static_assert(kNoBinaryForGpu == CUDA_ERROR_NO_BINARY_FOR_GPU);
static_assert(kInvalidHandle == CUDA_ERROR_INVALID_HANDLE);
static_assert(kNotFound == CUDA_ERROR_NOT_FOUND);
static_assert(kNotReady == CUDA_ERROR_NOT_READY);
static_assert(kIllegalAddress == CUDA_ERROR_ILLEGAL_ADDRESS);
static_assert(kContextIsDestroyed == CUDA_ERROR_CONTEXT_IS_DESTROYED);
static_assert(kLaunchFailed == CUDA_ERROR_LAUNCH_FAILED);
static_assert(kNotSupported == CUDA_ERROR_NOT_SUPPORTED);
static_assert(kStreamCaptureUnsupported == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
static_assert(kStreamCaptureInvalidated == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
static_assert(kStreamCaptureImplicit == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
static_assert(kAttributeContext == CU_POINTER_ATTRIBUTE_CONTEXT);
static_assert(kAttributeMemoryType == CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
static_assert(kAttributeSyncMemops == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
static_assert(kAttributeBufferId == CU_POINTER_ATTRIBUTE_BUFFER_ID);
static_assert(kAttributeIsManaged == CU_POINTER_ATTRIBUTE_IS_MANAGED);
static_assert(kAttributeDeviceOrdinal == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
static_assert(kMemoryTypeHost == CU_MEMORYTYPE_HOST);
static_assert(kMemoryTypeDevice == CU_MEMORYTYPE_DEVICE);
static_assert(kHostAllocPortable == CU_MEMHOSTALLOC_PORTABLE);
static_assert(kHostAllocDeviceMap == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(kEventDisableTiming == CU_EVENT_DISABLE_TIMING);
static_assert(kContextSchedule == CU_CTX_SCHED_MASK);
static_assert(kContextMapHost == CU_CTX_MAP_HOST);
static_assert(kContextSyncMemops == CU_CTX_SYNC_MEMOPS);
static_assert(kCaptureGlobal == CU_STREAM_CAPTURE_MODE_GLOBAL);
static_assert(kCaptureThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(kCaptureRelaxed == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(std::is_same_v<Address, CUdeviceptr> && std::is_same_v<Device, CUdevice>);
static_assert(sizeof(Result) == sizeof(CUresult) && sizeof(int) == sizeof(CUpointer_attribute));

// As many parameters, each as large.
template <class R, class... A, class S, class... B>
constexpr bool same_shape(R (*)(A...), S (*)(B...)) {
  if constexpr (sizeof...(A) == sizeof...(B)) return ((sizeof(A) == sizeof(B)) && ...);
  return false;
}

#define CERAR_COMPARE(NAME, PARAMETERS)                                                     \
  static_assert(same_shape(static_cast<Result(*) PARAMETERS>(nullptr), decltype(&NAME){})); \
  static_assert(sizeof #NAME > 2);
CERAR_DRIVER_FUNCTIONS(CERAR_COMPARE)
CERAR_OPTIONAL_DRIVER_FUNCTIONS(CERAR_COMPARE)

TEST(Api, CallsTheLegacyStreamAsTheDriverDoes) {
  EXPECT_EQ(reinterpret_cast<CUstream>(legacy_stream()), CU_STREAM_LEGACY);
}

}  // namespace
}  // namespace cerar::gpu::api
