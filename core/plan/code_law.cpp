#include "core/plan/code_law.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/code/sampling.hpp"
#include "core/code/shared.hpp"
#include "core/code/window.hpp"

namespace cerar::plan {
namespace {

// The rings that larger ones are told from.
constexpr int kSmall = 3, kMiddle = 6;
// The condition changes with 1/N, and by less than a thousandth from here on.
constexpr int kConditionRanks = 128;
constexpr int kRanksLookedAt = 8;

bool told_from_small_rings(int ranks, int components) {
  return components > ranks && components % ranks == 0 && ranks > kMiddle;
}

code::ErrorTerms terms_of(int ranks, int components, int rank, code::OwnContribution own) {
  return error_terms(code::ideal_sequence(ranks, components, 1), components, rank, own);
}

// a + b·t(N) from its values on the two small rings.
template <class Term, class Values>
Values extrapolate(const Values& small, const Values& middle, int ranks, Term t) {
  const code::Real far = (t(ranks) - t(kMiddle)) / (t(kMiddle) - t(kSmall));
  return (middle + far * (middle - small)).cwiseMax(0);
}

code::ErrorTerms terms_of_large_ring(int ranks, int lanes) {
  constexpr auto own = code::OwnContribution::coded;
  const code::ErrorTerms small = terms_of(kSmall, lanes * kSmall, 0, own);
  const code::ErrorTerms middle = terms_of(kMiddle, lanes * kMiddle, 0, own);
  return {extrapolate(small.approximation, middle.approximation, ranks,
                      [](code::Real n) { return 1 / (n * n); }),
          extrapolate(small.rounding, middle.rounding, ranks, [](code::Real n) { return n; })};
}

// What a coded own contribution adds to the approximation error: one of N contributions, which lags
// behind the mean by (N − 1)/2 hops, (1 − 1/N)/2 of a revolution.
code::Matrix share_of_own(int ranks, int lanes) {
  const auto share = [](code::Real n) { return (1 - 1 / n) * (1 - 1 / n) / n; };
  const auto middle = [lanes](code::OwnContribution own) {
    return terms_of(kMiddle, lanes * kMiddle, 0, own).approximation;
  };
  return share(ranks) / share(kMiddle) *
         (middle(code::OwnContribution::coded) - middle(code::OwnContribution::exact));
}

}  // namespace

int CodeLaw::components_of_same_law(int ranks, int components) {
  const bool permutes = components > 0 && ranks % components == 0;
  return permutes ? ranks : components;
}

CodeLaw::CodeLaw(int ranks, int components, code::Construction construction)
    : ranks_(ranks), components_(components), order_(ranks > 0 ? (components - 1) / ranks : 0) {
  constexpr auto own = code::OwnContribution::coded;
  if (construction == code::Construction::vandermonde) {
    make_vandermonde();
    return;
  }
  const int of = components_of_same_law(ranks, components);
  if (told_from_small_rings(ranks, components)) {
    terms_.push_back(terms_of_large_ring(ranks, components / ranks));
  } else {
    // Where N divides c all ranks have the same error.
    for (const code::Sample rank : code::samples(0, ranks, of % ranks == 0 ? 1 : kRanksLookedAt)) {
      terms_.push_back(terms_of(ranks, of, rank.index, own));
    }
  }
  if (components % ranks == 0) {
    if (order_ > 0) add_grouped_windows();
  } else if (ranks % components != 0) {
    add_shared_windows();
  }
}

void CodeLaw::make_vandermonde() {
  order_ = components_ - 1;
  const code::Sequence sequence = code::vandermonde_sequence(ranks_, components_, 1);
  terms_.push_back(error_terms(sequence, components_, 0, code::OwnContribution::coded));
  std::vector<int> power(components_);
  for (int k = 0; k < components_; ++k) power[k] = k;
  code::Window window = code::make_window(sequence, ranks_ - 1, components_);
  windows_.push_back({std::move(window.mean), std::move(window.decode), std::move(power)});
}

// The worst are the first and the last useful visits, whose nodes are the farthest from 0: as far
// on either side, so one will do.
void CodeLaw::add_grouped_windows() {
  const int ranks = std::min(ranks_, kConditionRanks), lanes = order_ + 1;
  const code::Sequence sequence = code::ideal_sequence(ranks, lanes * ranks, 1);
  std::vector<int> power(lanes);
  for (int r = 0; r < lanes; ++r) power[r] = r;
  code::Window window = code::make_window(sequence, ranks - 1, lanes);
  windows_.push_back({std::move(window.mean), std::move(window.decode), std::move(power)});
}

void CodeLaw::add_shared_windows() {
  const code::Sequence sequence = code::ideal_sequence(ranks_, components_, 1);
  std::vector<int> power(components_);
  for (int k = 0; k < components_; ++k) power[k] = std::min(k / ranks_, order_);
  for (const code::Sample rank : code::samples(0, ranks_, kRanksLookedAt)) {
    const code::SharedCode shared = code::make_shared_code(sequence, components_, rank.index);
    std::vector<code::Matrix> means;
    for (const code::Window& window : shared.windows) means.push_back(window.mean);
    windows_.push_back({code::assemble(shared, means), code::assemble_decode(shared), power});
  }
}

Scales CodeLaw::powers(double epsilon) const {
  Scales scales{1};
  for (int r = 1; r <= order_; ++r) scales.push_back(scales.back() * epsilon);
  return scales;
}

code::PredictedError CodeLaw::error(const Scales& scales, cerar_type_t type) const {
  code::PredictedError worst;
  for (const code::ErrorTerms& terms : terms_) {
    const auto error = code::scaled_error(terms, scales, code::unit_roundoff(type));
    if (error.total() >= worst.total()) worst = error;
  }
  return worst;
}

double CodeLaw::condition(const Scales& scales) const {
  code::Real worst = 1;
  for (const Window& window : windows_) {
    code::Vector scale(window.power.size());
    for (std::size_t k = 0; k < window.power.size(); ++k) {
      scale[static_cast<Eigen::Index>(k)] = scales[window.power[k]];
    }
    const code::Matrix mean = window.mean * scale.asDiagonal();
    const code::Matrix decode = scale.cwiseInverse().asDiagonal() * window.decode;
    worst = std::max(worst, code::spectral_norm(mean) * code::spectral_norm(decode));
  }
  return static_cast<double>(worst);
}

// As scaled_sequence has them: for own contributions that are exact, of rank 0.
Scales CodeLaw::best_scales(code::Real roundoff) const {
  code::ErrorTerms terms;
  if (told_from_small_rings(ranks_, components_)) {
    terms = terms_.front();
    terms.approximation -= share_of_own(ranks_, components_ / ranks_);
  } else {
    terms = terms_of(ranks_, components_, 0, code::OwnContribution::exact);
  }
  return code::best_scales(terms, roundoff);
}

template <class ScalesOf>
double CodeLaw::least(double max_condition, double start, double power, ScalesOf scales_of) const {
  constexpr int kSteps = 40;
  constexpr double kClose = 1e-3;
  double x = start;
  for (int step = 0; step < kSteps && x < 1; ++step) {
    const double share = condition(scales_of(x)) / max_condition;
    if (share <= 1 && share >= 1 - kClose) return x;
    x *= std::pow(share / (1 - kClose / 2), 1 / power);
  }
  return x < 1 && condition(scales_of(x)) <= max_condition ? x : -1;
}

// Scale r of those that are best for a roundoff u is nearly a constant times u^(r/(q+1)).
double CodeLaw::least_noise(cerar_type_t type, double max_condition) const {
  const auto scales_of = [this](double noise) { return best_scales(noise); };
  const auto roundoff = static_cast<double>(code::unit_roundoff(type));
  if (max_condition == 0 || condition(scales_of(roundoff)) <= max_condition) return roundoff;
  return least(max_condition, roundoff, static_cast<double>(order_) / (order_ + 1), scales_of);
}

double CodeLaw::best_epsilon(cerar_type_t type, double max_condition) const {
  if (exact()) return max_condition == 0 || condition(powers(1)) <= max_condition ? 0 : -1;
  // Golden section over log ε: the total has one minimum there, being a sum of powers with positive
  // coefficients. It is flat: ε to a thousandth is the error to a millionth.
  constexpr double kGolden = 0.6180339887498949, kCloseEnough = 1e-3;
  const auto total = [&](double log) { return error(powers(std::exp(log)), type).total(); };
  double low = std::log(static_cast<double>(code::unit_roundoff(type))), high = std::log(0.999);
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = total(left), at_right = total(right);
  while (high - low > kCloseEnough) {
    if (at_left < at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = total(left);
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = total(right);
    }
  }
  const double best = std::exp((low + high) / 2);
  if (max_condition == 0 || condition(powers(best)) <= max_condition) return best;
  return least(max_condition, best, order_, [this](double epsilon) { return powers(epsilon); });
}

}  // namespace cerar::plan
