// Which ε a call gets when it names none.
#include "core/plan/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/unit/code_simulation.hpp"

namespace cerar::plan {
namespace {

TEST(Resolve, FillsInWhatIsZero) {
  const code::Spec spec = resolve(5, 0, 0, CERAR_DOUBLE);
  EXPECT_EQ(spec.ranks, 5);
  EXPECT_EQ(spec.components, 10);
  EXPECT_EQ(spec.type, CERAR_DOUBLE);
  EXPECT_GT(spec.epsilon, 1e-9);
  EXPECT_LT(spec.epsilon, 1e-7);
}

TEST(Resolve, KeepsWhatIsGiven) {
  EXPECT_EQ(resolve(4, 12, 0.02, CERAR_FLOAT), (code::Spec{4, 12, 0.02, CERAR_FLOAT}));
}

TEST(Resolve, AnExactCodeHasNoEpsilon) {
  EXPECT_EQ(resolve(4, 4, 0, CERAR_FLOAT).epsilon, 0);
  EXPECT_EQ(resolve(4, 3, 0.5, CERAR_FLOAT).epsilon, 0);
}

TEST(Resolve, RefusesWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(resolve(1, 0, 0, CERAR_FLOAT), std::invalid_argument);
  EXPECT_THROW(resolve(4, -1, 0, CERAR_FLOAT), std::invalid_argument);
  EXPECT_THROW(resolve(4, 33, 0, CERAR_FLOAT), std::invalid_argument);
  for (double epsilon : {-0.1, 1.0, HUGE_VAL, nan}) {
    EXPECT_THROW(resolve(4, 8, epsilon, CERAR_FLOAT), std::invalid_argument) << epsilon;
    EXPECT_THROW(resolve(4, 2, epsilon, CERAR_FLOAT), std::invalid_argument) << epsilon;
  }
  EXPECT_THROW(resolve(4, 8, 0, static_cast<cerar_type_t>(9)), std::invalid_argument);
  EXPECT_NO_THROW(resolve(4, 32, 0, CERAR_FLOAT));
}

// The table in docs/theory.md was computed with a rounding model that sees more noise than there
// is, so the best ε is below its, and the error at it too.
TEST(Resolve, AgreesWithTheTableForFloat) {
  struct Row {
    int ranks, order;
    double epsilon, error;
  };
  for (const Row& row :
       {Row{4, 1, 7.5e-4, 1.3e-4}, Row{4, 2, 6.7e-3, 1.9e-3}, Row{4, 3, 1.9e-2, 7.4e-3},
        Row{8, 1, 7.5e-4, 1.8e-4}, Row{8, 2, 6.7e-3, 2.6e-3}, Row{8, 3, 1.9e-2, 1.0e-2}}) {
    const code::Spec spec = resolve(row.ranks, (row.order + 1) * row.ranks, 0, CERAR_FLOAT);
    EXPECT_LT(spec.epsilon, row.epsilon);
    EXPECT_GT(spec.epsilon, row.epsilon / 1.5);
    const auto g = test::gaussian_vectors<float>(spec.ranks, spec.components, 500, 11);
    const double error = test::simulate(spec, g).worst();
    EXPECT_LT(error, row.error);
    EXPECT_GT(error, row.error / 1.5);
  }
}

TEST(Resolve, ItsEpsilonIsBetterThanOthersWhenTried) {
  for (const auto& [ranks, components] : {std::pair{2, 4}, {4, 12}, {5, 13}, {8, 32}}) {
    code::Spec spec = resolve(ranks, components, 0, CERAR_FLOAT);
    const auto g = test::gaussian_vectors<float>(ranks, components, 300, 11);
    const double best = test::simulate(spec, g).worst(), epsilon = spec.epsilon;
    for (double off : {0.5, 2.0}) {
      spec.epsilon = epsilon * off;
      EXPECT_GT(test::simulate(spec, g).worst(), best) << ranks << ' ' << components << ' ' << off;
    }
  }
}

TEST(Resolve, IsTheSameInAllThreads) {
  std::vector<std::thread> threads;
  std::vector<std::vector<double>> found(8);
  for (auto& mine : found) {
    threads.emplace_back([&mine] {
      for (int ranks = 2; ranks < 20; ++ranks) {
        mine.push_back(resolve(ranks, 0, 0, CERAR_FLOAT).epsilon);
        mine.push_back(resolve(ranks, 3 * ranks, 0, CERAR_DOUBLE).epsilon);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : found) EXPECT_EQ(mine, found[0]);
}

}  // namespace
}  // namespace cerar::plan
