// Worst-case rounding of a sum that grows term by term in floating point.
#pragma once

#include <cmath>

#include "core/code/matrix.hpp"

namespace cerar::code {

// Numbers are linear in the data x: `exact` has their coefficients in exact arithmetic, and what is
// computed differs by at most noise·|x|. The last entry belongs to no datum: it counts underflows,
// each of half the smallest number of the type.
struct Computed {
  RowVector exact;
  RowVector noise;

  static Computed zero(Eigen::Index entries) {
    return {RowVector::Zero(entries), RowVector::Zero(entries)};
  }
};

// Every product and every sum rounds by a factor 1 + δ, |δ| ≤ roundoff; a product may underflow
// besides. A fused multiply-add rounds less. Products by ±1, and the sum of 0 and the first term,
// do not round.
class ComputedSum {
 public:
  ComputedSum(Eigen::Index entries, Real roundoff)
      : value_(Computed::zero(entries)), fresh_(RowVector::Zero(entries)), roundoff_(roundoff) {}

  // sum ← sum + alpha·term.
  void add(Real alpha, const Computed& term) {
    if (alpha == 0) return;
    const Real size = std::abs(alpha);
    value_.exact += alpha * term.exact;
    value_.noise += size * term.noise;
    if (size != 1) {
      RowVector product = roundoff_ * size * (term.exact.cwiseAbs() + term.noise);
      product[product.size() - 1] += 1;
      round(product);
    }
    if (!empty_) round(roundoff_ * (value_.exact.cwiseAbs() + value_.noise));
    empty_ = false;
  }

  const Computed& value() const { return value_; }
  // The part of value().noise that was made here, and not by the terms.
  const RowVector& fresh() const { return fresh_; }

  // Another sum of the same data may have been computed in place of this one.
  void allow_for(const ComputedSum& other) {
    value_.noise = value_.noise.cwiseMax(other.value_.noise);
    fresh_ = fresh_.cwiseMax(other.fresh_);
  }

 private:
  void round(const RowVector& error) {
    value_.noise += error;
    fresh_ += error;
  }

  Computed value_;
  RowVector fresh_;
  Real roundoff_;
  bool empty_ = true;
};

}  // namespace cerar::code
