// What averages over calls gain if the first-order error weights change sign from call to call: by
// reversing the ring, or by letting the nodes fall instead of rise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/code/error.hpp"
#include "tests/unit/code_simulation.hpp"
#include "tests/unit/error_law.hpp"

namespace cerar::code {
namespace {

using test::Own;
using test::Vectors;

enum class Alternate { nothing, ring, nodes };

template <class T>
Vectors<T> all_results(const std::vector<RankCode>& codes, const Vectors<T>& g, Own own) {
  const auto useful = test::run_ring(codes, g);
  Vectors<T> results;
  for (std::size_t i = 0; i < g.size(); ++i) {
    results.push_back(test::decode(codes[i], useful[i], g[i], own));
  }
  return results;
}

// With −ε in place of ε the coefficients of odd powers change sign, which is as if these components
// were negated.
template <class T>
void negate_odd_powers(Vectors<T>& vectors, const RankCode& code) {
  for (auto& vector : vectors) {
    for (int k = 0; k < code.components; ++k) {
      if (std::min(k / code.ranks, code.order) % 2 == 0) continue;
      for (T& x : vector[k]) x = -x;
    }
  }
}

template <class T>
Vectors<T> alternate_call(const std::vector<RankCode>& codes, Vectors<T> g, Own own,
                          Alternate what) {
  const auto turn = [&](Vectors<T>& vectors) {
    if (what == Alternate::ring) std::reverse(vectors.begin(), vectors.end());
    if (what == Alternate::nodes) negate_odd_powers(vectors, codes[0]);
  };
  turn(g);
  Vectors<T> results = all_results(codes, g, own);
  turn(results);
  return results;
}

// Sums over calls, and how far they are from what they should be.
class Average {
 public:
  template <class T>
  void add(const Vectors<T>& g, const Vectors<T>& results) {
    const std::size_t ranks = g.size(), elements = g[0].size() * g[0][0].size();
    sum_.resize(elements, 0);
    sums_.resize(ranks, std::vector<long double>(elements, 0));
    for (std::size_t i = 0; i < ranks; ++i) {
      std::size_t at = 0;
      for (std::size_t k = 0; k < g[i].size(); ++k) {
        for (std::size_t e = 0; e < g[i][k].size(); ++e, ++at) {
          sum_[at] += g[i][k][e];
          sums_[i][at] += results[i][k][e];
        }
      }
    }
  }

  // ‖ΣĜ − ΣG‖/‖ΣG‖ of the worst rank.
  double error() const {
    long double worst = 0, norm = 0;
    for (long double x : sum_) norm += x * x;
    for (const auto& sums : sums_) {
      long double square = 0;
      for (std::size_t at = 0; at < sum_.size(); ++at) {
        square += (sums[at] - sum_[at]) * (sums[at] - sum_[at]);
      }
      worst = std::max(worst, square);
    }
    return static_cast<double>(std::sqrt(worst / norm));
  }

