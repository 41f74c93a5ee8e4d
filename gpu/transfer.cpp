#include "gpu/transfer.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace cerar::gpu {

CopyStream::CopyStream(std::shared_ptr<Device> device) : device_(std::move(device)) {
  try {
    own_.emplace(device_);
  } catch (const std::bad_alloc&) {
  } catch (const Error&) {
  }
}

bool Transfer::on_device(const void* pointer) {
  const Current current(stream_.driver(), stream_.context());
  try {
    return !Buffers::on_host(ask_driver(stream_.driver(), pointer).kind);
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
  const Driver& driver = stream_.driver();
  const Current current(driver, stream_.context());
  api::Result result = current.status();
  if (result == api::kSuccess) {
    result = driver.cuMemcpyAsync(reinterpret_cast<api::Address>(to),
                                  reinterpret_cast<api::Address>(from), bytes, stream_.get());
    const api::Result end = driver.cuStreamSynchronize(stream_.get());
    if (result == api::kSuccess) result = end;
  }
  status_ = status_of(driver, result);
}

}  // namespace cerar::gpu
