// The external transport, over C functions that are an in-process ring underneath.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/transport/external.hpp"
#include "core/transport/inproc/inproc.hpp"
#include "tests/unit/transport_conformance.hpp"

namespace cerar::transport {
namespace {

Transport& link(void* arg) { return *static_cast<Transport*>(arg); }

template <class Call>
cerar_status_t with_handle(void** op, Call call) {
  Operation operation{*op};
  const cerar_status_t status = call(operation);
  *op = operation.handle;
  return status;
}

cerar_transport_ops_t ops_of(Transport& transport) {
  cerar_transport_ops_t ops{};
  ops.arg = &transport;
  ops.send = [](void* arg, uint32_t call, uint32_t stream, const void* data, size_t bytes,
                void** op) {
    *op = nullptr;
    return with_handle(op, [&](Operation& o) {
      return link(arg).send({call, stream}, data, bytes, o);
    });
  };
  ops.recv = [](void* arg, uint32_t call, uint32_t stream, void* data, size_t bytes, void** op) {
    *op = nullptr;
    return with_handle(op, [&](Operation& o) {
      return link(arg).recv({call, stream}, data, bytes, o);
    });
  };
  ops.test = [](void* arg, void** op) {
    return with_handle(op, [&](Operation& o) { return link(arg).test(o); });
  };
  ops.cancel = [](void* arg, void** op) {
    with_handle(op, [&](Operation& o) {
      link(arg).cancel(o);
      return CERAR_OK;
    });
  };
  ops.progress = [](void* arg) { link(arg).progress(); };
  return ops;
}

class External : public testing::Test {
 protected:
  void SetUp() override {
    view_.size = inproc_.size();
    for (int rank = 0; rank < inproc_.size(); ++rank) {
      inner_.push_back(inproc_.link(rank));
      outer_.push_back(std::make_unique<ExternalTransport>(ops_of(*inner_.back())));
      view_.parties.push_back({rank, outer_.back().get()});
    }
  }

  InprocRing inproc_{3, {.seed = 11}};
  std::vector<std::unique_ptr<Transport>> inner_;
  std::vector<std::unique_ptr<ExternalTransport>> outer_;
  conformance::Ring view_;
};

TEST_F(External, Conforms) {
  conformance::Setup setup;
  setup.max_bytes = 1 << 16;
  conformance::all(view_, setup);
  EXPECT_EQ(inproc_.outstanding(), 0u);
}

TEST_F(External, PassesFailuresOn) {
  inproc_.fail(0, InprocCall::send, 0);
  inproc_.fail(1, InprocCall::recv, 0);
  char byte = 0;
  Operation op;
  EXPECT_EQ(outer_[0]->send({0, 0}, &byte, 1, op), CERAR_ERR_TRANSPORT);
  EXPECT_EQ(outer_[0]->bytes_sent(), 0u);
  EXPECT_EQ(outer_[1]->recv({0, 0}, &byte, 1, op), CERAR_ERR_TRANSPORT);
  EXPECT_EQ(op.handle, nullptr);
}

TEST_F(External, ProgressMayBeMissing) {
  cerar_transport_ops_t ops = ops_of(*inner_[0]);
  ops.progress = nullptr;
  ExternalTransport(ops).progress();
}

}  // namespace
}  // namespace cerar::transport
