#include "core/code/spread.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/code/design.hpp"
#include "core/code/rounding.hpp"
#include "core/code/sampling.hpp"
#include "core/code/window.hpp"

namespace cerar::code {
namespace {

constexpr int kMaxSamples = 32;

void check(const Spec& spec) {
  if (spec.construction == Construction::vandermonde || spec.ranks < 2 || spec.components < 1 ||
      spec.components % spec.ranks != 0) {
    throw std::invalid_argument(
        "the spread is known only where the number of ranks divides that of components");
  }
}

// What a rank makes of a class whose first useful hop is N−1 + s. The same for all ranks and
// classes.
struct Decoded {
  std::vector<Matrix> deviation;  // by lag: D_l
  Matrix noise;                   // (q+1) × hops: weight of the noise caught at a hop, by lane
  Real decoding = 0;              // squared noise of the decoding itself, of all lanes, in u²
};

Decoded decode_offset(const Sequence& sequence, int s, OwnContribution own) {
  const int ranks = sequence.ranks, lanes = sequence.order() + 1, first = ranks - 1 + s;
  const Window window = make_window(sequence, first, lanes);
  Decoded decoded;
  for (int lag = 0; lag < ranks; ++lag) {
    decoded.deviation.push_back(window.decode *
                                (lagged(sequence, first, lanes, lag) - window.mean));
  }
  if (own == OwnContribution::exact) decoded.deviation[0].setZero();
  decoded.noise = Matrix::Zero(lanes, sequence.last_hop() + 1);
  Vector partial = Vector::Zero(lanes);
  for (int m = 0; m < lanes; ++m) {
    decoded.noise.leftCols(first + m * ranks + 1).colwise() += window.decode.col(m);
    partial += window.decode.col(m);
    if (lanes > 1) decoded.decoding += kRoundingMeanSquare * ranks * partial.squaredNorm();
  }
  return decoded;
}

// Squared noise, in u², that packets catch at a hop: see rounding.cpp.
Real caught(int hop, int ranks, int lanes) {
  const int roundings = hop == 0 || hop >= ranks ? lanes - 1 : lanes;
  return kRoundingMeanSquare * roundings * std::min(hop + 1, ranks);
}

// Squares of the two parts of Ĝ_i − Ĝ_j for ranks `apart` from each other, over all classes.
PredictedError squares(const std::vector<Decoded>& decoded, int apart) {
  const int ranks = static_cast<int>(decoded.size());
  PredictedError sum;
  for (const Sample s : samples(0, ranks, kMaxSamples)) {
    const Decoded& mine = decoded[s.index];
    const Decoded& other = decoded[(s.index + apart) % ranks];
    Real approximation = 0, rounding = mine.decoding + other.decoding;
    for (int lag = 0; lag < ranks; ++lag) {
      approximation += (mine.deviation[lag] - other.deviation[(lag + apart) % ranks]).squaredNorm();
    }
    const int lanes = static_cast<int>(mine.noise.rows());
    for (int hop = 0; hop < mine.noise.cols(); ++hop) {
      rounding +=
          caught(hop, ranks, lanes) * (mine.noise.col(hop) - other.noise.col(hop)).squaredNorm();
    }
    sum.approximation += static_cast<double>(s.weight * approximation);
    sum.rounding += static_cast<double>(s.weight * rounding);
  }
  return sum;
}

}  // namespace

PredictedError predict_spread(const Spec& spec, OwnContribution own) {
  check(spec);
  const Sequence sequence = ideal_sequence(spec);
  std::vector<Decoded> decoded;
  for (int s = 0; s < spec.ranks; ++s) decoded.push_back(decode_offset(sequence, s, own));
  const double norm = static_cast<double>(spec.components) * spec.ranks;
  PredictedError worst;
  for (const Sample apart : samples(1, spec.ranks, kMaxSamples)) {
    const PredictedError square = squares(decoded, apart.index);
    const PredictedError spread{
        std::sqrt(square.approximation / norm),
        std::sqrt(square.rounding / norm) * static_cast<double>(unit_roundoff(spec.type))};
    if (spread.total() > worst.total()) worst = spread;
  }
  return worst;
}

}  // namespace cerar::code
