// How wrong the result of a code is expected to be.
//
// Throughout, error means ‖Ĝ−G‖/‖G‖ for data whose elements are independent of each other and
// between ranks and have one variance, the worst over the ranks. docs/theory.md derives the
// formulas.
#pragma once

#include <vector>

#include "core/code/sequence.hpp"

namespace cerar::code {

struct PredictedError {
  double approximation = 0;  // in exact arithmetic
  double rounding = 0;       // of packets on their way and of decoding

  double total() const;  // root of the sum of squares: the two parts are independent
};

// How a rank decodes its own contribution. exact: with DecodeMatrices::own. coded: W·Y alone, as a
// rank has to that has not kept its data.
enum class OwnContribution { exact, coded };

// Squared error at one rank, split by the powers of the nodes that it comes from and goes to. If
// column r of the sequence is scaled by b_r, entry (r, s) of `approximation` scales by (b_s/b_r)²,
// and entry r of `rounding` by 1/b_r²: for nodes ε times as far apart b_r is ε^r.
struct ErrorTerms {
  Matrix approximation;  // (q+1) × (q+1): error in components of power r by data in components of
                         // power s
  Vector rounding;       // q+1: error in components of power r, in units of u²
};

// The sequence has the coefficients that are meant, rounded or not. Shared components count as
// power q. Exact for the ε-construction; the rounding part takes packets to be of the size of their
// first power, so it wants small coefficients for the others, or to be scaled from there. Long sums
// over lags and classes are sampled (they are smooth): within 1%.
ErrorTerms error_terms(const Sequence& sequence, int components, int rank, OwnContribution own);

// The error of a code. Throws std::invalid_argument for N or c out of its range. If N does not
// divide c, evenly spaced ranks are looked at, at most 8.
PredictedError predict(const Spec& spec, OwnContribution own);

}  // namespace cerar::code
