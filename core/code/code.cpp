#include "core/code/code.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "core/code/design.hpp"
#include "core/code/rows.hpp"
#include "core/code/sequence.hpp"
#include "core/code/shared.hpp"
#include "core/code/window.hpp"

namespace cerar::code {
namespace {

void check(const Spec& spec) {
  if (spec.type != CERAR_FLOAT && spec.type != CERAR_DOUBLE) {
    throw std::invalid_argument("type is " + std::to_string(spec.type) +
                                ", expected CERAR_FLOAT or CERAR_DOUBLE");
  }
  if (spec.construction == Construction::scaled && !(spec.noise >= 0 && spec.noise < 1)) {
    throw std::invalid_argument("noise is " + std::to_string(spec.noise) +
                                ", expected a number from 0 and below 1");
  }
  const bool uses_epsilon =
      spec.construction == Construction::vandermonde
          ? spec.components > 1
          : spec.construction != Construction::scaled && spec.components > spec.ranks;
  if (uses_epsilon && !(spec.epsilon > 0 && spec.epsilon < 1)) {
    throw std::invalid_argument("epsilon is " + std::to_string(spec.epsilon) +
                                ", expected a number between 0 and 1, both excluded");
  }
}

// a·b where most of b is 0, as it is when only a few lanes are in a packet.
Matrix times_sparse(const Matrix& a, const Matrix& b) {
  Matrix product = Matrix::Zero(a.rows(), b.cols());
  for (Eigen::Index m = 0; m < b.rows(); ++m) {
    for (Eigen::Index k = 0; k < b.cols(); ++k) {
      if (b(m, k) != 0) product.col(k) += a.col(m) * b(m, k);
    }
  }
  return product;
}

std::vector<double> to_double(const Matrix& m) {
  std::vector<double> values(m.size());
  for (Eigen::Index k = 0; k < m.size(); ++k) values[k] = static_cast<double>(m.data()[k]);
  return values;
}

// I − W·B_0 is computed as W·(M − B_0): the identity does not cancel digits there.
DecodeMatrices give_out(const Matrix& w, const Matrix& mean, const Matrix& newest,
                        cerar_type_t type) {
  const Matrix own = times_sparse(w, mean - newest);
  const Real greatest = std::max(w.lpNorm<Eigen::Infinity>(), own.lpNorm<Eigen::Infinity>());
  if (!(greatest <= largest(type))) {
    throw std::invalid_argument(
        "epsilon is too small for this number of components: decoding exceeds the type's range");
  }
  DecodeMatrices matrices;
  matrices.w = to_double(w);
  matrices.own = to_double(own);
  matrices.identity = w.isIdentity(0) && own.isZero(0);
  matrices.condition = static_cast<double>(spectral_norm(w) * spectral_norm(mean));
  return matrices;
}

std::vector<Term> own_terms(const Sequence& sequence, int hop, int lane_step, int first_lane,
                            int count) {
  std::vector<Term> terms;
  for (int r = 0; r < count; ++r) {
    const double alpha = static_cast<double>(sequence.increment(hop, r));
    if (alpha != 0) terms.push_back({first_lane + r * lane_step, alpha});
  }
  return terms;
}

// N | c: classes do not mix, and all have the same coefficients.
void add_grouped(const Sequence& sequence, const Spec& spec, RankCode& code) {
  code.groups = spec.ranks;
  code.lanes = spec.components / spec.ranks;
  for (int hop = 0; hop <= code.rounds; ++hop) {
    code.visits.push_back(own_terms(sequence, hop, 1, 0, code.lanes));
  }
  for (int j = 0; j < spec.ranks; ++j) {
    const Window window = make_window(sequence, spec.ranks - 1 + j, code.lanes);
    code.decode.push_back(give_out(window.decode, window.mean, window.newest, spec.type));
  }
}

void add_shared(const Sequence& sequence, const Spec& spec, RankCode& code) {
  code.groups = 1;
  code.lanes = spec.components;
  const SharedCode shared = make_shared_code(sequence, spec.components, code.rank);
  for (int hop = 0; hop <= code.rounds; ++hop) {
    const int p = ((code.rank - hop) % spec.ranks + spec.ranks) % spec.ranks;
    std::vector<Term> terms = own_terms(sequence, hop, spec.ranks, p, code.order);
    const Real last = sequence.increment(hop, code.order);
    for (int k = 0; k < shared.shared; ++k) {
      const double alpha = static_cast<double>(last * shared.rows(p, k));
      if (alpha != 0) terms.push_back({code.order * spec.ranks + k, alpha});
    }
    code.visits.push_back(std::move(terms));
  }
  std::vector<Matrix> mean, newest;
  for (const Window& window : shared.windows) {
    mean.push_back(window.mean);
    newest.push_back(window.newest);
  }
  code.decode.push_back(give_out(assemble_decode(shared), assemble(shared, mean),
                                 assemble(shared, newest), spec.type));
}

// The Vandermonde construction: all classes and all visits alike, c visits one after the other.
void add_vandermonde(const Sequence& sequence, const Spec& spec, RankCode& code) {
  code.groups = 1;
  code.lanes = spec.components;
  for (int hop = 0; hop <= code.rounds; ++hop) {
    code.visits.push_back(own_terms(sequence, hop, 1, 0, code.lanes));
  }
  const Window window = make_window(sequence, spec.ranks - 1, spec.components);
  code.decode.push_back(give_out(window.decode, window.mean, window.newest, spec.type));
}

}  // namespace

RankCode make_rank_code(const Spec& spec, int rank) {
  check(spec);
  const Sequence sequence = round_sequence(ideal_sequence(spec), spec.type);
  if (rank < 0 || rank >= spec.ranks) {
    throw std::invalid_argument("rank is " + std::to_string(rank) + ", expected 0 to " +
                                std::to_string(spec.ranks - 1));
  }
  RankCode code;
  code.rank = rank;
  code.ranks = spec.ranks;
  code.components = spec.components;
  code.order = sequence.order();
  code.rounds = sequence.last_hop();
  if (spec.construction == Construction::vandermonde) {
    add_vandermonde(sequence, spec, code);
  } else if (spec.components % spec.ranks == 0) {
    add_grouped(sequence, spec, code);
  } else {
    add_shared(sequence, spec, code);
  }
  return code;
}

}  // namespace cerar::code
