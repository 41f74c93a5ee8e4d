#include "core/transport/external.hpp"

namespace cerar::transport {

cerar_status_t ExternalTransport::do_send(Tag tag, const void* data, std::size_t bytes,
                                          Operation& op) {
  op.handle = nullptr;
  return ops_.send(ops_.arg, tag.call, tag.stream, data, bytes, &op.handle);
}

cerar_status_t ExternalTransport::do_recv(Tag tag, void* data, std::size_t bytes, Operation& op) {
  op.handle = nullptr;
  return ops_.recv(ops_.arg, tag.call, tag.stream, data, bytes, &op.handle);
}

cerar_status_t ExternalTransport::test(Operation& op) {
  if (op.handle == nullptr) return CERAR_OK;
  return ops_.test(ops_.arg, &op.handle);
}

void ExternalTransport::cancel(Operation& op) {
  if (op.handle == nullptr) return;
  ops_.cancel(ops_.arg, &op.handle);
  op.handle = nullptr;
}

void ExternalTransport::progress() {
  if (ops_.progress != nullptr) ops_.progress(ops_.arg);
}

}  // namespace cerar::transport
