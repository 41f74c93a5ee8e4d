// The library's kernels, compiled for the host.
// GCC takes arrays that unrolled loops fill, and others read, for uninitialised; nvcc and clang do
// not.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"

#include <algorithm>
#include <iterator>
#include <string>

#include "gpu/kernel_body.hpp"
#include "gpu/kernel_list.hpp"
#include "tests/gpu/standin/state.hpp"

namespace cerar::gpu {
namespace {

using standin::Allocation;
using standin::Context;
using standin::Kernel;
using standin::MemoryKind;

// Makes a pointer the stand-in's own. False: the device can't reach it.
template <class T>
bool resolve(T*& pointer, const Context* context) {
  if (pointer == nullptr) return true;
  const Allocation* found = standin::State::get().memory.find(pointer);
  if (found == nullptr) return false;
  if (found->kind == MemoryKind::device && found->context->ordinal != context->ordinal) {
    return false;
  }
  const auto* const at = reinterpret_cast<const std::byte*>(pointer);
  pointer = reinterpret_cast<T*>(found->alias + (at - found->user));
  return true;
}

template <class T>
bool resolve_all(CombineArgs<T>& args, const Context* context) {
  bool good =
      resolve(args.out, context) && resolve(args.in, context) && resolve(args.store, context);
  for (auto& x : args.x) good = good && resolve(x, context);
  return good;
}

template <class T>
bool resolve_all(DecodeArgs<T>& args, const Context* context) {
  return resolve(args.out, context) && resolve(args.y, context) && resolve(args.g, context);
}

template <class T>
bool resolve_all(DecodeAnyArgs<T>& args, const Context* context) {
  return resolve(args.out, context) && resolve(args.y, context) && resolve(args.g, context) &&
         resolve(args.w, context) && resolve(args.own, context) && resolve(args.scratch, context);
}

template <class T>
bool resolve_all(MagnitudeArgs<T>& args, const Context* context) {
  return resolve(args.values, context) && resolve(args.slots, context);
}

// All threads of a launch, one after the other: body(block, thread).
template <class Body>
void run_threads(unsigned blocks, unsigned threads, Body body) {
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned thread = 0; thread < threads; ++thread) body(block, thread);
  }
}

template <class T, class V, int Terms>
void run_combine(const void* arguments, unsigned blocks) {
  const auto& args = *static_cast<const CombineArgs<T>*>(arguments);
  run_threads(blocks, kThreads, [&args](unsigned block, unsigned thread) {
    combine_body<V, Terms>(args, block, thread);
  });
}

template <class T, class V, int Lanes, bool HasOwn>
void run_decode(const void* arguments, unsigned blocks) {
  const auto& args = *static_cast<const DecodeArgs<T>*>(arguments);
  run_threads(blocks, kThreads, [&args](unsigned block, unsigned thread) {
    decode_body<V, Lanes, HasOwn>(args, block, thread);
  });
}

template <class T>
void run_decode_any(const void* arguments, unsigned blocks) {
  const auto& args = *static_cast<const DecodeAnyArgs<T>*>(arguments);
  run_threads(blocks, kThreadsAny, [&args, blocks](unsigned block, unsigned thread) {
    decode_any_body(args, block, blocks, thread);
  });
}

template <class T, class V>
void run_magnitude(const void* arguments, unsigned blocks) {
  const auto& args = *static_cast<const MagnitudeArgs<T>*>(arguments);
  run_threads(blocks, kThreads, [&args, blocks](unsigned block, unsigned thread) {
    magnitude_body<V>(args, block, blocks, thread);
  });
}

template <class Args>
bool resolve_arguments(void* arguments, const Context* context) {
  return resolve_all(*static_cast<Args*>(arguments), context);
}

template <class Args>
constexpr Kernel describe(const char* name, unsigned threads, void (*run)(const void*, unsigned)) {
  return {name, threads, sizeof(Args), resolve_arguments<Args>, run};
}

// A table, not code: code that makes each of a hundred kernels takes the compiler minutes.
#define CERAR_COMBINE(NAME, T, V, TERMS) \
  describe<CombineArgs<T>>(#NAME, kThreads, run_combine<T, V, TERMS>),
#define CERAR_DECODE(NAME, T, V, LANES, OWN) \
  describe<DecodeArgs<T>>(#NAME, kThreads, run_decode<T, V, LANES, OWN>),
#define CERAR_DECODE_ANY(NAME, T) describe<DecodeAnyArgs<T>>(#NAME, kThreadsAny, run_decode_any<T>),
#define CERAR_MAGNITUDE(NAME, T, V) \
  describe<MagnitudeArgs<T>>(#NAME, kThreads, run_magnitude<T, V>),
constexpr Kernel kKernels[] = {
    // clang-format off
    CERAR_COMBINE_KERNELS(CERAR_COMBINE)
    CERAR_DECODE_KERNELS(CERAR_DECODE)
    CERAR_DECODE_ANY_KERNELS(CERAR_DECODE_ANY)
    CERAR_MAGNITUDE_KERNELS(CERAR_MAGNITUDE)
    // clang-format on
};

}  // namespace
}  // namespace cerar::gpu

namespace cerar::standin {

const Kernel* find_kernel(const std::string& name) {
  const auto* const found =
      std::find_if(std::begin(gpu::kKernels), std::end(gpu::kKernels),
                   [&name](const Kernel& kernel) { return name == kernel.name; });
  return found == std::end(gpu::kKernels) ? nullptr : found;
}

}  // namespace cerar::standin
