#include "gpu/gpu.hpp"

namespace cerar::gpu {

const char* name(Way way) {
  switch (way) {
    case Way::host:
      return "host";
    case Way::device:
      return "device";
    case Way::mapped:
      return "mapped";
    case Way::staged:
      return "staged";
  }
  return "?";
}

}  // namespace cerar::gpu