 private:
  std::vector<long double> sum_;
  std::vector<std::vector<long double>> sums_;
};

// Data of a call: what stays the same in all calls, of variance `lasting`, and what is new, of
// variance 1 − lasting.
template <class T>
Vectors<T> call_data(const Spec& spec, int length, double lasting, int call) {
  Vectors<T> g = test::gaussian_vectors<T>(spec.ranks, spec.components, length, 5);
  const auto fresh = test::gaussian_vectors<T>(spec.ranks, spec.components, length, 1000 + call);
  const T old_weight = static_cast<T>(std::sqrt(lasting));
  const T new_weight = static_cast<T>(std::sqrt(1 - lasting));
  for (int i = 0; i < spec.ranks; ++i) {
    for (int k = 0; k < spec.components; ++k) {
      for (int e = 0; e < length; ++e) {
        g[i][k][e] = old_weight * g[i][k][e] + new_weight * fresh[i][k][e];
      }
    }
  }
  return g;
}

// Error of the average of so many calls.
template <class T>
double average_error(const Spec& spec, Own own, Alternate what, double lasting, int calls) {
  const auto codes = test::all_rank_codes(spec);
  Average average;
  for (int call = 0; call < calls; ++call) {
    const auto g = call_data<T>(spec, 800 / spec.components + 20, lasting, call);
    average.add(g, alternate_call(codes, g, own, call % 2 == 0 ? Alternate::nothing : what));
  }
  return average.error();
}

double error_of_two(int ranks, int components, double epsilon, Own own, Alternate what) {
  return average_error<double>({ranks, components, epsilon, CERAR_DOUBLE}, own, what, 1, 2);
}

TEST(ReversedRing, LeavesOfTheSameDataWhatTheTheorySays) {
  for (int ranks : {2, 4, 8}) {
    for (int order : {1, 3}) {
      for (const Own own : {Own::exact, Own::coded}) {
        const int c = (order + 1) * ranks, n = ranks;
        const double gain = error_of_two(ranks, c, 1e-3, own, Alternate::nothing) /
                            error_of_two(ranks, c, 1e-3, own, Alternate::ring);
        const double expected =
            std::sqrt(own == Own::exact ? (n * n - 2 * n + 3) / 3.0 : (n + 1) / 3.0);
        EXPECT_NEAR(gain / expected, 1, 0.1) << "N = " << ranks << ", q = " << order;
      }
    }
  }
}

TEST(FallingNodes, LeaveOfTheSameDataOnlyTheSecondOrder) {
  for (const auto& [ranks, components] : {std::pair{3, 9}, {4, 12}, {4, 14}, {8, 32}}) {
    for (const Own own : {Own::exact, Own::coded}) {
      const double ratio = error_of_two(ranks, components, 0.02, own, Alternate::nodes) /
                           error_of_two(ranks, components, 0.005, own, Alternate::nodes);
      EXPECT_NEAR(std::log(ratio) / std::log(4), 2, 0.1) << ranks << ' ' << components;
    }
  }
  // Order 1, and two ranks, have no even powers of ε in their errors up to order 2: nothing but
  // rounding is left.
  EXPECT_LT(error_of_two(4, 8, 1e-3, Own::exact, Alternate::nodes), 1e-11);
  EXPECT_LT(error_of_two(2, 6, 1e-2, Own::exact, Alternate::nodes), 1e-10);
}

TEST(Alternating, GainsNothingOnIndependentData) {
  for (int order : {1, 3}) {
    const double epsilon =
        ErrorLaw(4, 4 * order + 4, OwnContribution::exact).best_epsilon(CERAR_FLOAT);
    const Spec spec{4, 4 * order + 4, epsilon, CERAR_FLOAT};
    const double plain = average_error<float>(spec, Own::exact, Alternate::nothing, 0, 10);
    for (const auto what : {Alternate::ring, Alternate::nodes}) {
      const double error = average_error<float>(spec, Own::exact, what, 0, 10);
      EXPECT_NEAR(error / plain, 1, 0.15) << order;
    }
  }
}

// Half of the data's variance is new in every call. What is old keeps its error unless that changes
// sign.
TEST(Alternating, LetsTheErrorOfLastingDataFade) {
  const double epsilon = ErrorLaw(8, 32, OwnContribution::exact).best_epsilon(CERAR_FLOAT);
  const Spec spec{8, 32, epsilon, CERAR_FLOAT};
  const double once = average_error<float>(spec, Own::exact, Alternate::nothing, 0.5, 1);
  const auto of_40 = [&](Alternate what) {
    return average_error<float>(spec, Own::exact, what, 0.5, 40);
  };
  EXPECT_GT(of_40(Alternate::nothing) / once, 0.8);
  EXPECT_LT(of_40(Alternate::ring) / once, 0.4);
  EXPECT_LT(of_40(Alternate::nodes) / once, 0.25);
}

}  // namespace
}  // namespace cerar::code
