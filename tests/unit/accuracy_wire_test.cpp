// The predicted error and spread against what the engine's results have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/code/spread.hpp"
#include "core/plan/planner.hpp"
#include "tests/unit/accuracy_reference.hpp"
#include "tests/unit/error_law.hpp"

namespace cerar::ring::test {
namespace {

using code::OwnContribution;

// least: how far below the prediction the error may be in place; otherwise it is 1/1.5.
template <class T>
void expect_predicted(const code::Spec& spec, double least) {
  TeamOptions options;
  options.ranks = spec.ranks;
  options.components = spec.components;
  options.epsilon = spec.epsilon;
  Ring ring(options);
  const std::size_t count = std::max(5000, 80 * spec.components);
  for (const bool in_place : {false, true}) {
    const double below = in_place ? least : 1 / 1.5;
    SCOPED_TRACE(testing::Message() << "N = " << spec.ranks << ", c = " << spec.components
                                    << ", epsilon = " << spec.epsilon << ", type " << spec.type
                                    << (in_place ? ", in place" : ""));
    Reduction<T> reduction(gaussian<T>(spec.ranks, count, 41));
    reduction.in_place.assign(spec.ranks, in_place);
    ring.run(reduction);
    const auto own = in_place ? OwnContribution::coded : OwnContribution::exact;
    const double ratio =
        worst_relative_error(reduction.inputs, reduction.results) / predict(spec, own).total();
    EXPECT_LT(ratio, 1.5);
    EXPECT_GT(ratio, below);
  }
}

class OnTheWire : public testing::TestWithParam<int> {};

// At the best ε, and where rounding, or approximation, is the greater part.
TEST_P(OnTheWire, TheErrorIsPredicted) {
  const int ranks = GetParam();
  for (int order = 0; order <= 3; ++order) {
    const int components = (order + 1) * ranks;
    const code::ErrorLaw law(ranks, components, OwnContribution::exact);
    for (double off : {0.4, 1.0, 2.5}) {
      // A rank that works in place sums up its increment before it adds it, which rounds less than
      // the prediction has it: up to √q where rounding is all there is.
      const double least = off < 1 ? 1 / 1.75 : 1 / 1.5;
      const double f = off * law.best_epsilon(CERAR_FLOAT);
      const double d = off * law.best_epsilon(CERAR_DOUBLE);
      expect_predicted<float>({ranks, components, f, CERAR_FLOAT}, least);
      expect_predicted<double>({ranks, components, d, CERAR_DOUBLE}, least);
      if (order == 0) break;  // there is no ε
    }
  }
}

// What the planner chooses, by its own prediction.
template <class T>
void expect_within_margin(int ranks, int components, cerar_type_t type, plan::Design design) {
  plan::Request request;
  request.ranks = ranks;
  request.components = components;
  request.type = type;
  request.design = design;
  const std::size_t count = 20000;
  request.bytes = count * sizeof(T);
  const plan::Plan plan = plan::choose(request);
  TeamOptions options;
  options.ranks = ranks;
  options.components = components;
  options.design = design;
  Ring ring(options);
  for (const bool in_place : {false, true}) {
    Reduction<T> reduction(gaussian<T>(ranks, count, 47));
    reduction.in_place.assign(ranks, in_place);
    ring.run(reduction);
    EXPECT_LE(worst_relative_error(reduction.inputs, reduction.results),
              plan::margin(request) * plan.error.total())
        << "N = " << ranks << ", c = " << components << ", type " << type << ", design "
        << plan::name_of(design) << (in_place ? ", in place" : "");
  }
}

TEST_P(OnTheWire, TheErrorIsWithinThePlannersMargin) {
  const int ranks = GetParam();
  for (const int components : {2 * ranks, 3 * ranks, 4 * ranks}) {
    for (const plan::Design design : {plan::Design::epsilon, plan::Design::constrained}) {
      expect_within_margin<float>(ranks, components, CERAR_FLOAT, design);
      expect_within_margin<double>(ranks, components, CERAR_DOUBLE, design);
    }
  }
}

template <class T>
double measured_spread(const Vectors<T>& results, const std::vector<long double>& sum) {
  long double norm = 0, worst = 0;
  for (long double x : sum) norm += x * x;
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      long double apart = 0;
      for (std::size_t e = 0; e < sum.size(); ++e) {
        const long double difference = static_cast<long double>(results[i][e]) - results[j][e];
        apart += difference * difference;
      }
      worst = std::max(worst, apart);
    }
  }
  return static_cast<double>(std::sqrt(worst / norm));
}

template <class T>
void expect_spread(const code::Spec& spec, double least, double most) {
  TeamOptions options;
  options.ranks = spec.ranks;
  options.components = spec.components;
  options.epsilon = spec.epsilon;
  Ring ring(options);
  for (const bool in_place : {false, true}) {
    SCOPED_TRACE(testing::Message() << "N = " << spec.ranks << ", c = " << spec.components
                                    << ", epsilon = " << spec.epsilon << ", type " << spec.type
                                    << (in_place ? ", in place" : ""));
    Reduction<T> reduction(gaussian<T>(spec.ranks, 5000, 43));
    reduction.in_place.assign(spec.ranks, in_place);
    ring.run(reduction);
    const auto own = in_place ? OwnContribution::coded : OwnContribution::exact;
    const double measured = measured_spread(reduction.results, exact_sum(reduction.inputs));
    const double predicted = predict_spread(spec, own).total();
    EXPECT_LE(measured, most * predicted);
    EXPECT_GE(measured, least * predicted);
  }
}

TEST_P(OnTheWire, TheSpreadIsPredicted) {
  const int ranks = GetParam();
  for (int order = 0; order <= 3; ++order) {
    const int components = (order + 1) * ranks;
    const code::ErrorLaw law(ranks, components, OwnContribution::exact);
    for (double off : {0.4, 1.0, 2.5}) {
      // Below the best ε, where rounding rules, the prediction is rough.
      const double least = off < 1 ? 1 / 2.5 : 1 / 1.2, most = off < 1 ? 1.6 : 1.2;
      const double f = off * law.best_epsilon(CERAR_FLOAT);
      const double d = off * law.best_epsilon(CERAR_DOUBLE);
      expect_spread<float>({ranks, components, f, CERAR_FLOAT}, least, most);
      expect_spread<double>({ranks, components, d, CERAR_DOUBLE}, least, most);
      if (order == 0) break;  // there is no ε
    }
  }
}

TEST(Spread, IsNotKnownWhereComponentsAreShared) {
  const auto refused = [](const code::Spec& spec) {
    EXPECT_THROW(predict_spread(spec, OwnContribution::exact), std::invalid_argument);
  };
  refused({4, 6, 0.01, CERAR_FLOAT});
  refused({4, 3, 0, CERAR_FLOAT});
  refused({0, 6, 0.01, CERAR_FLOAT});
}

INSTANTIATE_TEST_SUITE_P(Ranks, OnTheWire, testing::Values(2, 3, 4, 5, 8, 16));

}  // namespace
}  // namespace cerar::ring::test
