// What the kernels are given: plain structures that go to the device as kernel parameters.
#pragma once

#include <cstdint>

#include "core/kernel/magnitude.hpp"

namespace cerar::gpu {

// Threads of a block, in all kernels.
inline constexpr unsigned kThreads = 256;
inline constexpr unsigned kThreadsAny = 128;  // of decode for many lanes

inline constexpr int kMaxTerms = 8;

// All element numbers are below 2^31: who launches cuts longer runs up.
//
// A kernel works on units: 16 bytes where all addresses allow it ("wide"), else one element
// ("narrow"). Units are numbered through the rows (lanes of successive tiles) that a call covers.
struct Rows {
  std::uint32_t units = 0;  // in all
  std::uint32_t width = 0;  // units in a row
  int shift = 0;            // width == 1 << shift, or −1: it is not a power of two
  std::uint32_t rest = 0;   // elements after the last unit; only where there is one row
};

// kernel::Combine. stride: elements from a row of the vector to the next.
template <class T>
struct CombineArgs {
  T* out;
  const T* in;
  T* store;
  const T* x[kMaxTerms];
  T alpha[kMaxTerms];
  Rows rows;
  std::uint32_t stride;
};

// kernel::Decode with at most kMaxTerms lanes: the matrices come along. lane: elements from a lane
// to the next.
template <class T>
struct DecodeArgs {
  T* out;
  const T* y;
  const T* g;
  T w[kMaxTerms * kMaxTerms];
  T own[kMaxTerms * kMaxTerms];
  Rows rows;
  std::uint32_t lane;
};

// kernel::Decode with any number of lanes: the matrices are in device memory. scratch holds
// lanes·kThreadsAny elements a block.
template <class T>
struct DecodeAnyArgs {
  T* out;
  const T* y;
  const T* g;
  const T* w;
  const T* own;  // nullptr: no second sum
  T* scratch;
  std::uint32_t lanes;
  std::uint64_t width;
  std::uint64_t columns;  // width·tiles
};

// The greatest magnitude among elements, which every thread finds for its own: it keeps the
// greatest that it has met, in this launch and those before it, in a slot of its own. A magnitude's
// bits are those of a number, so that slots can be looked through in the same way, by one block.
inline constexpr unsigned kMagnitudeBlocks = 32;
inline constexpr unsigned kMagnitudeSlots = kMagnitudeBlocks * kThreads;

template <class T>
struct MagnitudeArgs {
  const T* values;
  kernel::Magnitude<T>* slots;  // one a thread of the launch
  std::uint64_t units;          // as in Rows, from the beginning
  std::uint64_t rest;           // elements after them
};

}  // namespace cerar::gpu
