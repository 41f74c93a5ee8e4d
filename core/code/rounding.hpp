// Rounding noise in a decoded component.
#pragma once

#include <vector>

#include "core/code/matrix.hpp"

namespace cerar::code {

// Mean square of a rounding error, in units of u², for numbers of mean square 1. The error is
// uniform over half a unit in the last place to either side, u·2^e: a third of its square; and 2^e
// is below the number by a factor that is 1 to 2: the mean of its inverse square is 3/(8 ln 2) for
// significands distributed logarithmically.
inline constexpr Real kRoundingMeanSquare = 0.5410106403333613L / 3;

// The packets of one class as seen by a rank that decodes: its visits at hops first, first + N, ….
struct PacketClass {
  int first;
  int terms;  // lanes that one contribution has
  Real size;  // mean square of a packet that holds one contribution, for data of variance 1
};

// Mean square, in units of u², of the noise in Σ_m weights[m]·y_m, for packets that travel and are
// decoded in one precision: each term that a rank adds to a packet rounds once at the packet's
// size, and so does each term of the decoding sum. Visit m is of class m mod classes.size(). A
// packet keeps the noise that it has caught, so the noise of a hop is weighted with the sum of the
// weights of the visits from there on.
Real rounding_of_row(const std::vector<PacketClass>& classes, int ranks, const RowVector& weights);

}  // namespace cerar::code
