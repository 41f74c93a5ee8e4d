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
constexpr int kSmall = 4, kMiddle = 8;
// The condition changes with 1/N, and by less than a thousandth from here on.
constexpr int kConditionRanks = 128;
constexpr int kMaxRanksLookedAt = 8;

double square(double x) { return x * x; }

// f(N) from f(kSmall) and f(kMiddle), for f = a + b·t(N).
template <class Term>
double extrapolate(double small, double middle, int ranks, Term t) {
  const double slope = (middle - small) / (t(kMiddle) - t(kSmall));
  return std::max(0.0, middle + slope * (t(ranks) - t(kMiddle)));
}

code::PredictedError extrapolate(const code::PredictedError& small,
                                 const code::PredictedError& middle, int ranks) {
  const double approximation =
      extrapolate(square(small.approximation), square(middle.approximation), ranks,
                  [](double n) { return 1 / (n * n); });
  const double rounding = extrapolate(square(small.rounding), square(middle.rounding), ranks,
                                      [](double n) { return n; });
  return {std::sqrt(approximation), std::sqrt(rounding)};
}

}  // namespace

int CodeLaw::components_of_same_law(int ranks, int components) {
  const bool permutes = components > 0 && ranks % components == 0;
  return permutes ? ranks : components;
}

CodeLaw::CodeLaw(int ranks, int components)
    : ranks_(ranks), components_(components), order_(ranks > 0 ? (components - 1) / ranks : 0) {
  constexpr auto own = code::OwnContribution::coded;
  if (order_ > 0 && components % ranks == 0 && ranks > kMiddle) {
    laws_.emplace_back(kSmall, components / ranks * kSmall, own);
    laws_.emplace_back(kMiddle, components / ranks * kMiddle, own);
  } else {
    laws_.emplace_back(ranks, components_of_same_law(ranks, components), own);
  }
  if (components % ranks == 0) {
    if (order_ > 0) add_grouped_windows();
  } else if (ranks % components != 0) {
    add_shared_windows();
  }
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
  for (const code::Sample rank : code::samples(0, ranks_, kMaxRanksLookedAt)) {
    const code::SharedCode shared = code::make_shared_code(sequence, components_, rank.index);
    std::vector<code::Matrix> means;
    for (const code::Window& window : shared.windows) means.push_back(window.mean);
    windows_.push_back({code::assemble(shared, means), code::assemble_decode(shared), power});
  }
}

code::PredictedError CodeLaw::error(double epsilon, cerar_type_t type) const {
  const code::PredictedError first = laws_.front().at(epsilon, type);
  return laws_.size() == 1 ? first : extrapolate(first, laws_.back().at(epsilon, type), ranks_);
}

double CodeLaw::condition(double epsilon) const {
  code::Real worst = 1;
  for (const Window& window : windows_) {
    code::Vector scale(window.power.size());
    for (std::size_t k = 0; k < window.power.size(); ++k) {
      scale[static_cast<Eigen::Index>(k)] = std::pow<code::Real>(epsilon, window.power[k]);
    }
    const code::Matrix mean = window.mean * scale.asDiagonal();
    const code::Matrix decode = scale.cwiseInverse().asDiagonal() * window.decode;
    worst = std::max(worst, code::spectral_norm(mean) * code::spectral_norm(decode));
  }
  return static_cast<double>(worst);
}

// The condition is nearly a constant times ε^−q, so a few steps along that power find where it is
// just below max_condition. It is above at `epsilon`.
double CodeLaw::least_epsilon(double max_condition, double epsilon) const {
  constexpr int kSteps = 40;
  constexpr double kClose = 1e-3;
  for (int step = 0; step < kSteps && epsilon < 1; ++step) {
    const double share = condition(epsilon) / max_condition;
    if (share <= 1 && share >= 1 - kClose) return epsilon;
    epsilon *= std::pow(share / (1 - kClose / 2), 1.0 / order_);
  }
  return epsilon < 1 && condition(epsilon) <= max_condition ? epsilon : -1;
}

double CodeLaw::best_epsilon(cerar_type_t type, double max_condition) const {
  if (exact()) return max_condition == 0 || condition(1) <= max_condition ? 0 : -1;
  // Golden section over log ε: the total has one minimum there, being a sum of powers with positive
  // coefficients. It is flat: ε to a thousandth is the error to a millionth.
  constexpr double kGolden = 0.6180339887498949, kCloseEnough = 1e-3;
  const auto total = [&](double log) { return error(std::exp(log), type).total(); };
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
  if (max_condition == 0 || condition(best) <= max_condition) return best;
  return least_epsilon(max_condition, best);
}

}  // namespace cerar::plan
