// Rounding noise in a decoded component.
#pragma once

#include <vector>

#include "core/code/matrix.hpp"

namespace cerar::code {

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
