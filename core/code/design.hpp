// Better than even powers of one ε: each power of the nodes with a scale of its own.
#pragma once

#include "core/code/error.hpp"

namespace cerar::code {

// Scales b_0 = 1, b_1, …, b_q of the columns of a sequence that minimise the squared error
// Σ_{r<s} A_rs·(b_s/b_r)² + u²·Σ_r B_r/b_r², A and B being the terms of the sequence as it is. The
// sum is convex in log b, so the minimum is the only one. Where the scales are ε^r for one ε the
// ε-construction is the best there is.
std::vector<Real> best_scales(const ErrorTerms& terms, Real roundoff);

// The predicted error with the columns scaled.
PredictedError scaled_error(const ErrorTerms& terms, const std::vector<Real>& scales,
                            Real roundoff);

// The coefficients of the construction for (N, c) with the best scales for a roundoff, not rounded,
// own contributions exact. If N does not divide c, the scales are those that are best for rank 0.
// Throws std::invalid_argument for N or c out of its range.
Sequence scaled_sequence(int ranks, int components, Real roundoff);

// The coefficients of a spec, not rounded. Throws std::invalid_argument for N or c out of its
// range.
Sequence ideal_sequence(const Spec& spec);

}  // namespace cerar::code
