// What averages over calls gain where the ring is reversed from each call to the next.
#include <gtest/gtest.h>

#include "tests/unit/error_law.hpp"
#include "tests/unit/ring_harness.hpp"

namespace cerar::ring::test {
namespace {

constexpr int kRanks = 8, kComponents = 32;
constexpr std::size_t kCount = 8000;

// In a reversed ring rank i takes the place of rank −i.
int place(int rank, bool reversed) { return reversed ? (kRanks - rank) % kRanks : rank; }

Vectors<float> all_reduce(Ring& ring, const Vectors<float>& data, bool reversed) {
  Vectors<float> placed(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) placed[place(rank, reversed)] = data[rank];
  Reduction<float> reduction(placed);
  ring.run(reduction);
  Vectors<float> results(kRanks);
  for (int rank = 0; rank < kRanks; ++rank)
    results[rank] = reduction.results[place(rank, reversed)];
  return results;
}

// Relative error of the sum of the results of two calls with the data of these two seeds.
double error_of_two(bool alternating, std::uint64_t first, std::uint64_t second) {
  TeamOptions options;
  options.ranks = kRanks;
  options.components = kComponents;
  options.epsilon =
      code::ErrorLaw(kRanks, kComponents, code::OwnContribution::exact).best_epsilon(CERAR_FLOAT);
  Ring ring(options);
  Vectors<long double> results(kRanks, std::vector<long double>(kCount));
  std::vector<long double> sum(kCount);
  for (bool again : {false, true}) {
    const auto data = gaussian<float>(kRanks, kCount, again ? second : first);
    const auto exact = exact_sum(data);
    const auto reduced = all_reduce(ring, data, again && alternating);
    for (std::size_t e = 0; e < kCount; ++e) {
      sum[e] += exact[e];
      for (int rank = 0; rank < kRanks; ++rank) results[rank][e] += reduced[rank][e];
    }
  }
  return worst_error(results, sum);
}

TEST(ReversedRing, CancelsFirstOrderErrorsOfDataThatComeTwice) {
  EXPECT_LT(error_of_two(true, 5, 5), error_of_two(false, 5, 5) / 2);
}

TEST(ReversedRing, GainsNothingForDataThatAreIndependentFromCallToCall) {
  EXPECT_NEAR(error_of_two(true, 5, 6) / error_of_two(false, 5, 6), 1, 0.05);
}

}  // namespace
}  // namespace cerar::ring::test
