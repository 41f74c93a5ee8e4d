// Error and condition of codes as the planner has them, against those of the codes themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/code/design.hpp"
#include "core/plan/code_law.hpp"
#include "tests/unit/code_simulation.hpp"
#include "tests/unit/error_law.hpp"

namespace cerar::plan {
namespace {

double condition_of(const code::Spec& spec) {
  double worst = 0;
  for (const code::RankCode& code : test::all_rank_codes(spec)) {
    for (const auto& matrices : code.decode) worst = std::max(worst, matrices.condition);
  }
  return worst;
}

TEST(CodeLaw, TellsLargeRingsFromSmallOnes) {
  for (int ranks : {9, 17, 40, 128}) {
    for (int lanes : {2, 3, 5}) {
      const CodeLaw law(ranks, lanes * ranks);
      const code::ErrorLaw direct(ranks, lanes * ranks, code::OwnContribution::coded);
      for (double epsilon : {1e-4, 1e-2, 0.1}) {
        for (cerar_type_t type : {CERAR_FLOAT, CERAR_DOUBLE}) {
          const code::PredictedError told = law.error(law.powers(epsilon), type);
          const code::PredictedError expected = direct.at(epsilon, type);
          EXPECT_NEAR(told.approximation / expected.approximation, 1, 0.005)
              << ranks << ' ' << lanes << ' ' << epsilon;
          EXPECT_NEAR(told.rounding / expected.rounding, 1, 0.005)
              << ranks << ' ' << lanes << ' ' << epsilon;
        }
      }
    }
  }
}

TEST(CodeLaw, IsTheDirectOneWhereRanksDoNotDivideComponents) {
  for (const auto& [ranks, components] : {std::pair{4, 6}, {5, 13}, {7, 3}, {20, 33}}) {
    const CodeLaw law(ranks, components);
    const code::ErrorLaw direct(ranks, components, code::OwnContribution::coded);
    EXPECT_EQ(law.error(law.powers(0.01), CERAR_FLOAT).total(),
              direct.at(0.01, CERAR_FLOAT).total());
  }
}

TEST(CodeLaw, FewerComponentsThanRanksRoundLikeTheRing) {
  const double ring = CodeLaw(12, 12).error({1}, CERAR_FLOAT).total();
  for (int components : {1, 2, 3, 4, 6}) {
    EXPECT_EQ(CodeLaw(12, components).error({1}, CERAR_FLOAT).total(), ring) << components;
    const auto g = test::gaussian_vectors<float>(12, components, 2000, 5);
    const double measured = test::simulate({12, components, 0, CERAR_FLOAT}, g).worst();
    EXPECT_LT(measured, ring * 1.3) << components;
    EXPECT_GT(measured, ring / 1.3) << components;
  }
}

TEST(CodeLaw, KnowsTheCondition) {
  for (const auto& [ranks, components] :
       {std::pair{2, 4}, {3, 3}, {4, 2}, {4, 3}, {4, 6}, {4, 12}, {5, 13}, {8, 16}, {11, 44}}) {
    const CodeLaw law(ranks, components);
    for (double epsilon : {3e-3, 0.1}) {
      const double expected = condition_of({ranks, components, epsilon, CERAR_DOUBLE});
      EXPECT_NEAR(law.condition(law.powers(epsilon)) / expected, 1, 1e-3)
          << ranks << ' ' << components << ' ' << epsilon;
    }
  }
}

TEST(CodeLaw, ConditionOfALargeRingIsTakenFromASmallerOne) {
  const int ranks = 200;
  const CodeLaw law(ranks, 3 * ranks);
  const double expected =
      code::make_rank_code({ranks, 3 * ranks, 0.2, CERAR_DOUBLE}, 0).decode.front().condition;
  EXPECT_NEAR(law.condition(law.powers(0.2)) / expected, 1, 2e-3);
}

TEST(BestEpsilon, IsTheErrorLaws) {
  for (int ranks : {2, 5, 16}) {
    for (int components : {ranks + 1, 2 * ranks, 4 * ranks}) {
      for (cerar_type_t type : {CERAR_FLOAT, CERAR_DOUBLE}) {
        const double expected =
            code::ErrorLaw(ranks, components, code::OwnContribution::coded).best_epsilon(type);
        EXPECT_NEAR(CodeLaw(ranks, components).best_epsilon(type, 0) / expected, 1, 2e-3);
      }
    }
  }
}

TEST(BestEpsilon, KeepsTheGreatestCondition) {
  for (int ranks : {2, 5, 16}) {
    for (int components : {2 * ranks, 2 * ranks + 1, 4 * ranks}) {
      const CodeLaw law(ranks, components);
      const double free = law.best_epsilon(CERAR_FLOAT, 0),
                   of_free = law.condition(law.powers(free));
      EXPECT_EQ(law.best_epsilon(CERAR_FLOAT, of_free * 1.001), free);
      for (double factor : {2.0, 30.0}) {
        const double epsilon = law.best_epsilon(CERAR_FLOAT, of_free / factor);
        ASSERT_GT(epsilon, free);
        EXPECT_LE(law.condition(law.powers(epsilon)), of_free / factor);
        EXPECT_GE(law.condition(law.powers(epsilon)), of_free / factor * 0.99);
        EXPECT_GT(law.error(law.powers(epsilon), CERAR_FLOAT).total(),
                  law.error(law.powers(free), CERAR_FLOAT).total());
      }
    }
  }
}

TEST(BestScales, AreThoseOfTheCode) {
  for (const auto& [ranks, components] : {std::pair{4, 12}, {5, 13}, {16, 64}, {40, 160}}) {
    for (cerar_type_t type : {CERAR_FLOAT, CERAR_DOUBLE}) {
      const CodeLaw law(ranks, components);
      const Scales scales = law.best_scales(code::unit_roundoff(type));
      const code::Sequence ideal = code::ideal_sequence(ranks, components, 1);
      const code::Sequence scaled =
          code::scaled_sequence(ranks, components, code::unit_roundoff(type));
      ASSERT_EQ(static_cast<int>(scales.size()), ideal.order() + 1);
      for (std::size_t r = 0; r < scales.size(); ++r) {
        const auto column = static_cast<Eigen::Index>(r);
        const code::Real expected = scaled.value(0, column) / ideal.value(0, column);
        EXPECT_NEAR(static_cast<double>(scales[r] / expected), 1, 0.01) << ranks << ' ' << r;
      }
      EXPECT_LT(law.error(scales, type).total(),
                law.error(law.powers(law.best_epsilon(type, 0)), type).total());
    }
  }
}

TEST(LeastNoise, KeepsTheConditionAndIsBetterThanEvenPowers) {
  for (const auto& [ranks, components] :
       {std::pair{4, 12}, {4, 16}, {5, 13}, {16, 64}, {40, 160}}) {
    const CodeLaw law(ranks, components);
    for (double condition : {1e2, 1e3, 1e4}) {
      const double noise = law.least_noise(CERAR_FLOAT, condition);
      const double epsilon = law.best_epsilon(CERAR_FLOAT, condition);
      ASSERT_GT(noise, 0) << ranks << ' ' << components << ' ' << condition;
      ASSERT_GT(epsilon, 0) << ranks << ' ' << components << ' ' << condition;
      const Scales scales = law.best_scales(noise);
      EXPECT_LE(law.condition(scales), condition);
      EXPECT_LT(law.error(scales, CERAR_FLOAT).total(),
                law.error(law.powers(epsilon), CERAR_FLOAT).total())
          << ranks << ' ' << components << ' ' << condition;
    }
  }
  EXPECT_EQ(CodeLaw(4, 32).least_noise(CERAR_FLOAT, 2), -1);
}

// docs/theory.md, "Under a bound on the condition".
TEST(LeastNoise, GainsWhatTheTheorySaysAtTheSameCondition) {
  const double gains[] = {1, 1.118, 1.189, 1.237};
  for (int ranks : {2, 4, 8, 16, 64}) {
    for (int order = 1; order <= 4; ++order) {
      const CodeLaw law(ranks, (order + 1) * ranks);
      const auto even = law.powers(law.best_epsilon(CERAR_FLOAT, 1e3));
      const auto free = law.best_scales(law.least_noise(CERAR_FLOAT, 1e3));
      EXPECT_NEAR(law.condition(even) / law.condition(free), 1, 2e-3);
      EXPECT_NEAR(
          law.error(even, CERAR_FLOAT).approximation / law.error(free, CERAR_FLOAT).approximation,
          gains[order - 1], 0.005)
          << ranks << ' ' << order;
    }
  }
}

TEST(BestEpsilon, IsMinusOneIfNoneHasTheCondition) {
  EXPECT_EQ(CodeLaw(4, 32).best_epsilon(CERAR_FLOAT, 10), -1);
  EXPECT_EQ(CodeLaw(4, 4).best_epsilon(CERAR_FLOAT, 1), 0);
}

}  // namespace
}  // namespace cerar::plan
