#include "core/error.hpp"

#include <utility>

#include "core/cerar.h"

namespace cerar {
namespace {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

}  // namespace

void set_last_error(std::string text) noexcept { last_error() = std::move(text); }

}  // namespace cerar

extern "C" {

const char* cerar_status_string(cerar_status_t status) {
  switch (status) {
    case CERAR_OK:
      return "success";
    case CERAR_IN_PROGRESS:
      return "not complete yet";
    case CERAR_ERR_INVALID:
      return "an argument is out of its range";
    case CERAR_ERR_NO_MEMORY:
      return "out of memory";
    case CERAR_ERR_UNSUPPORTED:
      return "not supported by this build or on this machine";
    case CERAR_ERR_TRANSPORT:
      return "the transport failed, or a neighbour was lost";
    case CERAR_ERR_INTERNAL:
      return "a defect in libcerar";
    case CERAR_ERR_DEVICE:
      return "a GPU or its driver failed";
  }
  return "an unknown status";
}

const char* cerar_last_error(void) { return cerar::last_error().c_str(); }

}  // extern "C"
