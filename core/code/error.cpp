#include "core/code/error.hpp"

#include <algorithm>
#include <cmath>

#include "core/code/design.hpp"
#include "core/code/rounding.hpp"
#include "core/code/rows.hpp"
#include "core/code/sampling.hpp"
#include "core/code/shared.hpp"
#include "core/code/window.hpp"

namespace cerar::code {
namespace {

constexpr int kMaxRanksLookedAt = 8;
constexpr int kMaxSamples = 32;

// Σ over the other ranks (all, if the own contribution is coded too) of the squared entries of
// ŵ·(mean − coefficients of that rank): what decoding makes of a contribution, less what it should.
Matrix squared_deviations(const Sequence& sequence, const Window& window, int first,
                          OwnContribution own) {
  const int visits = window.visits();
  Matrix sum = Matrix::Zero(visits, sequence.value.cols());
  const int begin = own == OwnContribution::exact ? 1 : 0;
  for (const Sample lag : samples(begin, sequence.ranks, kMaxSamples)) {
    const Matrix deviation =
        window.decode * (window.mean - lagged(sequence, first, visits, lag.index));
    sum += lag.weight * deviation.cwiseAbs2();
  }
  return sum;
}

// N | c: every rank sees every class at every offset once.
ErrorTerms grouped_terms(const Sequence& sequence, OwnContribution own) {
  const int ranks = sequence.ranks, width = sequence.order() + 1;
  ErrorTerms terms{Matrix::Zero(width, width), Vector::Zero(width)};
  for (const Sample position : samples(0, ranks, kMaxSamples)) {
    const int first = ranks - 1 + position.index;
    const Window window = make_window(sequence, first, width);
    terms.approximation += position.weight * squared_deviations(sequence, window, first, own);
    const std::vector<PacketClass> classes{{first, sequence.order() + 1, 1}};
    for (int r = 0; r < width; ++r) {
      terms.rounding[r] += position.weight * rounding_of_row(classes, ranks, window.decode.row(r));
    }
  }
  return terms;
}

// Deviations of a class's row q spread over the shared components by `unmix`; those of its other
// rows stay. A class that needs the shared components first has their error too, which is 0 in the
// ε-construction but for rounding.
void add_shared_approximation(const Sequence& sequence, const SharedCode& code, OwnContribution own,
                              Matrix& sum) {
  const int order = code.order();
  for (int j = 0; j < code.ranks(); ++j) {
    const Window& window = code.windows[j];
    if (window.visits() == 0) continue;
    Matrix squares = squared_deviations(sequence, window, code.ranks() - 1 + j, own);
    squares.col(order) *= code.rows.row(code.class_at(j)).squaredNorm();
    if (window.visits() > order) squares.row(order) *= code.unmix.col(j).squaredNorm();
    sum.topRows(window.visits()) += squares;
  }
}

ErrorTerms shared_terms(const Sequence& sequence, int components, int rank, OwnContribution own) {
  const int ranks = sequence.ranks, order = sequence.order();
  const SharedCode code = make_shared_code(sequence, components, rank);
  ErrorTerms terms{Matrix::Zero(order + 1, order + 1), Vector::Zero(order + 1)};
  add_shared_approximation(sequence, code, own, terms.approximation);
  std::vector<PacketClass> classes;
  for (int j = 0; j < ranks; ++j) {
    const RowVector row = code.rows.row(code.class_at(j));
    const int nonzero = static_cast<int>((row.array() != 0).count());
    classes.push_back({ranks - 1 + j, order + nonzero, order == 0 ? row.squaredNorm() : 1});
  }
  const Matrix decode = assemble_decode(code);
  for (int k = 0; k < components; ++k) {
    terms.rounding[std::min(k / ranks, order)] += rounding_of_row(classes, ranks, decode.row(k));
  }
  return terms;
}

// The Vandermonde construction: every rank sees the same c visits, one after the other, each of
// another class.
ErrorTerms vandermonde_terms(const Sequence& sequence, OwnContribution own) {
  const int ranks = sequence.ranks, width = sequence.order() + 1;
  const Window window = make_window(sequence, ranks - 1, width);
  ErrorTerms terms{squared_deviations(sequence, window, ranks - 1, own), Vector::Zero(width)};
  std::vector<PacketClass> classes;
  for (int j = 0; j < std::min(ranks, width); ++j) classes.push_back({ranks - 1 + j, width, 1});
  for (int r = 0; r < width; ++r) {
    terms.rounding[r] = rounding_of_row(classes, ranks, window.decode.row(r));
  }
  return terms;
}

}  // namespace

double PredictedError::total() const { return std::hypot(approximation, rounding); }

ErrorTerms error_terms(const Sequence& sequence, int components, int rank, OwnContribution own) {
  ErrorTerms terms = sequence.stride == 1 ? vandermonde_terms(sequence, own)
                     : components % sequence.ranks == 0
                         ? grouped_terms(sequence, own)
                         : shared_terms(sequence, components, rank, own);
  const Real norm = static_cast<Real>(components) * sequence.ranks;  // of G, a component's element
  terms.approximation /= norm;
  terms.rounding /= norm;
  return terms;
}

PredictedError predict(const Spec& spec, OwnContribution own) {
  const Sequence sequence = ideal_sequence(spec);
  const std::vector<Real> as_they_are(sequence.order() + 1, 1);
  const int looked_at = spec.components % spec.ranks == 0 ? 1 : kMaxRanksLookedAt;
  PredictedError worst;
  for (const Sample rank : samples(0, spec.ranks, looked_at)) {
    const ErrorTerms terms = error_terms(sequence, spec.components, rank.index, own);
    const PredictedError error = scaled_error(terms, as_they_are, unit_roundoff(spec.type));
    if (error.total() >= worst.total()) worst = error;
  }
  return worst;
}

}  // namespace cerar::code
