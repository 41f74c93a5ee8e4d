// Whether messages go from device memory is for UCX to say: here ucp_context_query says what the
// test wants, in place of UCX's own, which is asked for everything else.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <ucp/api/ucp.h>

#include <cstdint>
#include <memory>

#include "core/transport/ucx/worker.hpp"

namespace {

std::uint64_t memory_types = 0;  // 0: UCX's own answer
bool asked = false;

}  // namespace

extern "C" ucs_status_t ucp_context_query(ucp_context_h context, ucp_context_attr_t* attributes) {
  using Query = ucs_status_t (*)(ucp_context_h, ucp_context_attr_t*);
  static const auto query = reinterpret_cast<Query>(dlsym(RTLD_NEXT, "ucp_context_query"));
  const ucs_status_t status = query(context, attributes);
  if (attributes->field_mask & UCP_ATTR_FIELD_MEMORY_TYPES) {
    asked = true;
    if (memory_types != 0) attributes->memory_types = memory_types;
  }
  return status;
}

namespace cerar::transport::ucx {
namespace {

class UcxMemory : public testing::TestWithParam<bool> {
 protected:
  UcxMemory() {
    memory_types = UCS_BIT(UCS_MEMORY_TYPE_HOST);
    if (GetParam()) memory_types |= UCS_BIT(UCS_MEMORY_TYPE_CUDA);
  }
};

TEST_P(UcxMemory, IsDeviceMemoryWhereTheContextSaysSo) {
  asked = false;
  std::shared_ptr<UcxWorker> worker;
  ASSERT_EQ(UcxWorker::create(false, worker), CERAR_OK) << cerar_last_error();
  EXPECT_TRUE(asked);
  EXPECT_EQ(static_cast<Worker&>(*worker).takes_device_memory(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutCuda, UcxMemory, testing::Bool());

TEST(UcxParameters, NameTheKindOfMemory) {
  Worker worker(false);
  ASSERT_EQ(worker.open(), CERAR_OK) << cerar_last_error();
  UcxOperation* op = worker.operations().take();
  op->receive = false;
  const ucp_request_param_t host = worker.parameters(op);
  const ucp_request_param_t device = worker.parameters(op, Memory::device);
  worker.operations().give_back(op);
  EXPECT_TRUE(host.op_attr_mask & UCP_OP_ATTR_FIELD_MEMORY_TYPE);
  EXPECT_TRUE(device.op_attr_mask & UCP_OP_ATTR_FIELD_MEMORY_TYPE);
  EXPECT_EQ(host.memory_type, UCS_MEMORY_TYPE_HOST);
  EXPECT_EQ(device.memory_type, UCS_MEMORY_TYPE_CUDA);
}

}  // namespace
}  // namespace cerar::transport::ucx
