// The numbers that the coefficient vectors of a class are made of, hop by hop, as the ranks really
// have them: rounded.
#pragma once

#include "core/code/code.hpp"
#include "core/code/matrix.hpp"

namespace cerar::code {

// Row h = 0 … L belongs to hop h, the same for every class: column r < q is the coefficient of the
// class's own component r, column q multiplies row p of R over the shared components.
struct Sequence {
  int ranks = 0;
  Matrix increment;  // Δ: values of the type
  Matrix value;  // a: running sums of the increments over the hops h, h − N, h − 2N, …, which are
                 // the same rank's

  int order() const { return static_cast<int>(value.cols()) - 1; }
  int last_hop() const { return static_cast<int>(value.rows()) - 1; }
};

// The increments of the coefficients `ideal`, (L+1) × (q+1), rounded to `type`. Throws
// std::invalid_argument if a column's are too small for `type`: below its normal numbers, where
// rounding is no longer relative.
Sequence round_sequence(const Matrix& ideal, int ranks, cerar_type_t type);

// What make_rank_code uses for a spec: 1 at every hop if it is exact; otherwise (1, x_h, …, x_h^q)
// with the nodes x_h = ε·(h − L/2)/N, which are centred over the hops so that the powers, and with
// them the condition, stay small. Throws std::invalid_argument for a spec out of its range.
Sequence make_sequence(const Spec& spec);

}  // namespace cerar::code
