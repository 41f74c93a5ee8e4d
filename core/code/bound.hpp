// What the error of a result is at most, whatever the data are.
#pragma once

#include <cstddef>
#include <vector>

#include "core/code/error.hpp"

namespace cerar::code {

// For one rank i: ‖Ĝ−G‖₂ ≤ Σ_l (A_l + u·R_l)·‖g_{i−l}‖₂ + T·√d, l = 0 … N−1, g_{i−l} being the
// vector of d elements of the rank l before, d counted in real numbers. It holds for every part of
// the vectors too that consists of whole columns of tiles, and it holds with approximation and
// rounding together. docs/theory.md derives it.
//
// What it takes for granted: IEEE arithmetic that rounds to nearest, with or without fused
// multiply-add, underflow that is gradual (no flush to zero), and no overflow: neither of data
// times entries of the decode matrices nor of their sums.
//
// Constants are those of the class that is worst for each l, and of the way of working, in place or
// not, that is worse, of the other ranks: so they need not be told.
class ErrorBound {
 public:
  // own: exact if the rank does not work in place, or if N does not divide c or c ≤ N; otherwise
  // coded. Throws std::invalid_argument for a spec or rank out of its range, as make_rank_code
  // does. Takes a time of the order of N²; where N does not divide c, of N²c².
  ErrorBound(const Spec& spec, int rank, OwnContribution own);

  // A_l, the norm of what decoding makes of the contribution of the rank l before less what it
  // should make, with coefficients and matrices as they are in the type: D_l of docs/theory.md.
  const std::vector<double>& approximation() const { return approximation_; }
  // R_l. To be multiplied by u, which is 2^−24 for float and 2^−53 for double.
  const std::vector<double>& rounding() const { return rounding_; }
  // T: absolute, in units of the data.
  double underflow() const { return underflow_; }

  // The bound. norms[j] = ‖g_j‖₂ for rank j = 0 … N−1, of the whole vectors; elements = d.
  double at(const std::vector<double>& norms, std::size_t elements) const;

 private:
  int rank_;
  double roundoff_ = 0;
  std::vector<double> approximation_;
  std::vector<double> rounding_;
  double underflow_ = 0;
};

}  // namespace cerar::code
