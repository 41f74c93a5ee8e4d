// A stand-in for the CUDA driver, so that GPU code can be tested without a GPU: a libcuda.so.1 with
// the functions that the library uses, and this interface for tests that link with it.
//
// Device memory is mapped without access for everyone but the stand-in: host code that touches it
// crashes. Streams run in threads of the stand-in, in order each and in random order among each
// other, after random delays: whoever does not wait reads old data. New memory is full of NaNs.
// Launches run the library's kernels, compiled for the host, and a kernel that is given a pointer
// to memory that its device can't reach fails as it would on a device.
//
// In the environment: CERAR_STANDIN_DEVICES, _SEED, _VERSION, _DELAY_US set what Options has, and
// CERAR_STANDIN_FAIL=FUNCTION:K[:ERROR],… is fail(); K = "all": every call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "gpu/api.hpp"

#pragma GCC visibility push(default)

namespace cerar::standin {

struct Options {
  int devices = 2;
  int version = 13000;
  std::uint64_t seed = 1;
  // Of one operation in a stream, at most, in microseconds. What is put into a default stream waits
  // default_stream_delay_us before, and lets that of other streams go first.
  unsigned delay_us = 20;
  unsigned default_stream_delay_us = 0;
};

// To be called while no operation is under way.
void configure(const Options& options);

// The k-th call of a function from now on, counted from 0, fails. "kernel" stands for a kernel that
// fails while it runs, after which its context is of no more use.
inline constexpr std::uint64_t kAll = ~std::uint64_t{0};  // every call from now on
void fail(const std::string& function, std::uint64_t k, gpu::api::Result error);
// Forgets faults and what they left behind in the contexts.
void heal();

// Calls since the last reset_calls.
std::map<std::string, std::uint64_t> calls();
void reset_calls();

// What has been made and not been destroyed or freed.
struct Held {
  std::size_t device_allocations = 0;
  std::size_t host_allocations = 0;
  std::size_t streams = 0;
  std::size_t events = 0;
  std::size_t modules = 0;
  std::size_t retained = 0;  // primary contexts, counted with multiplicity
  std::size_t device_bytes = 0;

  bool operator==(const Held&) const = default;
};
Held held();

// Where the stand-in itself sees a device pointer. Other pointers are given back as they are.
void* alias(const void* device_pointer);

// Waits for everything in all streams.
void wait_for_all();

}  // namespace cerar::standin

#pragma GCC visibility pop
