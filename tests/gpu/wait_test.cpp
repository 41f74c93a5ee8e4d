// That the stand-in device notices what it is there to notice: host code that touches device memory
// crashes, and who does not wait gets a wrong result. And that the library does wait, for its own
// work and for the caller's.
#include <gtest/gtest.h>

#include "core/ring/team.hpp"
#include "gpu/gpu.hpp"
#include "tests/gpu/harness.hpp"

namespace cerar::gpu::test {
namespace {

TEST(StandInDeathTest, CrashesHostCodeThatTouchesDeviceMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Application application;
  Buffer<float> buffer(Where::device, 100);
  EXPECT_EXIT(
      {
        volatile float value = buffer.data()[0];
        static_cast<void>(value);
      },
      testing::KilledBySignal(SIGSEGV), "");
}

// A queue that takes its work for done as soon as it is put in.
template <class T>
class HastyQueue : public ring::Queue<T> {
 public:
  explicit HastyQueue(std::unique_ptr<ring::Queue<T>> queue) : queue_(std::move(queue)) {}
  void combine(const kernel::Combine<T>& args) override { queue_->combine(args); }
  void decode(const kernel::Decode<T>& args) override { queue_->decode(args); }
  void decode_result(const kernel::Decode<T>& args) override { queue_->decode_result(args); }
  void copy(T* to, const T* from, std::size_t elements) override {
    queue_->copy(to, from, elements);
  }
  void zero(T* to, std::size_t elements) override { queue_->zero(to, elements); }
  void conclude() override { queue_->conclude(); }
  kernel::Magnitude<T> greatest() const override { return queue_->greatest(); }
  void mark() override { queue_->mark(); }
  cerar_status_t test() override { return CERAR_OK; }
  void drain() override { queue_->drain(); }

 private:
  std::unique_ptr<ring::Queue<T>> queue_;
};

class HastySpace : public ring::Space {
 public:
  explicit HastySpace(std::shared_ptr<ring::Space> space) : space_(std::move(space)) {}
  std::byte* allocate(std::size_t bytes, ring::Use use) override {
    return space_->allocate(bytes, use);
  }
  void deallocate(std::byte* data, ring::Use use) noexcept override {
    space_->deallocate(data, use);
  }
  std::unique_ptr<ring::Queue<float>> make_float_queue(int lanes) override {
    return std::make_unique<HastyQueue<float>>(space_->make_float_queue(lanes));
  }
  std::unique_ptr<ring::Queue<double>> make_double_queue(int lanes) override {
    return std::make_unique<HastyQueue<double>>(space_->make_double_queue(lanes));
  }

