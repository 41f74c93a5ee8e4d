// The kernels proper. C names, by which the library finds them in the module.
#include "gpu/kernel_body.hpp"
#include "gpu/kernel_list.hpp"

namespace cerar::gpu {
namespace {

#define CERAR_COMBINE(NAME, T, V, TERMS)                   \
  extern "C" __global__ void __launch_bounds__(kThreads)   \
      NAME(const __grid_constant__ CombineArgs<T> args) {  \
    combine_body<V, TERMS>(args, blockIdx.x, threadIdx.x); \
  }

#define CERAR_DECODE(NAME, T, V, LANES, OWN)                   \
  extern "C" __global__ void __launch_bounds__(kThreads)       \
      NAME(const __grid_constant__ DecodeArgs<T> args) {       \
    decode_body<V, LANES, OWN>(args, blockIdx.x, threadIdx.x); \
  }

#define CERAR_DECODE_ANY(NAME, T)                              \
  extern "C" __global__ void __launch_bounds__(kThreadsAny)    \
      NAME(const __grid_constant__ DecodeAnyArgs<T> args) {    \
    decode_any_body(args, blockIdx.x, gridDim.x, threadIdx.x); \
  }

#define CERAR_MAGNITUDE(NAME, T, V)                              \
  extern "C" __global__ void __launch_bounds__(kThreads)         \
      NAME(const __grid_constant__ MagnitudeArgs<T> args) {      \
    magnitude_body<V>(args, blockIdx.x, gridDim.x, threadIdx.x); \
  }

}  // namespace

CERAR_COMBINE_KERNELS(CERAR_COMBINE)
CERAR_DECODE_KERNELS(CERAR_DECODE)
CERAR_DECODE_ANY_KERNELS(CERAR_DECODE_ANY)
CERAR_MAGNITUDE_KERNELS(CERAR_MAGNITUDE)

}  // namespace cerar::gpu
