// A process without a CUDA driver, which then loads one.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "core/cerar.h"
#include "gpu/driver.hpp"

namespace cerar::gpu {
namespace {

TEST(NoDriver, LeavesAllMemoryToTheHostUntilOneIsLoaded) {
  if (void* real = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
    dlclose(real);
    GTEST_SKIP() << "this process has a driver";
  }
  float value = 0;
  cerar_memory_kind_t kind;
  EXPECT_EQ(find_driver(), nullptr);
  EXPECT_EQ(cerar_memory_kind(&value, &kind), CERAR_OK);
  EXPECT_EQ(kind, CERAR_MEMORY_HOST);
  EXPECT_EQ(ways(classify(&value, &value), false), std::vector{Way::host});
  const float one = 1;
  EXPECT_EQ(cerar_memory_copy(&value, &one, sizeof value), CERAR_OK);
  EXPECT_EQ(value, one);

  ASSERT_NE(dlopen(STANDIN_LIBRARY, RTLD_LAZY), nullptr) << dlerror();
  ASSERT_NE(find_driver(), nullptr);
  EXPECT_EQ(find_driver()->defect, "");
  // Loaded, but not initialised by anyone.
  EXPECT_EQ(cerar_memory_kind(&value, &kind), CERAR_OK);
  EXPECT_EQ(kind, CERAR_MEMORY_HOST);
}

}  // namespace
}  // namespace cerar::gpu
