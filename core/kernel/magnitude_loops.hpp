// The loop of greatest_magnitude, for the instruction set that the including translation unit is
// compiled for. Internal linkage throughout, as in arithmetic.hpp.
#pragma once

#include <cstddef>

#include "core/kernel/magnitude.hpp"
#include "core/kernel/vector.hpp"

namespace cerar::kernel {
namespace {

// Signed: without the sign bit it makes no difference, and every instruction set compares so.
template <class T>
struct BitsOf;
template <>
struct BitsOf<float> {
  typedef std::int32_t type __attribute__((vector_size(kVectorBytes)));
};
template <>
struct BitsOf<double> {
  typedef std::int64_t type __attribute__((vector_size(kVectorBytes)));
};

template <class T>
Magnitude<T> magnitude_all(const T* values, std::size_t elements) {
  using V = typename BitsOf<T>::type;
  constexpr int kCount = 4;  // vectors at a time
  constexpr std::size_t kStep = sizeof(V) / sizeof(T);
  V greatest[kCount] = {};
  std::size_t i = 0;
  for (; i + kCount * kStep <= elements; i += kCount * kStep) {
    CERAR_KERNEL_UNROLL
    for (int j = 0; j < kCount; ++j) {
      V bits = load<V>(values + i + j * kStep);
      bits &= static_cast<decltype(bits[0] + 0)>(kMagnitudeMask<T>);
      greatest[j] = bits > greatest[j] ? bits : greatest[j];
    }
  }
  Magnitude<T> result = 0;
  for (const V& vector : greatest) {
    for (std::size_t k = 0; k < kStep; ++k) {
      const auto bits = static_cast<Magnitude<T>>(vector[k]);
      if (bits > result) result = bits;
    }
  }
  for (; i < elements; ++i) result = greater(result, values[i]);
  return result;
}

}  // namespace
}  // namespace cerar::kernel
