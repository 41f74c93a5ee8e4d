// How far a result of CERAR may be from the sum (docs/theory.md), as a test's limit.
#pragma once

#include <cmath>
#include <limits>

namespace cerar::mpi_test {

// N ranks, c components (not 0), ε (0: the best), a real type T.
struct Code {
  int ranks = 2;
  int components = 2;
  double epsilon = 0;

  int order() const { return (components + ranks - 1) / ranks - 1; }
  bool exact() const { return components <= ranks; }
  bool plain_sum() const { return components == ranks; }
};

// The relative error ‖Ĝ − G‖/‖G‖ of independent data that no correct code exceeds. The predicted
// total error is, in units of u^{1/(q+1)} at the best ε, 0.5 to 0.8 and up to 1.5 times as much in
// place; at another ε it is 0.13·ε·(q + 0.4) and rounding of 1.5·u·ε^−q. Twice that is the limit.
template <class T>
double relative_limit(const Code& code) {
  const double u = std::numeric_limits<T>::epsilon() / 2;
  const int q = code.order();
  if (code.exact()) return 30 * u * code.ranks;
  if (code.epsilon == 0) return 2 * std::pow(u, 1.0 / (q + 1));
  return 2 * 1.5 * (0.13 * code.epsilon * (q + 0.4) + 1.5 * u * std::pow(code.epsilon, -q));
}

// Of `count` elements only: what few elements show scatters.
inline double scatter(std::size_t count) { return 1 + 5 / std::sqrt(static_cast<double>(count)); }

// A plain sum of N numbers in any order: |error| ≤ (N − 1)·u·Σ|g|, and a little for u².
template <class T>
double sum_limit(int ranks, double absolute_sum) {
  const double u = std::numeric_limits<T>::epsilon() / 2;
  return 1.01 * (ranks - 1) * u * absolute_sum;
}

}  // namespace cerar::mpi_test
