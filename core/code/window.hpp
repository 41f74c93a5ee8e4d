// What a rank has of one class when all useful visits are in, before components that classes share
// are told apart.
#pragma once

#include "core/code/sequence.hpp"

namespace cerar::code {

// The visits at hops first, first + stride, …: of one class, but in the Vandermonde construction.
// The packet of visit m holds worker i − l's numbers (its components 0 … q−1 of the class, and its
// row of R times the shared ones) with the coefficients of hop first + m·stride − l, l = 0 … N−1.
struct Window {
  Matrix mean;    // visits × (q+1): of these coefficients over l
  Matrix newest;  // visits × (q+1): those of l = 0, the rank's own
  Matrix decode;  // visits × visits: inverse of the first `visits` columns of the mean

  int visits() const { return static_cast<int>(mean.rows()); }
};

// visits × (q+1): the coefficients of the worker `lag` ranks before.
Matrix lagged(const Sequence& sequence, int first, int visits, int lag);

// visits is q+1, or q for a class whose share in the shared components is not needed. first ≥ N−1.
Window make_window(const Sequence& sequence, int first, int visits);

}  // namespace cerar::code
