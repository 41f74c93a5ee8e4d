// Vectors of the width that the translation unit is compiled for, loads and stores of any
// alignment, and prefetching.
//
// Internal linkage throughout, as in arithmetic.hpp.
#pragma once

#include <cstddef>

#include "core/kernel/arithmetic.hpp"

namespace cerar::kernel {
namespace {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes =
    16;  // SSE2, NEON; the compiler takes it apart where there is neither
#endif

#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int kVectorRegisters = 32;
#else
inline constexpr int kVectorRegisters = 16;
#endif

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float type __attribute__((vector_size(kVectorBytes)));
};
template <>
struct VectorOf<double> {
  typedef double type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;

// Elements of T in a V, V being T or Vector<T>.
template <class T, class V>
inline constexpr std::size_t kElements = sizeof(V) / sizeof(T);

template <class V, class T>
CERAR_KERNEL_FUNCTION V load(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}

template <class V, class T>
CERAR_KERNEL_FUNCTION void store(T* to, V v) {
  __builtin_memcpy(to, &v, sizeof(V));
}

// Keeps what was loaded before it in registers. Without, GCC puts a load that a few instructions
// use into each of these, and where the address is not that of a whole cache line, as is usual,
// every one then reads two lines.
CERAR_KERNEL_FUNCTION void end_loads() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// A loop that goes through a tile's lanes side by side meets them in runs of about 512 bytes, which
// is too short for the processor to see what comes next. So the loops ask for it, this far ahead,
// and in the order of addresses where they can: asked for in the order of use, or much nearer or
// farther, the lines come more slowly (measured on an AMD EPYC of family 26). To ask for what lies
// beyond the end of a buffer is harmless.
template <class T>
inline constexpr std::size_t kAhead = 8192 / sizeof(T);

// Elements of a cache line.
template <class T>
inline constexpr std::size_t kLine = 64 / sizeof(T);

// Asks for `Lines` consecutive cache lines.
template <int Lines, class T>
CERAR_KERNEL_FUNCTION void prefetch(const T* from) {
  CERAR_KERNEL_UNROLL
  for (int line = 0; line < Lines; ++line) __builtin_prefetch(from + line * kLine<T>);
}

}  // namespace
}  // namespace cerar::kernel
