// A library that was built without nvcc, on buffers in device memory.
#include <gtest/gtest.h>

#include <string>

#include "tests/gpu/harness.hpp"

namespace cerar::gpu::test {
namespace {

TEST(NoKernels, LeaveTheHostToCompute) {
  Application application;
  CRing ring(3, 6, 4096);
  std::vector<RankBuffers> where(3);
  where[1] = {Where::host, Where::host, false, 0};
  where[2] = {Where::managed, Where::device, false, 1};
  Calls<float> calls(where, 20000, 1);
  for (const cerar_status_t status : ring.run(calls)) ASSERT_EQ(status, CERAR_OK);
  EXPECT_LE(calls.worst_error(), ring::test::error_limit<float>(3, 6));
  for (const int rank : {0, 2}) {
    EXPECT_STREQ(ring.stats(rank).memory, "staged");
    EXPECT_NE(std::string(ring.stats(rank).fallback).find("no kernels"), std::string::npos);
  }
}

}  // namespace
}  // namespace cerar::gpu::test
