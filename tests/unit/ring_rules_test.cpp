// Teams that follow rules: code, segments and tolerance are each call's own.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "tests/unit/ring_harness.hpp"

namespace cerar::ring::test {
namespace {

constexpr int kRanks = 4;

TeamOptions with_rules(const std::string& text) {
  TeamOptions options;
  options.ranks = kRanks;
  options.tolerance = 1e-3;
  options.rules = std::make_shared<const plan::Rules>(plan::Rules::parse(text, "rules"));
  return options;
}

// Runs a call whose result must be within limit, and returns what the team says of it.
template <class T>
std::pair<ChosenCode, CallPlan> run(Ring& ring, std::size_t count, double limit) {
  Reduction<T> reduction(gaussian<T>(kRanks, count, 11));
  ring.run(reduction);
  EXPECT_LE(worst_error(reduction.results, exact_sum(reduction.inputs)), limit);
  for (int rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(reduction.status[rank], CERAR_OK);
    EXPECT_EQ(ring.team(rank).last_code().spec, ring.team(0).last_code().spec);
  }
  return {ring.team(0).last_code(), ring.team(0).last_plan()};
}

TEST(TeamRules, EachCallFollowsItsOwn) {
  Ring ring(
      with_rules("bytes 0-39999 : exact\n"
                 "ranks 2 : off\n"
                 "bytes 40000 type float : components 12 epsilon 0.02 segment 1K\n"
                 "bytes 40000 : components 8\n"
                 "bytes 40001-80000 : tolerance 0.5\n"));
  for (int turn = 0; turn < 2; ++turn) {
    auto [code, plan] = run<float>(ring, 9999, 1e-6);
    EXPECT_EQ(code.spec.components, 4);
    EXPECT_EQ(plan.rule_line, 1);
    EXPECT_EQ(plan.request.tolerance, 0);
    EXPECT_EQ(plan.request.segment_bytes, kDefaultSegment);
    std::tie(code, plan) = run<float>(ring, 10000, 0.1);
    EXPECT_EQ(code.spec.components, 12);
    EXPECT_EQ(code.spec.epsilon, 0.02);
    EXPECT_EQ(plan.rule_line, 3);
    EXPECT_EQ(plan.request.segment_bytes, 1024U);
    std::tie(code, plan) = run<double>(ring, 5000, 1e-3);
    EXPECT_EQ(code.spec.components, 8);
    EXPECT_EQ(plan.rule_line, 4);
    std::tie(code, plan) = run<double>(ring, 9999, 0.5);
    EXPECT_EQ(plan.rule_line, 5);
    EXPECT_EQ(plan.request.tolerance, 0.5);
    std::tie(code, plan) = run<double>(ring, 10001, 1e-3);
    EXPECT_EQ(plan.rule_line, 0);
    EXPECT_EQ(plan.request.tolerance, 1e-3);
  }
}

TEST(TeamRules, CallsOfDifferentSegmentsOverlap) {
  Ring ring(with_rules("bytes 40000 : exact segment 512\n: exact segment 8K\n"));
  Reduction<float> small(gaussian<float>(kRanks, 10000, 12));
  Reduction<float> large(gaussian<float>(kRanks, 30001, 13));
  ring.post(small);
  ring.post(large);
  for (int turn = 0; turn < 3; ++turn) {
    ring.progress(large);
    ring.progress(small);
  }
  ring.finish(large);
  ring.finish(small);
  EXPECT_LE(worst_error(small.results, exact_sum(small.inputs)), 1e-6);
  EXPECT_LE(worst_error(large.results, exact_sum(large.inputs)), 1e-6);
}

TEST(TeamRules, KeepTheToleranceWhereTheyMust) {
  TeamOptions options = with_rules("bytes 0-40000 : components 16\n: tolerance 0.9 segment 2K\n");
  options.kept.tolerance = true;
  options.tolerance = 1e-5;
  Ring ring(options);
  EXPECT_LE(run<float>(ring, 10000, 1e-5).first.spec.components, 4);
  const auto plan = run<float>(ring, 100000, 1e-5).second;
  EXPECT_EQ(plan.request.tolerance, 1e-5);
  EXPECT_EQ(plan.request.segment_bytes, 2048U);
  EXPECT_EQ(plan.rule_line, 2);
}

TEST(TeamRules, WhatCannotBeHadIsRefusedAtOnce) {
  const auto refusal = [](const std::string& text) -> std::string {
    transport::InprocRing fabric(kRanks);
    try {
      Team(with_rules(text), fabric.link(0));
      return "";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  const std::string rule = " type float : components 32 epsilon 1e-30";
  EXPECT_EQ(refusal("\nranks 4-" + rule).find("the rule in line 2: "), 0U);
  EXPECT_EQ(refusal("\nranks 5-" + rule), "");  // not for these ranks
}

}  // namespace
}  // namespace cerar::ring::test
