#include "core/code/sequence.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

namespace cerar::code {
namespace {

[[noreturn]] void refuse(const std::string& what, double value, const std::string& expected) {
  std::ostringstream message;
  message << what << " is " << value << ", expected " << expected;
  throw std::invalid_argument(message.str());
}

void check(int ranks, int components) {
  if (ranks < 2) refuse("number of ranks", ranks, "at least 2");
  if (components < 1 || components > long{CERAR_MAX_COMPONENTS_PER_RANK} * ranks) {
    refuse("number of components", components, "from 1 to 8 times the number of ranks");
  }
}

// Columns 1, x, …, x^(width−1) of the nodes.
Sequence powers(int ranks, int components, int width, Real epsilon) {
  const int last_hop = components + ranks - 2;
  Matrix value(last_hop + 1, width);
  const Real half_step = epsilon / (2 * ranks);
  for (int h = 0; h <= last_hop; ++h) {
    const Real x = half_step * (2 * h - last_hop);
    value(h, 0) = 1;
    for (int r = 1; r < width; ++r) value(h, r) = value(h, r - 1) * x;
  }
  Matrix increment = value;
  increment.bottomRows(components - 1) -= value.topRows(components - 1);
  return {ranks, ranks, increment, value};
}

}  // namespace

Sequence round_sequence(const Sequence& ideal, cerar_type_t type) {
  Sequence sequence = ideal;
  for (Eigen::Index h = 0; h < ideal.value.rows(); ++h) {
    for (Eigen::Index r = 0; r < ideal.value.cols(); ++r) {
      const Real before = h < ideal.ranks ? 0 : sequence.value(h - ideal.ranks, r);
      sequence.increment(h, r) = round_to(type, ideal.increment(h, r));
      sequence.value(h, r) = before + sequence.increment(h, r);
    }
  }
  const Real least = smallest(type) / unit_roundoff(type);
  for (Eigen::Index r = 0; r < sequence.increment.cols(); ++r) {
    const Real greatest = sequence.increment.col(r).lpNorm<Eigen::Infinity>();
    if (!(greatest >= least)) {
      throw std::invalid_argument("epsilon is too small for this number of components: power " +
                                  std::to_string(r) +
                                  " of the nodes is below the normal numbers of the type");
    }
  }
  return sequence;
}

Sequence ideal_sequence(int ranks, int components, Real epsilon) {
  check(ranks, components);
  return powers(ranks, components, (components - 1) / ranks + 1, epsilon);
}

Sequence vandermonde_sequence(int ranks, int components, Real epsilon) {
  check(ranks, components);
  if (components > CERAR_MAX_VANDERMONDE) {
    refuse("number of components", components, "at most 16 in the Vandermonde construction");
  }
  Sequence sequence = powers(ranks, components, components, epsilon);
  sequence.stride = 1;
  return sequence;
}

}  // namespace cerar::code
