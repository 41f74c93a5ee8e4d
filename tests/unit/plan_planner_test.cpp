// Which code the planner chooses, and that it keeps what was asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <thread>

#include "core/plan/planner.hpp"
#include "tests/unit/code_simulation.hpp"

namespace cerar::plan {
namespace {

constexpr LinkModel kSlowLink{50e-6, 23.9e6, 1e-10, 2e-6};

Request request_for(int ranks, cerar_type_t type, double tolerance) {
  Request request;
  request.ranks = ranks;
  request.type = type;
  request.bytes = 16 << 20;
  request.tolerance = tolerance;
  request.link = kSlowLink;
  return request;
}

template <class T>
double measured(const code::Spec& spec, std::uint64_t seed, test::Own own) {
  const int length = std::max(50, 4000 / spec.components);
  return test::simulate(spec, test::gaussian_vectors<T>(spec.ranks, spec.components, length, seed),
                        own)
      .worst();
}

template <class T>
void expect_kept(int ranks, cerar_type_t type, const std::vector<double>& tolerances) {
  for (double tolerance : tolerances) {
    const Plan plan = choose(request_for(ranks, type, tolerance));
    for (test::Own own : {test::Own::exact, test::Own::coded}) {
      EXPECT_LE(measured<T>(plan.spec, 3, own), tolerance)
          << "N = " << ranks << ", tolerance " << tolerance << ", c = " << plan.spec.components;
    }
  }
}

TEST(Planner, KeepsTheToleranceOnGaussianData) {
  for (int ranks : {2, 3, 4, 5, 8}) {
    expect_kept<float>(ranks, CERAR_FLOAT, {1e-1, 1e-2, 1e-3, 1e-4, 1e-6});
    expect_kept<double>(ranks, CERAR_DOUBLE, {1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12});
  }
}

Plan epsilon_plan(int ranks, double tolerance) {
  Request request = request_for(ranks, CERAR_FLOAT, tolerance);
  request.design = Design::epsilon;
  return choose(request);
}

TEST(Planner, KeepsTheToleranceWhereItIsJustAboveTheError) {
  for (int ranks : {3, 4, 7}) {
    for (int lanes = 2; lanes <= 4; ++lanes) {
      const CodeLaw law(ranks, lanes * ranks);
      const Scales scales = law.powers(law.best_epsilon(CERAR_FLOAT, 0));
      const double allowed =
          law.error(scales, CERAR_FLOAT).total() * margin(request_for(ranks, CERAR_FLOAT, 0));
      const Plan plan = epsilon_plan(ranks, allowed * 1.0001);
      EXPECT_EQ(plan.spec.components, lanes * ranks);
      EXPECT_EQ(epsilon_plan(ranks, allowed * 0.999).order, lanes - 2);
      EXPECT_LE(measured<float>(plan.spec, 9, test::Own::coded), allowed) << ranks;
    }
  }
}

TEST(Planner, TakesFreeScalesWhereTheEpsilonConstructionJustFails) {
  for (cerar_type_t type : {CERAR_FLOAT, CERAR_DOUBLE}) {
    const CodeLaw law(8, 32);
    const Scales scales = law.powers(law.best_epsilon(type, 0));
    const double allowed = law.error(scales, type).total() * margin(request_for(8, type, 0));
    EXPECT_EQ(choose(request_for(8, type, allowed * 1.0001)).design, Design::epsilon);
    const Plan plan = choose(request_for(8, type, allowed * 0.95));
    EXPECT_EQ(plan.design, Design::constrained);
    EXPECT_EQ(plan.spec.components, 32);
    const double error = type == CERAR_FLOAT ? measured<float>(plan.spec, 5, test::Own::coded)
                                             : measured<double>(plan.spec, 5, test::Own::coded);
    EXPECT_LE(error, allowed * 0.95);
    EXPECT_GT(error, plan.error.total() / 1.5);
  }
}

TEST(Planner, SendsLessTheMoreErrorIsAllowed) {
  EXPECT_EQ(choose(request_for(8, CERAR_FLOAT, 1e-6)).spec.components, 8);
  EXPECT_EQ(choose(request_for(8, CERAR_FLOAT, 1e-3)).spec.components, 16);
  EXPECT_EQ(choose(request_for(8, CERAR_FLOAT, 8e-3)).spec.components, 24);
  EXPECT_EQ(choose(request_for(8, CERAR_FLOAT, 1e-2)).spec.components, 32);
  EXPECT_EQ(choose(request_for(8, CERAR_DOUBLE, 1e-6)).spec.components, 16);
  EXPECT_EQ(choose(request_for(8, CERAR_DOUBLE, 1e-3)).spec.components, 40);
}

TEST(Planner, ZeroToleranceMeansTheRing) {
  for (Design design : {Design::automatic, Design::exact, Design::epsilon}) {
    for (std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{1} << 26}) {
      Request request = request_for(6, CERAR_DOUBLE, 0);
      request.design = design;
      request.bytes = bytes;
      const std::vector<Plan> plans = candidates(request);
      ASSERT_EQ(plans.size(), 1U);
      EXPECT_EQ(plans[0].spec.components, 6);
      EXPECT_TRUE(plans[0].chosen);
    }
  }
}

TEST(Planner, MarksTheFastestOfThoseThatKeepTheTolerance) {
  for (double tolerance : {1e-12, 1e-4, 1e-2, 1.0}) {
    const std::vector<Plan> plans = candidates(request_for(12, CERAR_FLOAT, tolerance));
    const auto chosen = std::find_if(plans.begin(), plans.end(), [](auto& p) { return p.chosen; });
    ASSERT_NE(chosen, plans.end());
    EXPECT_TRUE(chosen->keeps_tolerance);
    for (const Plan& plan : plans) {
      if (plan.keeps_tolerance) {
        EXPECT_LE(chosen->seconds, plan.seconds);
      }
      EXPECT_EQ(plan.chosen, &plan == &*chosen);
      EXPECT_NEAR(plan.traffic_ratio, (plan.rounds * 1.0 / plan.spec.components) / (22.0 / 12),
                  1e-12);
    }
    const Plan plan = choose(request_for(12, CERAR_FLOAT, tolerance));
    EXPECT_EQ(plan.spec, chosen->spec);
    EXPECT_EQ(plan.seconds, chosen->seconds);
  }
}

class RandomRequests {
 public:
  explicit RandomRequests(std::uint64_t seed) : engine_(seed) {}

