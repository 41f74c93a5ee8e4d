// Magnitudes as bits: a number's pattern without its sign, as an integer. Ordered as the magnitudes
// are, infinity above all finite numbers and NaN above infinity.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/kernel/arithmetic.hpp"

namespace cerar::kernel {

template <class T>
using Magnitude = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
inline constexpr Magnitude<T> kMagnitudeMask = ~Magnitude<T>{0} >> 1;

// The greater of so_far and value's magnitude.
template <class T>
CERAR_KERNEL_FUNCTION Magnitude<T> greater(Magnitude<T> so_far, T value) {
  Magnitude<T> bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  bits &= kMagnitudeMask<T>;
  return bits > so_far ? bits : so_far;
}

}  // namespace cerar::kernel
