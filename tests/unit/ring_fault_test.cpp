// What a call does when its transport fails: it ends with an error on the rank that saw it, frees
// what it took, and never hangs.
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/ring_harness.hpp"

namespace cerar::ring::test {
namespace {

TeamOptions small_team() {
  TeamOptions options;
  options.ranks = 3;
  options.components = 6;
  options.segment_bytes = 1024;
  return options;
}

constexpr std::size_t kCount = 3000;

class RingFault : public testing::TestWithParam<transport::InprocCall> {};

TEST_P(RingFault, EndsTheCallOnTheRankThatSeesIt) {
  Ring healthy(small_team());
  Reduction<float> reference(gaussian<float>(3, kCount, 1));
  healthy.run(reference);
  const std::uint64_t calls = healthy.fabric().calls(1, GetParam());
  ASSERT_GT(calls, 0u);

  for (std::uint64_t k = 0; k < calls; k += 1 + calls / 97) {
    Ring ring(small_team());
    ring.fabric().fail(1, GetParam(), k);
    Reduction<float> reduction(gaussian<float>(3, kCount, 1));
    ring.post(reduction);
    // The others wait for what will not come, so they are not waited for.
    for (int turn = 0; turn < 200000 && reduction.status[1] == CERAR_IN_PROGRESS; ++turn) {
      ring.progress(reduction);
    }
    ASSERT_EQ(reduction.status[1], CERAR_ERR_TRANSPORT) << "fault at call " << k;
    EXPECT_EQ(ring.fabric().outstanding(1), 0u) << "fault at call " << k;
    EXPECT_EQ(reduction.calls[1]->progress(), CERAR_ERR_TRANSPORT);
    for (auto& call : reduction.calls) call.reset();
    EXPECT_EQ(ring.fabric().outstanding(), 0u);
  }
}

std::string name_of(const testing::TestParamInfo<transport::InprocCall>& info) {
  switch (info.param) {
    case transport::InprocCall::send:
      return "Send";
    case transport::InprocCall::recv:
      return "Recv";
    default:
      return "Test";
  }
}

INSTANTIATE_TEST_SUITE_P(AtEveryCall, RingFault,
                         testing::Values(transport::InprocCall::send, transport::InprocCall::recv,
                                         transport::InprocCall::test),
                         name_of);

TEST(RingLostPeer, EndsTheCallOfBothNeighbours) {
  Ring ring(small_team());
  Reduction<float> reduction(gaussian<float>(3, kCount, 1));
  ring.post(reduction);
  for (int turn = 0; turn < 5; ++turn) ring.progress(reduction);
  ring.fabric().lose(1);
  ASSERT_NO_THROW(ring.finish(reduction));
  EXPECT_EQ(reduction.status[0], CERAR_ERR_TRANSPORT);
  EXPECT_EQ(reduction.status[2], CERAR_ERR_TRANSPORT);
  EXPECT_EQ(ring.fabric().outstanding(), 0u);
}

TEST(RingCancel, GivesEverythingBack) {
  for (int turns : {0, 1, 3, 10, 30}) {
    Ring ring(small_team());
    Reduction<float> reduction(gaussian<float>(3, kCount, 1));
    ring.post(reduction);
    for (int turn = 0; turn < turns; ++turn) ring.progress(reduction);
    for (auto& call : reduction.calls) call.reset();
    EXPECT_EQ(ring.fabric().outstanding(), 0u) << turns << " turns";
  }
}

}  // namespace
}  // namespace cerar::ring::test
