// The driver fails at every call that the library makes, one after the other: the call then ends
// well by another way, or with an error; nothing is leaked, and the caller's context is current.
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/context.hpp"
#include "tests/gpu/harness.hpp"

namespace cerar::gpu::test {
namespace {

constexpr int kRanks = 2;

struct Scenario {
  std::string name;
  int components;
  RankBuffers buffers;  // of rank 0; the other's are on the host
};

std::ostream& operator<<(std::ostream& out, const Scenario& scenario) {
  return out << scenario.name;
}

const Scenario kScenarios[] = {
    {"Device", 4, {Where::device, Where::device, false, 0}},
    {"InPlace", 4, {Where::device, Where::device, true, 0}},
    {"InPlaceShared", 3, {Where::device, Where::device, true, 0}},
    {"ManyLanes", 9, {Where::device, Where::device, true, 0}},
    {"HostToDevice", 4, {Where::host, Where::device, false, 0}},
    {"DeviceToHost", 4, {Where::device, Where::host, false, 0}},
    {"BetweenDevices", 4, {Where::other_device, Where::device, false, 0}},
    {"Managed", 4, {Where::managed, Where::managed, false, 0}},
};

class GpuFault : public testing::TestWithParam<Scenario> {
 protected:
  // One all-reduce on new teams; CERAR_OK, or the status of the rank that the fault has struck.
  // Fails the test if it leaves anything behind, or says that all is well and it is not.
  cerar_status_t run() {
    const driver::Held before = driver::held();
    const api::Context context = Application::current();
    cerar_status_t status;
    {
      std::vector<RankBuffers> where(kRanks, {Where::host, Where::host, false, 0});
      where[0] = GetParam().buffers;
      Calls<float> calls(where, 3000, 11);
      driver::reset_calls();
      if (!function_.empty()) driver::fail(function_, k_, error_);
      {
        CRing ring(kRanks, GetParam().components, 1024);
        const std::vector<cerar_status_t> all = ring.run(calls);
        status = *std::min_element(all.begin(), all.end());
        if (status == CERAR_OK) status = *std::max_element(all.begin(), all.end());
        memory_ = ring.stats(0).memory;
      }
      driver::heal();
      if (status == CERAR_OK) {
        EXPECT_LE(calls.worst_error(),
                  2 * ring::test::error_limit<float>(kRanks, GetParam().components));
      }
    }
    EXPECT_EQ(driver::held(), before) << "leaked";
    EXPECT_EQ(Application::current(), context);
    return status;
  }

  Application application_;
  std::string function_;
  std::uint64_t k_ = 0;
  api::Result error_ = api::kLaunchFailed;
  std::string memory_;
};

TEST_P(GpuFault, EndsWellOrWithAnErrorWhereverItStrikes) {
  ASSERT_EQ(run(), CERAR_OK);
  const auto healthy = driver::calls();
  int survived = 0, failed = 0;
  for (const auto& [function, calls] : healthy) {
    // These give back what was taken: a driver that fails there leaks by itself.
    if (function.find("Free") != std::string::npos ||
        function.find("Destroy") != std::string::npos ||
        function.find("Release") != std::string::npos || function == "cuModuleUnload" ||
        function == "cuCtxPopCurrent_v2") {
      continue;
    }
    for (std::uint64_t k = 0; k < calls; k += 1 + calls / 12) {
      function_ = function;
      k_ = k;
      SCOPED_TRACE(testing::Message() << function << ", call " << k << " of " << calls);
      const cerar_status_t status = run();
      EXPECT_TRUE(status == CERAR_OK || status == CERAR_ERR_DEVICE) << status;
      (status == CERAR_OK ? survived : failed) += 1;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(survived + failed, 20);
  std::cout << survived << " faults survived, " << failed << " reported" << std::endl;
}

TEST_P(GpuFault, FallsBackWhereMemoryIsShort) {
  for (const char* function : {"cuMemAlloc_v2", "cuMemHostAlloc", "cuModuleLoadData"}) {
    function_.clear();
    ASSERT_EQ(run(), CERAR_OK);
    const std::string usual = memory_;
    const std::uint64_t calls = driver::calls()[function];
    for (std::uint64_t k = 0; k < calls; ++k) {
      function_ = function;
      k_ = k;
      error_ = api::kOutOfMemory;
      SCOPED_TRACE(testing::Message() << function << ", call " << k << " of " << calls);
      EXPECT_EQ(run(), CERAR_OK) << "the call must go on another way";
      EXPECT_EQ(memory_, "staged") << "usual: " << usual;
    }
  }
}

TEST(CurrentContext, IsMadeCurrentThoughTheDriverDoesNotSayWhichOneIs) {
  Application application;
  const api::Context own = Application::current();
  api::Context other = nullptr;
  must(driver::cuDevicePrimaryCtxRetain(&other, 1));
  for (const api::Context context : {own, other}) {
    driver::reset_calls();
    driver::fail("cuCtxGetCurrent", 0, api::kLaunchFailed);
    {
      const Current current(*find_driver(), context);
      driver::heal();
      EXPECT_EQ(current.status(), api::kSuccess);
      EXPECT_EQ(Application::current(), context);
    }
    EXPECT_EQ(Application::current(), own);
  }
  driver::cuDevicePrimaryCtxRelease_v2(1);
}

INSTANTIATE_TEST_SUITE_P(AtEveryCall, GpuFault, testing::ValuesIn(kScenarios),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace cerar::gpu::test
