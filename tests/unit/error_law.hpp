// The predicted error of the ε-construction as a function of ε, computed for the ring as it is:
// what plan::CodeLaw, which tells large rings from small ones, is held against.
#pragma once

#include <cmath>
#include <vector>

#include "core/code/design.hpp"
#include "core/code/error.hpp"
#include "core/code/sampling.hpp"

namespace cerar::code {

class ErrorLaw {
 public:
  ErrorLaw(int ranks, int components, OwnContribution own) {
    const Sequence sequence = ideal_sequence(ranks, components, 1);
    for (const Sample rank : samples(0, ranks, components % ranks == 0 ? 1 : 8)) {
      terms_.push_back(error_terms(sequence, components, rank.index, own));
    }
  }

  PredictedError at(double epsilon, cerar_type_t type) const {
    std::vector<Real> scales{1};
    while (static_cast<Eigen::Index>(scales.size()) < terms_[0].rounding.size()) {
      scales.push_back(scales.back() * epsilon);
    }
    PredictedError worst;
    for (const ErrorTerms& terms : terms_) {
      const PredictedError error = scaled_error(terms, scales, unit_roundoff(type));
      if (error.total() >= worst.total()) worst = error;
    }
    return worst;
  }

  // Where total() is least, in (0, 1); 0 if the code is exact.
  double best_epsilon(cerar_type_t type) const {
    if (terms_[0].rounding.size() == 1) return 0;
    // Golden section over log ε: a sum of powers with positive coefficients has one minimum.
    constexpr double kGolden = 0.6180339887498949;
    double low = std::log(static_cast<double>(unit_roundoff(type))), high = std::log(0.999);
    while (high - low > 1e-6) {
      const double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
      if (at(std::exp(left), type).total() < at(std::exp(right), type).total()) {
        high = right;
      } else {
        low = left;
      }
    }
    return std::exp((low + high) / 2);
  }

 private:
  std::vector<ErrorTerms> terms_;  // by rank looked at
};

}  // namespace cerar::code
