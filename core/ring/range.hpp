// Whether a call's numbers stayed where the error that was predicted holds. The prediction takes
// rounding to be relative; that ends where numbers overflow, and where they lose digits for being
// small.
#pragma once

#include <cstddef>

#include "core/cerar.h"
#include "core/kernel/magnitude.hpp"

namespace cerar::ring {

// greatest: of the decoded elements, of which there are count. 0, nothing but zeros, is within:
// what is lost then is below a few times the type's smallest number in every element.
//
// Not finite: a packet, or a product in decoding, that overflows makes an infinity or a NaN of
// every element that it is part of: where a matrix has a zero too, which the kernels multiply by.
//
// Small: below the smallest normal number η a number is off by a constant, as much as one of
// magnitude η is by rounding. So the rounding part R of the relative error is at most R·η/s where
// the sum's root mean square s is below η, and s is at least greatest/√count. CERAR_RANGE_SMALL
// where greatest/√count is below 16·η, so where more than a sixteenth of R might be added; where
// this thread's processor takes numbers below η for zero, the constant is greater by the reciprocal
// of the roundoff, and so is the limit.
template <class T>
cerar_range_t range_of(kernel::Magnitude<T> greatest, std::size_t count);

extern template cerar_range_t range_of<float>(kernel::Magnitude<float>, std::size_t);
extern template cerar_range_t range_of<double>(kernel::Magnitude<double>, std::size_t);

}  // namespace cerar::ring
