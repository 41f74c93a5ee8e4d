// The explicit Vandermonde construction: useless in float but for few components, and exact in the
// limit.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/unit/code_simulation.hpp"

namespace cerar::code {
namespace {

// 200 digits, so that ε^−(c−1) leaves plenty.
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<200>,
                                           boost::multiprecision::et_off>;
using WideMatrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;

// Decode matrix for the worker `lag` before, from the definition; the mean over lags without an
// argument.
WideMatrix coefficients(int ranks, int components, const Wide& epsilon, int lag) {
  WideMatrix rows(components, components);
  for (int m = 0; m < components; ++m) {
    const Wide middle = Wide(components + ranks - 2) / 2;
    const Wide x = epsilon * (Wide(ranks - 1 + m - lag) - middle) / ranks;
    for (int k = 0; k < components; ++k) rows(m, k) = pow(x, k);
  }
  return rows;
}

WideMatrix mean_coefficients(int ranks, int components, const Wide& epsilon) {
  WideMatrix mean = WideMatrix::Zero(components, components);
  for (int lag = 0; lag < ranks; ++lag) {
    mean += coefficients(ranks, components, epsilon, lag) / Wide(ranks);
  }
  return mean;
}

// ‖Ĝ−G‖/‖G‖ at one rank, all ranks having the same matrices, own contribution exact.
double error_in_200_digits(int ranks, int components, const Wide& epsilon) {
  const WideMatrix decode = mean_coefficients(ranks, components, epsilon).inverse();
  std::vector<WideMatrix> by_lag;
  for (int lag = 0; lag < ranks; ++lag) {
    by_lag.push_back(decode * coefficients(ranks, components, epsilon, lag));
  }
  const auto g = test::gaussian_vectors<double>(ranks, components, 20, 1);
  Wide difference = 0, norm = 0;
  for (int e = 0; e < 20; ++e) {
    WideMatrix error = WideMatrix::Zero(components, 1), sum = error;
    for (int lag = 0; lag < ranks; ++lag) {
      WideMatrix x(components, 1);
      for (int k = 0; k < components; ++k) x(k) = g[lag][k][e];
      sum += x;
      if (lag > 0) error += by_lag[lag] * x - x;
    }
    difference += error.squaredNorm();
    norm += sum.squaredNorm();
  }
  return static_cast<double>(sqrt(difference / norm));
}

// In the Frobenius norm, which is within a factor c of the 2-norm: it has the same slope.
Wide condition_in_200_digits(int ranks, int components, const Wide& epsilon) {
  const WideMatrix mean = mean_coefficients(ranks, components, epsilon);
  return mean.norm() * mean.inverse().norm();
}

Spec vandermonde(int ranks, int components, double epsilon, cerar_type_t type = CERAR_DOUBLE) {
  return {ranks, components, epsilon, type, Construction::vandermonde};
}

// c below N, N, not a multiple of N, a multiple of N.
constexpr std::pair<int, int> kCodes[] = {{2, 2}, {2, 3}, {3, 2}, {3, 8}, {4, 4}, {4, 6}, {8, 5}};

TEST(Vandermonde, ErrorGoesToZeroWithEpsilon) {
  for (const auto& [ranks, components] : kCodes) {
    SCOPED_TRACE(testing::Message() << "N = " << ranks << ", c = " << components);
    double before = error_in_200_digits(ranks, components, Wide("1e-3"));
    for (const char* epsilon : {"1e-6", "1e-9", "1e-12", "1e-15"}) {
      const double error = error_in_200_digits(ranks, components, Wide(epsilon));
      EXPECT_NEAR(before / error, 1e3, 20) << epsilon;
      before = error;
    }
    EXPECT_LT(before, 1e-12);
    EXPECT_GT(before, 1e-17);
  }
}

TEST(Vandermonde, ConditionGrowsAsTheLastPowerOfEpsilonFalls) {
  for (const auto& [ranks, components] : kCodes) {
    SCOPED_TRACE(testing::Message() << "N = " << ranks << ", c = " << components);
    for (const char* epsilon : {"1e-3", "1e-6", "1e-12"}) {
      const Wide growth = condition_in_200_digits(ranks, components, Wide(epsilon) / 10) /
                          condition_in_200_digits(ranks, components, Wide(epsilon));
      EXPECT_NEAR(static_cast<double>(log10(growth)), components - 1, 0.01) << epsilon;
    }
  }
}

TEST(Vandermonde, TablesGiveTheSameError) {
  for (const auto& [ranks, components] : {std::pair{2, 2}, {3, 2}, {2, 3}, {3, 4}, {4, 4}}) {
    const auto g = test::gaussian_vectors<double>(ranks, components, 2000, 8);
    const double measured = test::simulate(vandermonde(ranks, components, 1e-2), g).worst();
    const double expected = error_in_200_digits(ranks, components, Wide("1e-2"));
    EXPECT_NEAR(measured / expected, 1, 0.25) << ranks << ' ' << components;
  }
}

TEST(Vandermonde, TablesHaveTheConditionOfTheTheory) {
  for (int ranks : {2, 3, 8}) {
    for (int components = 2; components <= 8; ++components) {
      const auto condition = [&](double epsilon) {
        return make_rank_code(vandermonde(ranks, components, epsilon), 1).decode[0].condition;
      };
      EXPECT_NEAR(std::log10(condition(1e-5) / condition(1e-4)), components - 1, 0.1)
          << "N = " << ranks << ", c = " << components;
    }
  }
}

TEST(Vandermonde, FloatBearsFewComponents) {
  const auto g = test::gaussian_vectors<float>(4, 2, 1000, 8);
  EXPECT_LT(test::simulate(vandermonde(4, 2, 2e-3, CERAR_FLOAT), g).worst(), 2e-3);
}

TEST(Vandermonde, HasOneGroupAndVisitsInHopOrder) {
  const RankCode code = make_rank_code(vandermonde(4, 8, 0.1), 2);
  EXPECT_EQ(code.groups, 1);
  EXPECT_EQ(code.lanes, 8);
  EXPECT_EQ(code.rounds, 10);
  EXPECT_EQ(code.decode.size(), 1u);
  EXPECT_EQ(code.visits[0].size(), 8u);
  EXPECT_EQ(code.visits[4].front().lane, 1);  // the first power stays 1
}

TEST(Vandermonde, RefusesWhatExtendedPrecisionCannotInvert) {
  EXPECT_NO_THROW(make_rank_code(vandermonde(4, 16, 0.1), 0));
  EXPECT_THROW(make_rank_code(vandermonde(4, 17, 0.1), 0), std::invalid_argument);
  EXPECT_THROW(make_rank_code(vandermonde(4, 8, 1e-6, CERAR_FLOAT), 0), std::invalid_argument);
}

}  // namespace
}  // namespace cerar::code
