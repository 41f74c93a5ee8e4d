#include "gpu/transfer.hpp"

#include <cstring>

namespace cerar::gpu {

bool Transfer::on_device(const void* pointer) {
  try {
    return !Buffers::on_host(ask_driver(lease_.driver(), pointer).kind);
  } catch (const std::exception& error) {
    set_last_error(error.what());
    if (status_ == CERAR_OK) status_ = CERAR_ERR_DEVICE;
    return true;
  }
}

void Transfer::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0 || status_ != CERAR_OK) return;
  if (!on_device(to) && !on_device(from)) {
    std::memmove(to, from, bytes);
    return;
  }
  if (status_ != CERAR_OK) return;
  const Driver& driver = lease_.driver();
  const api::Stream stream = lease_.worker().stream();
  const Current current(driver, lease_.context());
  api::Result result = current.status();
  if (result == api::kSuccess) {
    result = driver.cuMemcpyAsync(reinterpret_cast<api::Address>(to),
                                  reinterpret_cast<api::Address>(from), bytes, stream);
    const api::Result end = driver.cuStreamSynchronize(stream);
    if (result == api::kSuccess) result = end;
  }
  status_ = status_of(driver, result);
}

}  // namespace cerar::gpu
