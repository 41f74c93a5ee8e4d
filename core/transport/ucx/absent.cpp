// In place of the UCX transport in a build without UCX.
#include "core/error.hpp"
#include "core/transport/ucx/ucx.hpp"

namespace cerar::transport {

cerar_status_t UcxWorker::create(bool, std::shared_ptr<UcxWorker>&) {
  set_last_error("libcerar was built without UCX");
  return CERAR_ERR_UNSUPPORTED;
}

cerar_status_t make_ucx_transport(std::shared_ptr<UcxWorker>, int, int, const cerar_oob_t&,
                                  std::unique_ptr<Transport>&) {
  set_last_error("libcerar was built without UCX");
  return CERAR_ERR_UNSUPPORTED;
}

}  // namespace cerar::transport