  double between(double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(engine_));
  }

  Request next() {
    static constexpr int kRanks[] = {2, 3, 4, 6, 8, 12, 17, 32, 100, 1024};
    Request request;
    request.ranks = kRanks[engine_() % std::size(kRanks)];
    request.type = engine_() % 2 == 0 ? CERAR_FLOAT : CERAR_DOUBLE;
    request.bytes = static_cast<std::size_t>(between(1, 1e9));
    request.tolerance = engine_() % 8 == 0 ? 0 : between(1e-13, 1);
    if (engine_() % 4 == 0) request.max_condition = between(1, 1e9);
    if (engine_() % 4 == 0) request.epsilon = between(1e-6, 0.5);
    if (engine_() % 4 == 0) request.segment_bytes = static_cast<std::size_t>(between(512, 1e7));
    static constexpr Design kDesigns[] = {Design::automatic, Design::exact, Design::epsilon,
                                          Design::constrained};
    request.design = kDesigns[engine_() % 4];
    if (request.design == Design::constrained) request.epsilon = 0;
    request.link = {between(1e-7, 1e-2), between(1e6, 1e11), between(1e-11, 1e-9),
                    between(1e-8, 1e-4)};
    return request;
  }

 private:
  std::mt19937_64 engine_;
};

TEST(Planner, ALooserToleranceNeverGivesASlowerPlan) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomRequests random(seed);
  for (int trial = 0; trial < 2000; ++trial) {
    Request request = random.next();
    const Plan tight = choose(request);
    request.tolerance = std::min(1.0, std::max(request.tolerance, 1e-13) * random.between(1, 1e4));
    const Plan loose = choose(request);
    ASSERT_LE(loose.seconds, tight.seconds)
        << "trial " << trial << ", N = " << request.ranks << ", bytes " << request.bytes
        << ", tolerance " << request.tolerance;
  }
}

