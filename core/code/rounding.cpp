#include "core/code/rounding.hpp"

#include <algorithm>

namespace cerar::code {
namespace {

// A packet's noise until its first useful visit at hop `first`. It grows for N hops, all terms
// being added at each, then changes by all but the first power, which stays the same.
Real noise_before(const PacketClass& packet, int ranks) {
  Real noise = packet.terms - 1;
  for (int hop = 1; hop < ranks; ++hop) noise += packet.terms * (hop + 1);
  return noise + static_cast<Real>(packet.first - ranks + 1) * (packet.terms - 1) * ranks;
}

}  // namespace

Real rounding_of_row(const std::vector<PacketClass>& classes, int ranks, const RowVector& weights) {
  const int count = static_cast<int>(classes.size()), visits = static_cast<int>(weights.size());
  Real noise = 0;
  for (int j = 0; j < count; ++j) {
    const PacketClass& packet = classes[j];
    Real rest = 0, between = 0;
    for (int m = j; m < visits; m += count) rest += weights[m];
    noise += rest * rest * packet.size * noise_before(packet, ranks);
    for (int m = j; m + count < visits; m += count) {
      rest -= weights[m];
      between += rest * rest;
    }
    const Real changes =
        static_cast<Real>(packet.terms - 1) * ranks;  // terms added in a revolution
    noise += between * packet.size * changes * ranks;
  }
  // The decoding sum. Visits of a class are nearly equal; classes are independent.
  Vector partial = Vector::Zero(count);
  Real square = 0;
  for (int m = 0; m < visits; ++m) {
    if (weights[m] == 0 || visits == 1) continue;
    Real& sum = partial[m % count];
    const Real size = classes[m % count].size * ranks;
    square += ((sum + weights[m]) * (sum + weights[m]) - sum * sum) * size;
    sum += weights[m];
    noise += std::max<Real>(square, 0);
  }
  return kRoundingMeanSquare * noise;
}

}  // namespace cerar::code
