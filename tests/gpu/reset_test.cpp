// Contexts that are reset (cudaDeviceReset) while teams still have memory, streams and kernels in
// them. The stand-in ends the process if something is used or freed that is gone.
#include <gtest/gtest.h>

#include <memory>

#include "gpu/gpu.hpp"
#include "tests/gpu/harness.hpp"

namespace cerar::gpu::test {
namespace {

constexpr int kRanks = 2;
constexpr int kComponents = 4;
constexpr std::size_t kCount = 9000;

void run_on(CRing& ring, const Calls<float>& calls) {
  for (const cerar_status_t status : ring.run(calls)) {
    ASSERT_EQ(status, CERAR_OK) << cerar_last_error();
  }
  EXPECT_LE(calls.worst_error(), ring::test::error_limit<float>(kRanks, kComponents));
}

class Reset : public testing::TestWithParam<RankBuffers> {
 protected:
  std::unique_ptr<Calls<float>> make_calls() const {
    return std::make_unique<Calls<float>>(std::vector<RankBuffers>(kRanks, GetParam()), kCount, 1);
  }
  static void reset(Calls<float>& calls) {
    must(driver::cuDevicePrimaryCtxReset_v2(0));
    calls.forget();
  }
  // The application's first call after a reset makes it anew.
  static void make_context_anew() {
    api::Context context = nullptr;
    must(driver::cuDevicePrimaryCtxRetain(&context, 0));
    must(driver::cuDevicePrimaryCtxRelease_v2(0));
  }

  Application application_;
  driver::Held before_ = driver::held();
};

TEST_P(Reset, LeavesATeamNothingToFree) {
  {
    CRing ring(kRanks, kComponents, 1024);
    const auto calls = make_calls();
    run_on(ring, *calls);
    reset(*calls);
  }
  EXPECT_EQ(driver::held(), before_);
  unsigned flags = 0;
  int active = 1;
  must(driver::cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 0) << "a context was made";
}

// Where the old memory was there may be other memory now.
TEST_P(Reset, LeavesLaterMemoryOfTheApplicationAlone) {
  {
    auto ring = std::make_unique<CRing>(kRanks, kComponents, 1024);
    const auto calls = make_calls();
    run_on(*ring, *calls);
    reset(*calls);
    make_context_anew();
    std::vector<std::unique_ptr<Buffer<float>>> buffers;
    for (int i = 0; i < 200; ++i) {
      buffers.push_back(std::make_unique<Buffer<float>>(Where::device, 256 << (i % 8)));
    }
    const driver::Held held = driver::held();
    ring.reset();
    EXPECT_EQ(driver::held().device_allocations, held.device_allocations);
  }
  EXPECT_EQ(driver::held(), before_);
}

TEST_P(Reset, DoesNotHinderLaterCallsOfATeam) {
  {
    CRing ring(kRanks, kComponents, 1024);
    auto calls = make_calls();
    run_on(ring, *calls);
    reset(*calls);
    make_context_anew();
    for (const int again : {0, 1}) {
      SCOPED_TRACE(again);
      calls = make_calls();
      run_on(ring, *calls);
    }
  }
  EXPECT_EQ(driver::held(), before_);
}

TEST_P(Reset, LetsAFailedCallBeFreed) {
  {
    CRing ring(kRanks, kComponents, 1024);
    const auto calls = make_calls();
    cerar_request_t* request = nullptr;
    ASSERT_EQ(cerar_allreduce_post(ring.team(0), calls->send(0), calls->recv(0), kCount,
                                   CERAR_FLOAT, &request),
              CERAR_OK);
    for (const char* function : {"cuEventQuery", "cuMemcpyAsync"}) {
      driver::fail(function, driver::kAll, api::kLaunchFailed);
    }
    for (int turn = 0; cerar_request_test(request) == CERAR_IN_PROGRESS; ++turn) {
      ASSERT_LT(turn, 1'000'000);
    }
    EXPECT_EQ(cerar_request_test(request), CERAR_ERR_DEVICE);
    reset(*calls);
    cerar_request_free(request);
  }
  EXPECT_EQ(driver::held(), before_);
}

INSTANTIATE_TEST_SUITE_P(OfADevice, Reset,
                         testing::Values(RankBuffers{Where::device, Where::device, false, 0},
                                         RankBuffers{Where::pooled, Where::pooled, true, 0},
                                         RankBuffers{Where::device, Where::host, false, 0}));

TEST(ResetContext, ThatIsCurrentIsNoContextToAskIn) {
  Application application;
  const Buffer<float> host(Where::host, 4);
  Buffer<float> elsewhere(Where::other_device, 4);
  must(driver::cuDevicePrimaryCtxReset_v2(0));
  EXPECT_EQ(classify(host.data()), Kind::host);
  EXPECT_EQ(classify(elsewhere.data()), Kind::device);
  must(driver::cuDevicePrimaryCtxReset_v2(1));
  EXPECT_EQ(classify(host.data()), Kind::host);
  elsewhere.forget();
}

}  // namespace
}  // namespace cerar::gpu::test
