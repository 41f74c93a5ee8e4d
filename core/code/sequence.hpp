// The numbers that the coefficient vectors of a class are made of, hop by hop, as the ranks really
// have them: rounded.
#pragma once

#include "core/code/code.hpp"
#include "core/code/matrix.hpp"

namespace cerar::code {

// Row h = 0 … L belongs to hop h, the same for every class: column r < q is the coefficient of the
// class's own component r, column q multiplies row p of R over the shared components. In the
// Vandermonde construction column r is the coefficient of component r, and every visit has the same
// unknowns.
struct Sequence {
  int ranks = 0;
  int stride = 0;    // hops from one useful visit that has the same unknowns to the next: N
  Matrix increment;  // Δ: values of the type
  Matrix value;  // a: running sums of the increments over the hops h, h − N, h − 2N, …, which are
                 // the same rank's

  int order() const { return static_cast<int>(value.cols()) - 1; }
  int last_hop() const { return static_cast<int>(value.rows()) - 1; }
};

// The same with increments rounded to `type`. Throws std::invalid_argument if those of a column are
// too small for it: below its normal numbers, where rounding is no longer relative.
Sequence round_sequence(const Sequence& ideal, cerar_type_t type);

// The coefficients of the construction for (N, c), not rounded: 1 at every hop if it is exact;
// otherwise (1, x_h, …, x_h^q) with the nodes x_h = ε·(h − L/2)/N, which are centred over the hops
// so that the powers, and with them the condition, stay small. epsilon > 0. Throws
// std::invalid_argument for N or c out of its range.
Sequence ideal_sequence(int ranks, int components, Real epsilon);

// The same for the Vandermonde construction: (1, x_h, …, x_h^(c−1)).
Sequence vandermonde_sequence(int ranks, int components, Real epsilon);

}  // namespace cerar::code
