// Where a call runs: the space that computes, and what that means for the caller's buffers.
#pragma once

#include <memory>

#include "core/ring/space.hpp"
#include "core/transport/transport.hpp"

namespace cerar::ring {

struct Place {
  std::shared_ptr<Space> space;
  // The space's queues can copy from the send buffer, but not read it otherwise.
  bool load = false;
  // The transport may send from the result and receive into it, as from message memory.
  bool direct = true;
  transport::Memory messages = transport::Memory::host;
  const char* name = "host";
};

// The caller's buffers are host memory.
Place host_place();

}  // namespace cerar::ring