 private:
  std::shared_ptr<ring::Space> space_;
};

// The error of an all-reduce whose first rank waits, or does not.
double error_with(bool hasty) {
  constexpr int kRanks = 2;
  transport::InprocRing fabric(kRanks);
  Calls<float> calls(std::vector<RankBuffers>(kRanks), 20000, 3);
  std::vector<std::unique_ptr<ring::Team>> teams;
  std::vector<std::unique_ptr<ring::Call>> under_way;
  for (int rank = 0; rank < kRanks; ++rank) {
    ring::TeamOptions options;
    options.rank = rank;
    options.ranks = kRanks;
    options.components = 4;
    options.segment_bytes = 4096;
    teams.push_back(std::make_unique<ring::Team>(options, fabric.link(rank)));
    ring::Place place = make_place(Way::mapped, classify(calls.send(rank), calls.recv(rank)));
    if (hasty && rank == 0) place.space = std::make_shared<HastySpace>(place.space);
    under_way.push_back(
        teams[rank]->post(calls.send(rank), calls.recv(rank), calls.count(), place));
  }
  bool running = true;
  while (running) {
    running = false;
    for (auto& call : under_way) running |= call->progress() == CERAR_IN_PROGRESS;
  }
  const double error = calls.worst_error();
  under_way.clear();
  return error;
}

TEST(StandIn, GivesAWrongResultToWhoDoesNotWait) {
  driver::Options options;
  options.delay_us = 200;
  Application application(options);
  const double limit = ring::test::error_limit<float>(2, 4);
  EXPECT_LE(error_with(false), limit);
  EXPECT_FALSE(error_with(true) <= limit) << "not waiting went unnoticed";  // NaN is wrong too
}

// MPI's rule: the buffer is ready when the call is made. But a cudaMemcpy from pageable memory may
// be over before its data are there.
struct Settled {
  const char* name;
  Where where;
  const char* refused;  // a function that the driver does not have, as it were
};

class Settling : public testing::TestWithParam<Settled> {};

TEST_P(Settling, WaitsForCopiesThatOnlySeemToBeDone) {
  driver::Options options;
  options.default_stream_delay_us = 200000;
  Application application(options);
  constexpr std::size_t kCount = 4000;
  CRing ring(2, 4, 1024);
  const Where where = GetParam().where;
  driver::fail(GetParam().refused, driver::kAll, api::kNotSupported);
  Calls<float> calls(std::vector<RankBuffers>(2, {where, where, false, 0}), kCount, 3);
  std::vector<float> values(kCount);
  for (const int times : {1, 2}) {  // the second time the allocation is known
    for (int rank : {0, 1}) {
      std::fill(values.begin(), values.end(), static_cast<float>(times + rank));
      must(driver::cuMemcpyHtoD_v2(reinterpret_cast<driver::Address>(calls.send(rank)),
                                   values.data(), kCount * sizeof(float)));
    }
    for (const cerar_status_t status : ring.run(calls)) ASSERT_EQ(status, CERAR_OK);
    for (int rank : {0, 1}) {
      const auto* sums = static_cast<const float*>(driver::alias(calls.recv(rank)));
      for (std::size_t i = 0; i < kCount; ++i) ASSERT_NEAR(sums[i], 2 * times + 1, 0.01) << i;
    }
  }
}

// What copies a context may have left behind is waited for once, and it is told once.
TEST(SettlingOfPools, IsDoneOnceAContext) {
  Application application;
  CRing ring(2, 4, 1024);
  const std::vector<RankBuffers> where(2, {Where::pooled, Where::pooled, false, 0});
  for (const int round : {0, 1, 2}) {
    Calls<float> calls(where, 4000, 3);
    driver::reset_calls();
    for (const cerar_status_t status : ring.run(calls)) ASSERT_EQ(status, CERAR_OK);
    EXPECT_EQ(driver::calls()["cuCtxSetFlags"] > 0, round == 0);
    // What is asked before the default stream is waited for.
    EXPECT_EQ(driver::calls()["cuStreamIsCapturing"], round == 0 ? 1u : 0u) << round;
  }
}

// Somebody else may set flags, and with it take this one away.
TEST(SettlingOfPools, IsDoneAgainWhereTheContextWasToldNotToWait) {
  driver::Options options;
  options.default_stream_delay_us = 200000;
  Application application(options);
  CRing ring(2, 4, 1024);
  constexpr std::size_t kCount = 4000;
  Calls<float> calls(std::vector<RankBuffers>(2, {Where::pooled, Where::pooled, false, 0}), kCount,
                     3);
  for (const cerar_status_t status : ring.run(calls)) ASSERT_EQ(status, CERAR_OK);
  must(driver::cuCtxSetFlags(0));
  const std::vector<float> ones(kCount, 1);
  for (const int rank : {0, 1}) {
    must(driver::cuMemcpyHtoD_v2(reinterpret_cast<driver::Address>(calls.send(rank)), ones.data(),
                                 kCount * sizeof(float)));
  }
  for (const cerar_status_t status : ring.run(calls)) ASSERT_EQ(status, CERAR_OK);
  const auto* sums = static_cast<const float*>(driver::alias(calls.recv(0)));
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_NEAR(sums[i], 2, 0.01) << i;
}

INSTANTIATE_TEST_SUITE_P(OfMemory, Settling,
                         testing::Values(Settled{"ThatCanBeTold", Where::device, "none"},
                                         Settled{"WhoseContextCanBeTold", Where::pooled, "none"},
                                         Settled{"ThatCantBeTold", Where::pooled, "cuCtxSetFlags"}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cerar::gpu::test
