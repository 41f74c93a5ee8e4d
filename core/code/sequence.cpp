#include "core/code/sequence.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

namespace cerar::code {
namespace {

constexpr long kMaxComponentsPerRank = 8;

[[noreturn]] void refuse(const std::string& what, double value, const std::string& expected) {
  std::ostringstream message;
  message << what << " is " << value << ", expected " << expected;
  throw std::invalid_argument(message.str());
}

void check(const Spec& spec) {
  if (spec.ranks < 2) refuse("number of ranks", spec.ranks, "at least 2");
  if (spec.components < 1 || spec.components > kMaxComponentsPerRank * spec.ranks) {
    refuse("number of components", spec.components, "from 1 to 8 times the number of ranks");
  }
  if (spec.type != CERAR_FLOAT && spec.type != CERAR_DOUBLE) {
    refuse("type", spec.type, "CERAR_FLOAT or CERAR_DOUBLE");
  }
  if (spec.components > spec.ranks && !(spec.epsilon > 0 && spec.epsilon < 1)) {
    refuse("epsilon", spec.epsilon, "a number between 0 and 1, both excluded");
  }
}

}  // namespace

Sequence round_sequence(const Matrix& ideal, int ranks, cerar_type_t type) {
  Sequence sequence{ranks, Matrix::Zero(ideal.rows(), ideal.cols()), ideal};
  for (Eigen::Index h = 0; h < ideal.rows(); ++h) {
    const bool first = h < ranks;
    for (Eigen::Index r = 0; r < ideal.cols(); ++r) {
      const Real before = first ? 0 : ideal(h - ranks, r);
      sequence.increment(h, r) = round_to(type, ideal(h, r) - before);
      sequence.value(h, r) = sequence.increment(h, r) + (first ? 0 : sequence.value(h - ranks, r));
    }
  }
  const Real least = smallest(type) / unit_roundoff(type);
  for (Eigen::Index r = 0; r < ideal.cols(); ++r) {
    const Real greatest = sequence.increment.col(r).lpNorm<Eigen::Infinity>();
    if (!(greatest >= least)) {
      throw std::invalid_argument("epsilon is too small for this number of components: power " +
                                  std::to_string(r) +
                                  " of the nodes is below the normal numbers of the type");
    }
  }
  return sequence;
}

Sequence make_sequence(const Spec& spec) {
  check(spec);
  const int order = (spec.components - 1) / spec.ranks;
  const int last_hop = spec.components + spec.ranks - 2;
  Matrix ideal(last_hop + 1, order + 1);
  const Real half_step = static_cast<Real>(spec.epsilon) / (2 * spec.ranks);
  for (int h = 0; h <= last_hop; ++h) {
    const Real x = half_step * (2 * h - last_hop);
    ideal(h, 0) = 1;
    for (int r = 1; r <= order; ++r) ideal(h, r) = ideal(h, r - 1) * x;
  }
  return round_sequence(ideal, spec.ranks, spec.type);
}

}  // namespace cerar::code
