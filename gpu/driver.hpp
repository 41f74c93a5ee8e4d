// The CUDA driver, found in the running process.
#pragma once

#include <string>

#include "gpu/api.hpp"
#include "gpu/gpu.hpp"

namespace cerar::gpu {

struct Driver {
#define CERAR_MEMBER(NAME, PARAMETERS) Result(*NAME) PARAMETERS = nullptr;
  using Result = api::Result;
  using Device = api::Device;
  using Address = api::Address;
  using Context = api::Context;
  using Module = api::Module;
  using Function = api::Function;
  using Stream = api::Stream;
  using Event = api::Event;
  CERAR_DRIVER_FUNCTIONS(CERAR_MEMBER)
  CERAR_OPTIONAL_DRIVER_FUNCTIONS(CERAR_MEMBER)
#undef CERAR_MEMBER

  // Not empty: why the driver cannot be used. The pointer functions below may be there all the
  // same.
  std::string defect;
};

// nullptr while the process has no driver loaded: then it has no device memory either. The
// application (through the CUDA runtime or itself) loads and initialises it, never this library. A
// quick answer both ways.
const Driver* find_driver();

// Throws std::bad_alloc for out of memory and Error for every other result but success.
void check(const Driver& driver, api::Result result, const char* what);

// The name that the driver has for a result.
std::string name_of(const Driver& driver, api::Result result);

}  // namespace cerar::gpu
