#include "core/code/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/code/bound_sum.hpp"

namespace cerar::code {
namespace {

// What the computation of the constants rounds itself is far below these.
constexpr Real kMoreRoundoff = 1 + 1.0L / 128;
constexpr Real kMoreNorm = 1 + 1e-6L;

// Of all ranks; of one, where classes do not mix: there they are all the same.
std::vector<RankCode> tables(const Spec& spec, int rank) {
  std::vector<RankCode> codes{make_rank_code(spec, rank)};
  if (codes[0].groups > 1) return codes;
  codes.clear();
  for (int r = 0; r < spec.ranks; ++r) codes.push_back(make_rank_code(spec, r));
  return codes;
}

// The packet of one class after each hop. Entry ρ·lanes + k belongs to lane k of the rank that the
// packet meets at the hops ρ, ρ + N, ….
using Packet = std::vector<Computed>;

// The lanes of a rank's contribution start at entry `first`.
ComputedSum add_terms(ComputedSum sum, const std::vector<Term>& terms, Eigen::Index first) {
  Computed lane = Computed::zero(sum.value().exact.size());
  for (const Term& term : terms) {
    lane.exact[first + term.lane] = 1;
    sum.add(term.alpha, lane);
    lane.exact[first + term.lane] = 0;
  }
  return sum;
}

Packet follow(const std::vector<RankCode>& codes, int cls, Real roundoff) {
  const RankCode& any = codes[0];
  const Eigen::Index entries = static_cast<Eigen::Index>(any.ranks) * any.lanes + 1;
  const ComputedSum nothing(entries, roundoff);
  ComputedSum sum = nothing;
  Packet packet;
  for (int hop = 0; hop <= any.rounds; ++hop) {
    const auto& terms = codes[static_cast<std::size_t>(cls + hop) % codes.size()].visits[hop];
    const Eigen::Index first = static_cast<Eigen::Index>(hop % any.ranks) * any.lanes;
    ComputedSum kept = add_terms(sum, terms, first);
    if (any.groups > 1 && any.lanes > 1 && hop >= any.ranks - 1) {
      // In place: the increment is made first, then added.
      sum.add(1, add_terms(nothing, terms, first).value());
      kept.allow_for(sum);
    }
    sum = kept;
    packet.push_back(sum.value());
  }
  return packet;
}

// A useful visit as its rank sees it: entry l·lanes + k belongs to lane k of the rank l before.
struct Visit {
  int cls;
  Computed packet;
  RowVector noise;  // caught since the visit of the same class before
};

RowVector by_lag(const RowVector& by_hop, int ranks, int lanes, int hop) {
  RowVector turned = by_hop;
  for (int lag = 0; lag < ranks; ++lag) {
    turned.segment(static_cast<Eigen::Index>(lag) * lanes, lanes) =
        by_hop.segment(static_cast<Eigen::Index>((hop - lag) % ranks) * lanes, lanes);
  }
  return turned;
}

// One decode matrix and the useful visits that it is for.
struct Group {
  const RankCode* code;
  const DecodeMatrices* matrices;
  std::vector<Visit> visits;
};

void add_visit(const Packet& packet, int cls, int hop, Group& group) {
  const int ranks = group.code->ranks, lanes = group.code->lanes;
  const Computed now{by_lag(packet[hop].exact, ranks, lanes, hop),
                     by_lag(packet[hop].noise, ranks, lanes, hop)};
  RowVector noise = now.noise;
  for (const Visit& before : group.visits) {
    if (before.cls == cls) noise = now.noise - before.packet.noise;
  }
  group.visits.push_back({cls, now, noise});
}

std::vector<Group> groups_of(const std::vector<RankCode>& codes, int rank, Real roundoff) {
  const RankCode& code = codes.size() == 1 ? codes[0] : codes[rank];
  std::vector<Packet> packets;
  for (std::size_t cls = 0; cls < codes.size(); ++cls) {
    packets.push_back(follow(codes, static_cast<int>(cls), roundoff));
  }
  std::vector<Group> groups;
  for (std::size_t s = 0; s < code.decode.size(); ++s) {
    Group group{&code, &code.decode[s], {}};
    for (int m = 0; m < code.lanes; ++m) {
      if (code.groups == 1) {
        const int hop = code.ranks - 1 + m;
        const int cls = (rank + (hop / code.ranks + 1) * code.ranks - hop) % code.ranks;
        add_visit(packets[cls], cls, hop, group);
      } else {  // all classes are like class 0
        add_visit(packets[0], 0, code.ranks - 1 + static_cast<int>(s) + m * code.ranks, group);
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

// What becomes of the packets' noise in Σ_m w_m·y_m: what is caught before a visit is in all later
// ones of the class.
RowVector propagated(const Group& group, const RowVector& weights) {
  RowVector noise = RowVector::Zero(group.visits[0].noise.size());
  for (std::size_t m = 0; m < group.visits.size(); ++m) {
    Real rest = 0;
    for (std::size_t n = m; n < group.visits.size(); ++n) {
      if (group.visits[n].cls == group.visits[m].cls) rest += weights[n];
    }
    noise += std::abs(rest) * group.visits[m].noise;
  }
  return noise;
}

// One decoded lane.
Computed decode_row(const Group& group, int row, cerar_type_t type, OwnContribution own,
                    Real roundoff) {
  const int lanes = group.code->lanes;
  if (group.matrices->identity) return group.visits[row].packet;
  const Eigen::Index entries = group.visits[0].noise.size();
  ComputedSum sum(entries, roundoff);
  RowVector weights(lanes);
  for (int m = 0; m < lanes; ++m) {
    weights[m] = round_to(type, group.matrices->w[row * lanes + m]);
    sum.add(weights[m], group.visits[m].packet);
  }
  if (own == OwnContribution::exact) {
    Computed lane = Computed::zero(entries);
    for (int m = 0; m < lanes; ++m) {
      lane.exact[m] = 1;
      sum.add(round_to(type, group.matrices->own[row * lanes + m]), lane);
      lane.exact[m] = 0;
    }
  }
  return {sum.value().exact, sum.fresh() + propagated(group, weights)};
}

void raise(double& to, Real value) { to = std::max(to, static_cast<double>(value * kMoreNorm)); }

// Half the smallest number of the type, times `count`, rounded up to one that a double can hold.
double underflows(cerar_type_t type, Real count) {
  const Real least = smallest(type) * 2 * unit_roundoff(type);
  return static_cast<double>(std::ceil(count * kMoreNorm / 2) * least);
}

}  // namespace

ErrorBound::ErrorBound(const Spec& spec, int rank, OwnContribution own) : rank_(rank) {
  const std::vector<RankCode> codes = tables(spec, rank);
  approximation_.resize(spec.ranks);
  rounding_.resize(spec.ranks);
  roundoff_ = unit_roundoff(spec.type);
  const Real roundoff = roundoff_ * kMoreRoundoff;
  Real count = 0;
  for (const Group& group : groups_of(codes, rank, roundoff)) {
    const int lanes = group.code->lanes;
    Matrix exact(lanes, group.visits[0].noise.size()), noise = exact;
    for (int row = 0; row < lanes; ++row) {
      const Computed decoded = decode_row(group, row, spec.type, own, roundoff);
      exact.row(row) = decoded.exact;
      noise.row(row) = decoded.noise;
    }
    for (int lag = 0; lag < spec.ranks; ++lag) {
      const Eigen::Index first = static_cast<Eigen::Index>(lag) * lanes;
      const Matrix deviation = exact.middleCols(first, lanes) - Matrix::Identity(lanes, lanes);
      raise(approximation_[lag], spectral_norm(deviation));
      raise(rounding_[lag], spectral_norm(noise.middleCols(first, lanes)) / roundoff_);
    }
    count = std::max(count, noise.rightCols(1).maxCoeff());
  }
  underflow_ = underflows(spec.type, count);
}

double ErrorBound::at(const std::vector<double>& norms, std::size_t elements) const {
  const int ranks = static_cast<int>(approximation_.size());
  // Products of norms near the smallest double lose up to half of it each.
  double bound = underflow_ * std::sqrt(static_cast<double>(elements)) +
                 ranks * std::numeric_limits<double>::denorm_min();
  for (int lag = 0; lag < ranks; ++lag) {
    bound += (approximation_[lag] + roundoff_ * rounding_[lag]) *
             norms[static_cast<std::size_t>((rank_ - lag + ranks) % ranks)];
  }
  return bound;
}

}  // namespace cerar::code
