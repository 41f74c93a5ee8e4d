// A driver that is too old: a program of its own, because a process looks at its driver once.
#include <gtest/gtest.h>

#include <string>

#include "tests/gpu/harness.hpp"

namespace cerar::gpu::test {
namespace {

TEST(GpuDriver, ThatIsTooOldIsRefused) {
  driver::Options options;
  options.version = 10020;
  Application application(options);
  Buffer<float> buffer(Where::device, 100);
  CRing ring(2, 4, 1024);
  cerar_request_t* request = nullptr;
  EXPECT_EQ(cerar_allreduce_post(ring.team(0), nullptr, buffer.data(), 100, CERAR_FLOAT, &request),
            CERAR_ERR_DEVICE);
  EXPECT_NE(std::string(cerar_last_error()).find("10.2"), std::string::npos) << cerar_last_error();
  // Host buffers are none of its business.
  Calls<float> calls(std::vector<RankBuffers>(2, {Where::host, Where::host, false, 0}), 1000, 1);
  for (const cerar_status_t status : ring.run(calls)) EXPECT_EQ(status, CERAR_OK);
}

}  // namespace
}  // namespace cerar::gpu::test
