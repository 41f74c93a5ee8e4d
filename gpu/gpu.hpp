// Device memory, for the rest of the library: this header is all that it sees. Without nvcc the
// build has all of it but the kernels.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/cerar.h"
#include "core/ring/place.hpp"

namespace cerar::gpu {

// The driver refused, or cannot be used; what() has its words.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Kind {
  host,        // pageable, or nothing that the driver has heard of
  registered,  // host memory, pinned
  device,      // host code must not touch it
  managed      // on both sides; the driver moves it
};

// Where a call's buffers are.
struct Buffers {
  const void* send = nullptr;  // nullptr: in place
  const void* recv = nullptr;
  Kind send_kind = Kind::host;
  Kind recv_kind = Kind::host;
  bool host() const { return on_host(send_kind) && on_host(recv_kind); }

  static bool on_host(Kind kind) { return kind == Kind::host || kind == Kind::registered; }
};

// Throws Error if it can't be found out. A quick answer where no driver is loaded.
Kind classify(const void* pointer);
Buffers classify(const void* send, const void* recv);

// The PCI address, such as 0000:3b:00.0, of the GPU that a pointer's memory belongs to; "?" if that
// can't be found out, "" for host memory. Never fails.
std::string device_of(const void* pointer);

// The ways to run a call on some buffers.
enum class Way {
  host,    // all of it is host memory
  device,  // the transport sends from device memory and receives into it
  mapped,  // it does from pinned host memory, which the kernels read and write
  staged   // kernels and messages on the host, the vectors copied piece by piece
};
const char* name(Way way);

// The ways that there are for this thread, best first. Throws Error if there is none.
std::vector<Way> ways(const Buffers& buffers, bool transport_takes_device_memory);

// Makes what a way needs. The caller's work on the buffers is done when it returns (MPI's rule: the
// caller has finished with them, but the driver's calls may not have). Throws std::bad_alloc and
// Error.
ring::Place make_place(Way way, const Buffers& buffers);

// Copies between any two kinds of memory; complete on return. Throws as make_place does.
void copy(void* to, const void* from, std::size_t bytes);

}  // namespace cerar::gpu
