// A transport that the caller of libcerar provides as C functions.
#pragma once

#include "core/cerar.h"
#include "core/transport/transport.hpp"

namespace cerar::transport {

class ExternalTransport final : public Transport {
 public:
  // ops is copied; all its functions but progress are set. What ops.arg points to outlives the
  // transport.
  explicit ExternalTransport(const cerar_transport_ops_t& ops) : ops_(ops) {}

  cerar_status_t test(Operation& op) override;
  void cancel(Operation& op) override;
  void progress() override;
  const char* name() const override { return "external"; }

 protected:
  cerar_status_t do_send(Tag tag, const void* data, std::size_t bytes, Operation& op) override;
  cerar_status_t do_recv(Tag tag, void* data, std::size_t bytes, Operation& op) override;

 private:
  cerar_transport_ops_t ops_;
};

}  // namespace cerar::transport
