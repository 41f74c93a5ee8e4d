// Calls made while the application captures a stream into a graph, which forbids much to it.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tests/gpu/harness.hpp"

namespace cerar::gpu::test {
namespace {

constexpr int kRanks = 2;
constexpr int kComponents = 4;
constexpr std::size_t kCount = 9000;
constexpr unsigned kBlocking = 0;

class Capture {
 public:
  Capture(unsigned stream_flags, int mode) {
    must(driver::cuStreamCreate(&stream_, stream_flags));
    must(driver::cuStreamBeginCapture_v2(stream_, mode));
  }
  ~Capture() {
    end();
    driver::cuStreamDestroy_v2(stream_);
  }
  // Whether there is a graph now.
  bool end() { return driver::cuStreamEndCapture(stream_, nullptr) == api::kSuccess; }

 private:
  api::Stream stream_ = nullptr;
};

// Of the thread.
int capture_mode() {
  int mode = api::kCaptureGlobal;
  must(driver::cuThreadExchangeStreamCaptureMode(&mode));
  const int before = mode;
  must(driver::cuThreadExchangeStreamCaptureMode(&mode));
  return before;
}

void run_on(CRing& ring, const Calls<float>& calls) {
  for (const cerar_status_t status : ring.run(calls)) {
    ASSERT_EQ(status, CERAR_OK) << cerar_last_error();
  }
  EXPECT_LE(calls.worst_error(), ring::test::error_limit<float>(kRanks, kComponents));
}

class CaptureByAnotherThread : public testing::TestWithParam<RankBuffers> {};

TEST_P(CaptureByAnotherThread, HindersNoCallAndIsNotHindered) {
  Application application;
  const api::Context context = Application::current();
  const Calls<float> calls(std::vector<RankBuffers>(kRanks, GetParam()), kCount, 1);
  Capture capture(api::kStreamNonBlocking, api::kCaptureGlobal);
  const driver::Held before = driver::held();
  std::thread([&] {
    must(driver::cuCtxSetCurrent(context));
    {
      CRing ring(kRanks, kComponents, 1024);
      run_on(ring, calls);
    }
    EXPECT_EQ(capture_mode(), api::kCaptureGlobal);
    driver::cuCtxSetCurrent(nullptr);
  }).join();
  EXPECT_EQ(driver::held(), before);
  EXPECT_TRUE(capture.end());
}

INSTANTIATE_TEST_SUITE_P(OnDevices, CaptureByAnotherThread,
                         testing::Values(RankBuffers{Where::device, Where::device, false, 0},
                                         RankBuffers{Where::device, Where::device, true, 0},
                                         RankBuffers{Where::pooled, Where::pooled, false, 0},
                                         RankBuffers{Where::host, Where::managed, false, 0},
                                         RankBuffers{Where::device, Where::host, false, 0}));

TEST(CaptureByTheCaller, EndsACallWithAnErrorThatNamesIt) {
  Application application;
  const Calls<float> calls(std::vector<RankBuffers>(kRanks), kCount, 1);
  CRing ring(kRanks, kComponents, 1024);
  {
    const Capture capture(api::kStreamNonBlocking, api::kCaptureThreadLocal);
    EXPECT_EQ(ring.run(calls)[0], CERAR_ERR_DEVICE);
    EXPECT_NE(std::string(cerar_last_error()).find("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"),
              std::string::npos)
        << cerar_last_error();
  }
  CRing later(kRanks, kComponents, 1024);
  run_on(later, calls);
}

TEST(CaptureByTheCaller, IsLeftAloneWhereItAllowsAllCalls) {
  Application application;
  const Calls<float> calls(std::vector<RankBuffers>(kRanks), kCount, 1);
  for (const bool thread_allows : {false, true}) {
    Capture capture(api::kStreamNonBlocking,
                    thread_allows ? api::kCaptureGlobal : api::kCaptureRelaxed);
    int mode = thread_allows ? api::kCaptureRelaxed : api::kCaptureGlobal;
    must(driver::cuThreadExchangeStreamCaptureMode(&mode));
    {
      CRing ring(kRanks, kComponents, 1024);
      run_on(ring, calls);
    }
    must(driver::cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, thread_allows ? api::kCaptureRelaxed : api::kCaptureGlobal);
    EXPECT_TRUE(capture.end());
  }
}

// The default stream can't be waited for then, but it is as soon as it can.
TEST(CaptureOfABlockingStream, IsNotBrokenByWaitingForTheDefaultStream) {
  driver::Options options;
  options.default_stream_delay_us = 300000;
  Application application(options);
  for (const Where where : {Where::device, Where::pooled}) {
    CRing ring(kRanks, kComponents, 1024);
    const Calls<float> calls(std::vector<RankBuffers>(kRanks, {where, where, false, 0}), kCount, 1);
    const std::vector<float> ones(kCount, 1);
    for (int rank = 0; rank < kRanks; ++rank) {
      must(driver::cuMemcpyHtoD_v2(reinterpret_cast<driver::Address>(calls.send(rank)), ones.data(),
                                   kCount * sizeof(float)));
    }
    {
      Capture capture(kBlocking, api::kCaptureRelaxed);
      run_on(ring, calls);  // on what was there before
      EXPECT_TRUE(capture.end());
    }
    for (const cerar_status_t status : ring.run(calls)) ASSERT_EQ(status, CERAR_OK);
    const auto* sums = static_cast<const float*>(driver::alias(calls.recv(0)));
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_NEAR(sums[i], kRanks, 0.01) << i;
  }
}

}  // namespace
}  // namespace cerar::gpu::test
