// The loops of decode, for the instruction set that the including translation unit is compiled for.
// Internal linkage throughout, as in arithmetic.hpp.
#pragma once

#include <cstddef>

#include "core/kernel/arithmetic.hpp"
#include "core/kernel/kernel.hpp"
#include "core/kernel/table.hpp"
#include "core/kernel/vector.hpp"

namespace cerar::kernel {
namespace {

// Columns i, i + 1, … of a tile, as many as a V holds: all lanes are loaded before the first is
// stored, so out may be y or g.
template <int Lanes, bool HasOwn, class V, class T>
CERAR_KERNEL_FUNCTION void decode_step(const T* y, const T* g, T* out, const T* w, const T* own,
                                       std::size_t width, std::size_t i) {
  V packets[Lanes];
  V mine[Lanes];
  CERAR_KERNEL_UNROLL
  for (int m = 0; m < Lanes; ++m) {
    packets[m] = load<V>(y + m * width + i);
    if constexpr (HasOwn) mine[m] = load<V>(g + m * width + i);
  }
  CERAR_KERNEL_UNROLL
  for (int r = 0; r < Lanes; ++r) {
    store(out + r * width + i,
          decode_row<Lanes, HasOwn>(w + r * Lanes, packets, own + r * Lanes, mine));
  }
}

template <int Lanes, bool HasOwn, class T>
void decode_tiles(const Decode<T>& args) {
  using V = Vector<T>;
  constexpr int kOwn = HasOwn ? Lanes * Lanes : 1;
  // Copies, which the compiler knows no store through out to change.
  T w[Lanes * Lanes];
  T own[kOwn];
  for (int k = 0; k < Lanes * Lanes; ++k) {
    w[k] = args.w[k];
    if constexpr (HasOwn) own[k] = args.own[k];
  }
  const std::size_t width = args.width;
  for (std::size_t tile = 0; tile < args.tiles; ++tile) {
    const std::size_t start = tile * Lanes * width;
    const T* y = args.y + start;
    const T* g = HasOwn ? args.g + start : nullptr;
    T* out = args.out + start;
    std::size_t i = 0;
    for (; i + kLine<T> <= width; i += kLine<T>) {
      prefetch<Lanes>(y + i * Lanes + kAhead<T>);
      if constexpr (HasOwn) prefetch<Lanes>(g + i * Lanes + kAhead<T>);
      CERAR_KERNEL_UNROLL
      for (std::size_t j = 0; j < kLine<T>; j += kElements<T, V>) {
        decode_step<Lanes, HasOwn, V>(y, g, out, w, own, width, i + j);
      }
    }
    for (; i + kElements<T, V> <= width; i += kElements<T, V>) {
      decode_step<Lanes, HasOwn, V>(y, g, out, w, own, width, i);
    }
    for (; i < width; ++i) decode_step<Lanes, HasOwn, T>(y, g, out, w, own, width, i);
  }
}

// Any number of lanes: the columns go through scratch, which holds 2·lanes values of V.
template <class V, class T>
CERAR_KERNEL_FUNCTION void decode_step_through(const Decode<T>& args, std::size_t start,
                                               std::size_t i, T* scratch) {
  constexpr std::size_t kStep = kElements<T, V>;
  const std::size_t lanes = static_cast<std::size_t>(args.lanes);
  T* packets = scratch;
  T* mine = scratch + lanes * kStep;
  for (std::size_t m = 0; m < lanes; ++m) {
    const std::size_t at = start + m * args.width + i;
    store(packets + m * kStep, load<V>(args.y + at));
    if (args.own != nullptr) store(mine + m * kStep, load<V>(args.g + at));
  }
  for (std::size_t r = 0; r < lanes; ++r) {
    V sum{};
    for (std::size_t m = 0; m < lanes; ++m) {
      sum = multiply_add(args.w[r * lanes + m], load<V>(packets + m * kStep), sum);
    }
    if (args.own != nullptr) {
      for (std::size_t m = 0; m < lanes; ++m) {
        sum = multiply_add(args.own[r * lanes + m], load<V>(mine + m * kStep), sum);
      }
    }
    store(args.out + start + r * args.width + i, sum);
  }
}

template <class T>
void decode_many_lanes(const Decode<T>& args, T* scratch) {
  using V = Vector<T>;
  static_assert(kElements<T, V> <= kScratchColumns);
  for (std::size_t tile = 0; tile < args.tiles; ++tile) {
    const std::size_t start = tile * static_cast<std::size_t>(args.lanes) * args.width;
    std::size_t i = 0;
    for (; i + kElements<T, V> <= args.width; i += kElements<T, V>) {
      decode_step_through<V>(args, start, i, scratch);
    }
    for (; i < args.width; ++i) decode_step_through<T>(args, start, i, scratch);
  }
}

template <bool HasOwn, class T>
void decode_lanes(const Decode<T>& args, T* scratch) {
  static_assert(kMaxTerms == 8);
  switch (args.lanes) {
    case 1:
      return decode_tiles<1, HasOwn>(args);
    case 2:
      return decode_tiles<2, HasOwn>(args);
    case 3:
      return decode_tiles<3, HasOwn>(args);
    case 4:
      return decode_tiles<4, HasOwn>(args);
    case 5:
      return decode_tiles<5, HasOwn>(args);
    case 6:
      return decode_tiles<6, HasOwn>(args);
    case 7:
      return decode_tiles<7, HasOwn>(args);
    case 8:
      return decode_tiles<8, HasOwn>(args);
    default:
      return decode_many_lanes(args, scratch);
  }
}

template <class T>
void decode_all(const Decode<T>& args, T* scratch) {
  args.own != nullptr ? decode_lanes<true>(args, scratch) : decode_lanes<false>(args, scratch);
}

}  // namespace
}  // namespace cerar::kernel
