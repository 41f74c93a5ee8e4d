// The tables that ranks work from, tried in a ring that exists only here.
#include "core/code/code.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "tests/unit/code_simulation.hpp"
#include "tests/unit/extended_precision.hpp"

namespace cerar::code {
namespace {

using test::gaussian_vectors;
using test::Own;
using test::simulate;

double worst_condition(const Spec& spec) {
  double worst = 0;
  for (const RankCode& code : test::all_rank_codes(spec)) {
    for (const DecodeMatrices& matrices : code.decode) {
      worst = std::max(worst, matrices.condition);
    }
  }
  return worst;
}

// A row of the table in docs/theory.md: what the construction costs and what it gives.
struct Known {
  int ranks, components, order, rounds;
  double error_at_1e2, error_at_1e3, condition_at_1e2, condition_at_1e3;
};

class KnownCode : public testing::TestWithParam<Known> {};

TEST_P(KnownCode, HasTheOrderRoundsErrorsAndConditionsOfTheTable) {
  const Known known = GetParam();
  const auto g = gaussian_vectors<double>(known.ranks, known.components, 2000, 17);
  for (const auto& [epsilon, error, condition] :
       {std::tuple{1e-2, known.error_at_1e2, known.condition_at_1e2},
        std::tuple{1e-3, known.error_at_1e3, known.condition_at_1e3}}) {
    const Spec spec{known.ranks, known.components, epsilon, CERAR_DOUBLE};
    const RankCode code = make_rank_code(spec, 0);
    EXPECT_EQ(code.order, known.order);
    EXPECT_EQ(code.rounds, known.rounds);
    EXPECT_NEAR(worst_condition(spec) / condition, 1, 0.03);
    const double measured = simulate(spec, g).worst();
    if (known.order == 0) {
      EXPECT_LT(measured, 1e-15);
    } else {
      EXPECT_NEAR(measured / error, 1, 0.08);  // the table has two digits, of another sample
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, KnownCode,
    testing::Values(Known{2, 4, 1, 4, 1.3e-3, 1.3e-4, 2.0e2, 2.0e3}, Known{3, 3, 0, 4, 0, 0, 1, 1},
                    Known{3, 9, 2, 10, 2.6e-3, 2.5e-4, 2.1e4, 2.1e6}, Known{4, 2, 0, 4, 0, 0, 1, 1},
                    Known{4, 6, 1, 8, 1.7e-3, 1.8e-4, 2.0e2, 2.0e3},
                    Known{4, 8, 1, 10, 1.5e-3, 1.5e-4, 2.0e2, 2.0e3},
                    Known{4, 12, 2, 14, 2.7e-3, 2.9e-4, 2.1e4, 2.1e6},
                    Known{4, 16, 3, 18, 3.9e-3, 3.9e-4, 1.5e6, 1.5e9},
                    Known{8, 16, 1, 22, 1.8e-3, 1.7e-4, 2.0e2, 2.0e3}),
    [](const auto& row) {
      return "N" + std::to_string(row.param.ranks) + "c" + std::to_string(row.param.components);
    });

TEST(ExactCode, IsExactToRoundingForAllNumbersOfComponents) {
  for (int ranks = 2; ranks <= 16; ++ranks) {
    for (int components = 1; components <= ranks; ++components) {
      const Spec spec{ranks, components, 0, CERAR_DOUBLE};
      const auto g = gaussian_vectors<double>(ranks, components, 4, 5);
      const double bound = 1e-15 * std::sqrt(ranks) * worst_condition(spec);
      EXPECT_LT(simulate(spec, g).worst(), bound) << "N = " << ranks << ", c = " << components;
    }
  }
}

TEST(ExactCode, WithOneComponentARankHasNothingToDecode) {
  for (int ranks = 2; ranks <= 16; ++ranks) {
    for (int rank = 0; rank < ranks; ++rank) {
      const RankCode code = make_rank_code({ranks, ranks, 0, CERAR_FLOAT}, rank);
      EXPECT_EQ(code.groups, ranks);
      EXPECT_EQ(code.lanes, 1);
      for (const DecodeMatrices& matrices : code.decode) EXPECT_TRUE(matrices.identity);
      for (int hop = 0; hop <= code.rounds; ++hop) {
        EXPECT_EQ(code.visits[hop].size(), hop < ranks ? 1u : 0u);
      }
    }
  }
}

TEST(ExactCode, WithOneComponentARankResultsAreTheSameBitForBit) {
  const int ranks = 7;
  const auto codes = test::all_rank_codes({ranks, ranks, 0, CERAR_FLOAT});
  const auto g = gaussian_vectors<float>(ranks, ranks, 50, 3);
  const auto useful = test::run_ring(codes, g);
  const auto first = test::decode(codes[0], useful[0], g[0], Own::exact);
  for (int rank = 1; rank < ranks; ++rank) {
    EXPECT_EQ(test::decode(codes[rank], useful[rank], g[rank], Own::exact), first);
  }
}

TEST(Decoding, MakesTheOwnContributionExact) {
  for (const auto& [ranks, components] : {std::pair{3, 9}, {4, 6}, {5, 13}, {8, 16}}) {
    const Spec spec{ranks, components, 1e-2, CERAR_DOUBLE};
    for (int rank = 0; rank < ranks; ++rank) {
      auto g = gaussian_vectors<double>(ranks, components, 20, 9);
      for (int other = 0; other < ranks; ++other) {
        if (other == rank) continue;
        for (auto& component : g[other]) component.assign(component.size(), 0.0);
      }
      const double bound = 1e-15 * worst_condition(spec);
      EXPECT_LT(simulate(spec, g).by_rank[rank], bound)
          << "N = " << ranks << ", c = " << components << ", rank " << rank;
      EXPECT_GT(simulate(spec, g, Own::coded).by_rank[rank], 1e-4);
    }
  }
}

TEST(Decoding, IsExactForWhatAllRanksHaveInCommon) {
  for (const auto& [ranks, components] : {std::pair{3, 9}, {4, 6}, {5, 13}, {8, 16}}) {
    const Spec spec{ranks, components, 1e-2, CERAR_DOUBLE};
    auto g = gaussian_vectors<double>(ranks, components, 20, 9);
    for (auto& vector : g) vector = g[0];
    const double bound = 1e-15 * worst_condition(spec) * ranks;
    EXPECT_LT(simulate(spec, g, Own::coded).worst(), bound)
        << "N = " << ranks << ", c = " << components;
  }
}

TEST(RankCode, HoldsValuesOfTheTypeAndNoZeros) {
  for (const auto type : {CERAR_FLOAT, CERAR_DOUBLE}) {
    for (int components : {1, 3, 5, 6, 10, 13, 40}) {
      const RankCode code = make_rank_code({5, components, 0.0123, type}, 2);
      ASSERT_EQ(code.visits.size(), static_cast<std::size_t>(code.rounds + 1));
      EXPECT_EQ(code.rounds, components + 5 - 2);
      for (const auto& terms : code.visits) {
        for (const Term& term : terms) {
          EXPECT_NE(term.alpha, 0);
          EXPECT_GE(term.lane, 0);
          EXPECT_LT(term.lane, code.lanes);
          if (type == CERAR_FLOAT) {
            EXPECT_EQ(term.alpha, static_cast<float>(term.alpha));
          }
        }
      }
    }
  }
}

TEST(RankCode, SaysWhichHopIsTheFirstUsefulOne) {
  const RankCode code = make_rank_code({4, 8, 0.01, CERAR_FLOAT}, 1);
  EXPECT_EQ(code.first_useful_hop(2), 3);  // met first at hop 3, with everybody in it
  EXPECT_EQ(code.first_useful_hop(1), 4);
  EXPECT_EQ(code.first_useful_hop(0), 5);
  EXPECT_EQ(code.first_useful_hop(3), 6);
}

TEST(RankCode, RefusesWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Spec good{4, 8, 0.01, CERAR_FLOAT};
  EXPECT_NO_THROW(make_rank_code(good, 3));
  auto refused = [&](auto change, int rank = 0) {
    Spec spec = good;
    change(spec);
    EXPECT_THROW(make_rank_code(spec, rank), std::invalid_argument)
        << spec.ranks << ' ' << spec.components << ' ' << spec.epsilon << ' ' << rank;
  };
  refused([](Spec&) {}, -1);
  refused([](Spec&) {}, 4);
  for (int ranks : {-3, 0, 1}) refused([=](Spec& s) { s.ranks = ranks; });
  for (int components : {-1, 0, 33}) refused([=](Spec& s) { s.components = components; });
  for (double epsilon : {-0.1, 0.0, 1.0, HUGE_VAL, nan}) {
    refused([=](Spec& s) { s.epsilon = epsilon; });
  }
  refused([](Spec& s) { s.type = static_cast<cerar_type_t>(2); });
}

TEST(RankCode, RefusesAnEpsilonThatTheTypeCannotHold) {
  EXPECT_THROW(make_rank_code({4, 32, 1e-6, CERAR_FLOAT}, 0), std::invalid_argument);
  EXPECT_THROW(make_rank_code({4, 30, 1e-6, CERAR_FLOAT}, 0), std::invalid_argument);
  EXPECT_NO_THROW(make_rank_code({4, 32, 1e-6, CERAR_DOUBLE}, 0));
  EXPECT_THROW(make_rank_code({4, 32, 1e-50, CERAR_DOUBLE}, 0), std::invalid_argument);
}

TEST(RankCode, KeepsItsAccuracyWhenEpsilonIsTiny) {
  // Whatever ε is, W·M = I: with data on one class mate alone the packets hold multiples of one
  // number, and decoding them gives it back as far as the condition allows.
  const double tolerance = test::extended_precision() ? 3e-16 : 1e-15;
  for (double epsilon : {1e-2, 1e-5, 1e-8}) {
    const RankCode code = make_rank_code({3, 12, epsilon, CERAR_DOUBLE}, 0);
    const DecodeMatrices& matrices = code.decode[0];
    for (int r = 0; r < 4; ++r) {
      long double sum = 0, greatest = 0;
      for (int m = 0; m < 4; ++m) {
        sum += matrices.w[r * 4 + m];
        greatest = std::max<long double>(greatest, std::abs(matrices.w[r * 4 + m]));
      }
      EXPECT_LT(static_cast<double>(std::abs(sum - (r == 0 ? 1 : 0)) / greatest), tolerance);
    }
    EXPECT_NEAR(std::log10(matrices.condition * std::pow(epsilon, 3)), 0.17, 0.03);
  }
}

}  // namespace
}  // namespace cerar::code
