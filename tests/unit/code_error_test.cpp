// Errors and conditions as ε changes, and the model that predicts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/code/error.hpp"
#include "tests/unit/code_simulation.hpp"
#include "tests/unit/error_law.hpp"
#include "tests/unit/extended_precision.hpp"

namespace cerar::code {
namespace {

using test::gaussian_vectors;
using test::Own;
using test::simulate;

double worst_condition(const std::vector<RankCode>& codes) {
  double worst = 0;
  for (const RankCode& code : codes) {
    for (const DecodeMatrices& matrices : code.decode) {
      worst = std::max(worst, matrices.condition);
    }
  }
  return worst;
}

// Errors are measured: those of packets sent around and decoded in double, where rounding is far
// below the approximation at each of these ε.
void expect_slopes(int ranks, int components) {
  SCOPED_TRACE(testing::Message() << "N = " << ranks << ", c = " << components);
  const int order = (components - 1) / ranks;
  const auto g = gaussian_vectors<double>(ranks, components, 8, 31);
  const double wide = 0.02, narrow = 0.005;
  const auto at_wide = test::all_rank_codes({ranks, components, wide, CERAR_DOUBLE});
  const auto at_narrow = test::all_rank_codes({ranks, components, narrow, CERAR_DOUBLE});
  const double error = simulate(at_wide, g).worst() / simulate(at_narrow, g).worst();
  const double condition = worst_condition(at_wide) / worst_condition(at_narrow);
  const double step = std::log(wide / narrow);
  EXPECT_NEAR(std::log(error) / step, 1, 0.1);
  EXPECT_NEAR(std::log(condition) / step, -order, 0.1);
}

class Slopes : public testing::TestWithParam<int> {};

TEST_P(Slopes, ErrorGrowsWithEpsilonAndConditionWithItsInversePower) {
  const int ranks = GetParam();
  for (int order = 1; order <= 4; ++order) {
    // N divides c, and not: with one shared component, about half of N, or all but one.
    const int several[] = {1, (ranks + 1) / 2, ranks - 1};
    expect_slopes(ranks, order * ranks + ranks);
    expect_slopes(ranks, order * ranks + several[(ranks + order) % 3]);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Slopes, testing::Range(2, 17));

// Measured over predicted, of the worst rank.
template <class T>
void expect_predicted(const Spec& spec, std::uint64_t seed, double factor) {
  const int length = std::max(40, 4000 / spec.components);
  const auto g = gaussian_vectors<T>(spec.ranks, spec.components, length, seed);
  for (const auto own : {Own::exact, Own::coded}) {
    const double measured = simulate(spec, g, own).worst();
    const double predicted =
        predict(spec, own == Own::exact ? OwnContribution::exact : OwnContribution::coded).total();
    EXPECT_LT(measured, predicted * factor);
    // An exact sum in double precision has no error against another one.
    if (test::extended_precision()) {
      EXPECT_GT(measured, predicted / factor);
    }
  }
}

void expect_predicted(const Spec& spec, std::uint64_t seed, double factor) {
  if (spec.type == CERAR_FLOAT) {
    expect_predicted<float>(spec, seed, factor);
  } else {
    expect_predicted<double>(spec, seed, factor);
  }
}

TEST(PredictedError, IsWithinAFewPercentWhereOnlyTheApproximationCounts) {
  for (const auto& [ranks, components] :
       {std::pair{2, 4}, {3, 9}, {4, 6}, {4, 16}, {5, 13}, {8, 16}, {8, 20}}) {
    SCOPED_TRACE(testing::Message() << "N = " << ranks << ", c = " << components);
    expect_predicted({ranks, components, 1e-2, CERAR_DOUBLE}, 77, 1.06);
  }
}

TEST(PredictedError, HoldsForBothPartsInBothTypes) {
  for (int ranks : {2, 3, 4, 5, 8, 16}) {
    for (int order = 0; order <= 3; ++order) {
      for (const auto type : {CERAR_FLOAT, CERAR_DOUBLE}) {
        const ErrorLaw law(ranks, (order + 1) * ranks, OwnContribution::exact);
        const double best = law.best_epsilon(type);
        // Mostly rounding, both, mostly approximation.
        for (double off : {0.4, 1.0, 2.5}) {
          const Spec spec{ranks, (order + 1) * ranks, best * off, type};
          SCOPED_TRACE(testing::Message() << "N = " << ranks << ", q = " << order
                                          << ", epsilon = " << spec.epsilon << ", type " << type);
          expect_predicted(spec, 123, 1.5);
        }
      }
    }
  }
}

TEST(PredictedError, HoldsForRandomCodes) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 engine(seed);
  auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  };
  for (int trial = 0; trial < 60; ++trial) {
    const int ranks = static_cast<int>(uniform(2, 11));
    const int components = static_cast<int>(uniform(1, 4 * ranks + 1));
    const auto type = uniform(0, 1) < 0.5 ? CERAR_FLOAT : CERAR_DOUBLE;
    // Far below the best ε increments drown in the packet's last place: there is less rounding than
    // predicted.
    const double best = ErrorLaw(ranks, components, OwnContribution::exact).best_epsilon(type);
    const double epsilon = best == 0 ? 0 : std::exp(uniform(std::log(best / 2), std::log(0.2)));
    SCOPED_TRACE(testing::Message()
                 << "seed " << seed << ", trial " << trial << ": N = " << ranks
                 << ", c = " << components << ", epsilon = " << epsilon << ", type " << type);
    // Without approximation the packets' dependence on each other shows, which the model leaves
    // out.
    expect_predicted({ranks, components, epsilon, type}, engine(), components < ranks ? 2 : 1.5);
  }
}

TEST(PredictedError, SamplingOfLongSumsLosesLittle) {
  // 40 ranks are sampled, 32 are not; for large N the error depends on N only through the sums.
  for (int order : {1, 3}) {
    const auto of = [&](int ranks) {
      return ErrorLaw(ranks, (order + 1) * ranks, OwnContribution::coded).at(0.01, CERAR_FLOAT);
    };
    EXPECT_NEAR(of(40).approximation / of(32).approximation, 1, 0.01);
    EXPECT_NEAR(of(256).approximation / of(40).approximation, 1, 0.01);
  }
}

TEST(BestEpsilon, IsAMinimum) {
  for (int ranks : {2, 4, 7, 16}) {
    for (int components : {ranks + 1, 2 * ranks, 2 * ranks + 1, 4 * ranks}) {
      for (const auto type : {CERAR_FLOAT, CERAR_DOUBLE}) {
        const ErrorLaw law(ranks, components, OwnContribution::exact);
        const double best = law.best_epsilon(type);
        EXPECT_LT(law.at(best, type).total(), law.at(best * 1.1, type).total());
        EXPECT_LT(law.at(best, type).total(), law.at(best / 1.1, type).total());
      }
    }
  }
}

}  // namespace
}  // namespace cerar::code