TEST(Planner, DoesNotDependOnWhatWasAskedBefore) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  RandomRequests random(seed);
  Planner old;
  for (int trial = 0; trial < 50; ++trial) {
    const Request request = random.next();
    const Plan first = old.choose(request);
    const Plan fresh = Planner().choose(request);
    EXPECT_EQ(first.spec, fresh.spec);
    EXPECT_EQ(first.segment_bytes, fresh.segment_bytes);
    EXPECT_EQ(first.seconds, fresh.seconds);
  }
}

TEST(Planner, AnalysesACodeOnceAndNoSlowerOnesThanTheChoice) {
  Planner planner;
  Request request = request_for(8, CERAR_FLOAT, 1e-3);
  planner.choose(request);
  // The ε-constructions, all faster than the ring, from the fastest down to q = 1.
  EXPECT_EQ(planner.laws(), 7U);
  request.bytes += 1;
  planner.choose(request);
  request.type = CERAR_DOUBLE;
  request.tolerance = 1e-6;
  planner.choose(request);
  EXPECT_EQ(planner.laws(), 7U);
  planner.candidates(request);
  EXPECT_EQ(planner.laws(), 8U);  // the exact ones share one
  request.ranks = 9;
  request.tolerance = 1;
  planner.choose(request);
  EXPECT_EQ(planner.laws(), 9U);
}

TEST(Planner, TakesTheComponentsThatTheUserNames) {
  Request request = request_for(8, CERAR_FLOAT, 1e-9);
  for (int components : {1, 3, 8, 12, 64}) {
    request.components = components;
    const Plan plan = choose(request);
    EXPECT_EQ(plan.spec.components, components);
    EXPECT_EQ(plan.keeps_tolerance, components == 8);
    EXPECT_EQ(candidates(request).size(), components == 8 ? 1U : 2U);
  }
  request.epsilon = 0.25;
  EXPECT_EQ(choose(request).spec.epsilon, 0.25);
  request.segment_bytes = 5000;
  EXPECT_EQ(choose(request).segment_bytes, 5000U);
}

TEST(Planner, KeepsTheGreatestCondition) {
  Request request = request_for(8, CERAR_FLOAT, 1e-1);
  const Plan free = choose(request);
  EXPECT_GT(free.condition, 1000);
  request.max_condition = 1000;
  const Plan kept = choose(request);
  EXPECT_LE(kept.condition, 1000);
  EXPECT_GE(kept.seconds, free.seconds);
  EXPECT_GT(kept.order, 0);
  request.max_condition = 1;
  EXPECT_EQ(choose(request).order, 0);
}

TEST(Planner, SeesThatExactAlgorithmsAreFasterForShortVectors) {
  Request request = request_for(16, CERAR_FLOAT, 1e-3);
  request.bytes = 64;
  EXPECT_TRUE(choose(request).exact_is_faster);
  EXPECT_EQ(choose(request).exact_algorithm, ExactAlgorithm::recursive_doubling);
  request.bytes = 64 << 20;
  EXPECT_FALSE(choose(request).exact_is_faster);
  EXPECT_GT(choose(request).exact_seconds, choose(request).seconds);
  // A link that is faster than the core: nothing is gained by sending less.
  request.link = {1e-6, 100e9, 1e-10, 1e-6};
  EXPECT_EQ(choose(request).order, 0);
}

