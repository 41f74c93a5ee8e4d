// The library's kernels, compiled for the host.
// GCC takes arrays that unrolled loops fill, and others read, for uninitialised; nvcc and clang do
// not.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"

#include <cstring>

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

// body(args, block, blocks, thread).
template <class Args, class Body>
Kernel make_kernel(const char* name, unsigned threads, Body body) {
  Kernel kernel;
  kernel.name = name;
  kernel.threads = threads;
  kernel.argument_bytes = sizeof(Args);
  kernel.resolve = [](void* arguments, Context* context) {
    return resolve_all(*static_cast<Args*>(arguments), context);
  };
  kernel.run = [threads, body](const void* arguments, unsigned blocks) {
    const Args& args = *static_cast<const Args*>(arguments);
    for (unsigned block = 0; block < blocks; ++block) {
      for (unsigned thread = 0; thread < threads; ++thread) body(args, block, blocks, thread);
    }
  };
  return kernel;
}

std::map<std::string, Kernel> make_all() {
  std::map<std::string, Kernel> kernels;
#define CERAR_COMBINE(NAME, T, V, TERMS)                                                           \
  kernels[#NAME] = make_kernel<CombineArgs<T>>(                                                    \
      #NAME, kThreads, [](const CombineArgs<T>& args, unsigned block, unsigned, unsigned thread) { \
        combine_body<V, TERMS>(args, block, thread);                                               \
      });
#define CERAR_DECODE(NAME, T, V, LANES, OWN)                                                      \
  kernels[#NAME] = make_kernel<DecodeArgs<T>>(                                                    \
      #NAME, kThreads, [](const DecodeArgs<T>& args, unsigned block, unsigned, unsigned thread) { \
        decode_body<V, LANES, OWN>(args, block, thread);                                          \
      });
#define CERAR_DECODE_ANY(NAME, T)                                                          \
  kernels[#NAME] = make_kernel<DecodeAnyArgs<T>>(                                          \
      #NAME, kThreadsAny,                                                                  \
      [](const DecodeAnyArgs<T>& args, unsigned block, unsigned blocks, unsigned thread) { \
        decode_any_body(args, block, blocks, thread);                                      \
      });
  CERAR_COMBINE_KERNELS(CERAR_COMBINE)
  CERAR_DECODE_KERNELS(CERAR_DECODE)
  CERAR_DECODE_ANY_KERNELS(CERAR_DECODE_ANY)
  return kernels;
}

}  // namespace
}  // namespace cerar::gpu

namespace cerar::standin {

std::map<std::string, Kernel> make_kernels() { return gpu::make_all(); }

}  // namespace cerar::standin
