#include "core/ring/range.hpp"

#include <bit>
#include <cmath>
#include <limits>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace cerar::ring {
namespace {

constexpr double kMargin = 16;

// What is not known is taken for the worse.
bool flushes_to_zero() {
#if defined(__SSE__)
  constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  return (_mm_getcsr() & (kFlushToZero | kDenormalsAreZero)) != 0;
#else
  return true;
#endif
}

}  // namespace

template <class T>
cerar_range_t range_of(kernel::Magnitude<T> greatest, std::size_t count) {
  using Limits = std::numeric_limits<T>;
  if (greatest == 0) return CERAR_RANGE_GOOD;
  const T value = std::bit_cast<T>(greatest);
  if (!std::isfinite(value)) return CERAR_RANGE_NOT_FINITE;
  double limit = kMargin * Limits::min();
  if (flushes_to_zero()) limit /= Limits::epsilon() / 2;
  // A double's square root of count does not make the product underflow.
  return value < limit * std::sqrt(static_cast<double>(count)) ? CERAR_RANGE_SMALL
                                                               : CERAR_RANGE_GOOD;
}

template cerar_range_t range_of<float>(kernel::Magnitude<float>, std::size_t);
template cerar_range_t range_of<double>(kernel::Magnitude<double>, std::size_t);

}  // namespace cerar::ring