TEST(Planner, IsTheSameInAllThreads) {
  std::vector<std::vector<double>> found(6);
  std::vector<std::thread> threads;
  Planner planner;
  for (auto& mine : found) {
    threads.emplace_back([&] {
      for (int ranks = 2; ranks < 12; ++ranks) {
        const Plan plan = planner.choose(request_for(ranks, CERAR_FLOAT, 1e-2));
        mine.insert(mine.end(), {plan.seconds, plan.spec.epsilon, plan.error.total()});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : found) EXPECT_EQ(mine, found[0]);
}

// The message names parameter, value and range.
template <class Change>
void expect_refused(const std::string& message, Change change) {
  Request request = request_for(8, CERAR_FLOAT, 1e-3);
  change(request);
  for (const bool all : {false, true}) {
    try {
      if (all) {
        candidates(request);
      } else {
        choose(request);
      }
      ADD_FAILURE() << "accepted; expected: " << message;
    } catch (const std::invalid_argument& refusal) {
      EXPECT_EQ(refusal.what(), message);
    }
  }
}

TEST(Planner, RefusesWhatIsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused("ranks is 1, expected 2 to 1048576", [](auto& r) { r.ranks = 1; });
  expect_refused("type is 7, expected CERAR_FLOAT or CERAR_DOUBLE",
                 [](auto& r) { r.type = static_cast<cerar_type_t>(7); });
  expect_refused("tolerance is -0.1, expected 0 (exact) to 1", [](auto& r) { r.tolerance = -0.1; });
  expect_refused("tolerance is nan, expected 0 (exact) to 1", [&](auto& r) { r.tolerance = nan; });
  expect_refused("max_condition is 0.5, expected 1 or more, or 0 for no limit",
                 [](auto& r) { r.max_condition = 0.5; });
  expect_refused("components is 65, expected 1 to 64 (8 a rank), or 0",
                 [](auto& r) { r.components = 65; });
  expect_refused("epsilon is 1, expected a number between 0 and 1, or 0 for the best",
                 [](auto& r) { r.epsilon = 1; });
  expect_refused("segment_bytes is 511, expected 512 to 16777216, or 0",
                 [](auto& r) { r.segment_bytes = 511; });
  expect_refused("bandwidth is 0, expected more than 0 bytes/s",
                 [](auto& r) { r.link.bandwidth = 0; });
  expect_refused("latency is -1, expected 0 s or more", [](auto& r) { r.link.latency = -1; });
  expect_refused("combine is 0, expected more than 0 s/byte", [](auto& r) { r.link.combine = 0; });
}

TEST(Planner, ConstrainedDesignKeepsTheCondition) {
  for (const double condition : {1e2, 1e4}) {
    Request request = request_for(4, CERAR_FLOAT, 0.5);
    request.design = Design::constrained;
    request.components = 12;
    request.max_condition = condition;
    const Plan plan = choose(request);
    ASSERT_TRUE(plan.keeps_tolerance) << condition;
    for (const code::RankCode& code : test::all_rank_codes(plan.spec)) {
      for (const auto& matrices : code.decode) EXPECT_LE(matrices.condition, condition * 1.001);
    }
    EXPECT_LE(measured<float>(plan.spec, 5, test::Own::coded), plan.error.total() * 1.5);
  }
}

TEST(Planner, RefusesWhatContradictsItself) {
  expect_refused("components is 9, expected at most 8 (the ranks) with design exact", [](auto& r) {
    r.components = 9;
    r.design = Design::exact;
  });
  expect_refused("epsilon is 0.1, expected 0 with design constrained", [](auto& r) {
    r.epsilon = 0.1;
    r.design = Design::constrained;
  });
  expect_refused("components is 17, expected at most 16 with design vandermonde", [](auto& r) {
    r.components = 17;
    r.design = Design::vandermonde;
  });
  expect_refused("components is 8, expected more than 8 (the ranks) with design epsilon",
                 [](auto& r) {
                   r.components = 8;
                   r.design = Design::epsilon;
                 });
}

}  // namespace
}  // namespace cerar::plan
