// Vectors of the width that the translation unit is compiled for, and loads and stores of any
// alignment.
//
// Internal linkage throughout, as in arithmetic.hpp.
#pragma once

#include <cstddef>

#include "core/kernel/arithmetic.hpp"

namespace cerar::kernel {
namespace {

#if defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes =
    16;  // SSE2, NEON; the compiler takes it apart where there is neither
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

}  // namespace
}  // namespace cerar::kernel
