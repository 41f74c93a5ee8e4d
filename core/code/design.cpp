#include "core/code/design.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cerar::code {

std::vector<Real> best_scales(const ErrorTerms& terms, Real roundoff) {
  const int width = static_cast<int>(terms.rounding.size());
  std::vector<Real> scales(width, 1);
  // One scale at a time: the sum is P·b² + Q/b² in it, least at b⁴ = Q/P.
  for (Real change = 1; change > 1e-12L;) {
    change = 0;
    for (int k = 1; k < width; ++k) {
      Real grows = 0, falls = roundoff * roundoff * terms.rounding[k];
      for (int r = 0; r < k; ++r) grows += terms.approximation(r, k) / (scales[r] * scales[r]);
      for (int s = k + 1; s < width; ++s) {
        falls += terms.approximation(k, s) * scales[s] * scales[s];
      }
      const Real scale = std::sqrt(std::sqrt(falls / grows));
      change = std::max(change, std::abs(scale / scales[k] - 1));
      scales[k] = scale;
    }
  }
  return scales;
}

PredictedError scaled_error(const ErrorTerms& terms, const std::vector<Real>& scales,
                            Real roundoff) {
  Real approximation = 0, rounding = 0;
  for (std::size_t r = 0; r < scales.size(); ++r) {
    // Below the diagonal there is nothing: a shift of the nodes makes lower powers from higher
    // ones, never the reverse.
    for (std::size_t s = r + 1; s < scales.size(); ++s) {
      const Real ratio = scales[s] / scales[r];
      approximation += terms.approximation(r, s) * ratio * ratio;
    }
    rounding += terms.rounding[r] / (scales[r] * scales[r]);
  }
  return {static_cast<double>(std::sqrt(approximation)),
          static_cast<double>(roundoff * std::sqrt(rounding))};
}

Sequence scaled_sequence(int ranks, int components, Real roundoff) {
  Sequence sequence = ideal_sequence(ranks, components, 1);
  const ErrorTerms terms = error_terms(sequence, components, 0, OwnContribution::exact);
  const std::vector<Real> scales = best_scales(terms, roundoff);
  for (int r = 0; r <= sequence.order(); ++r) {
    sequence.value.col(r) *= scales[r];
    sequence.increment.col(r) *= scales[r];
  }
  return sequence;
}

Sequence ideal_sequence(const Spec& spec) {
  switch (spec.construction) {
    case Construction::vandermonde:
      return vandermonde_sequence(spec.ranks, spec.components, spec.epsilon);
    case Construction::scaled:
      return scaled_sequence(spec.ranks, spec.components,
                             spec.noise == 0 ? unit_roundoff(spec.type) : Real{spec.noise});
    case Construction::automatic:
      return ideal_sequence(spec.ranks, spec.components, spec.epsilon);
  }
  throw std::invalid_argument("construction is not one of those known");
}

}  // namespace cerar::code
