// The loops of decode, for the instruction set that the including translation unit is compiled for.
// Internal linkage throughout, as in arithmetic.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "core/kernel/arithmetic.hpp"
#include "core/kernel/kernel.hpp"
#include "core/kernel/table.hpp"
#include "core/kernel/vector.hpp"

namespace cerar::kernel {
namespace {

// Rows of the matrices that are worked on at a time, and vectors V of each lane: the registers hold
// a sum for each row and vector, one lane's vectors, and a coefficient. Two vectors at least, for
// then the coefficients take less time to read than the multiply-adds.
template <int Lanes>
inline constexpr int kRows = 2 * (Lanes + 1) < kVectorRegisters ? Lanes : (Lanes + 1) / 2;
template <int Lanes>
inline constexpr int kCount =
    std::bit_floor(static_cast<unsigned>(std::min((kVectorRegisters - 1) / (kRows<Lanes> + 1), 8)));

// sum[r][j] += Σ_m a[r·Lanes + m]·x_m[j], x_m[j] being vector j of lane m, r = 0 … Rows − 1.
//
// Lane by lane: so the sums of all rows grow side by side, where that of a single row would have to
// wait for each of its terms. This loop is left to the compiler, which does not unroll it: where
// there is no fused multiply-add GCC would go back to row by row, and run out of registers.
template <int Lanes, int Rows, class V, int Count, class T>
CERAR_KERNEL_FUNCTION void add_product(V (*sum)[Count], const T* a, const T* x, std::size_t width) {
  for (int m = 0; m < Lanes; ++m) {
    V lane[Count];
    CERAR_KERNEL_UNROLL
    for (int j = 0; j < Count; ++j) lane[j] = load<V>(x + m * width + j * kElements<T, V>);
    end_loads();
    CERAR_KERNEL_UNROLL
    for (int r = 0; r < Rows; ++r) {
      CERAR_KERNEL_UNROLL
      for (int j = 0; j < Count; ++j) {
        sum[r][j] = multiply_add(a[r * Lanes + m], lane[j], sum[r][j]);
      }
    }
  }
}

// The sums of rows First … First + Rows − 1, for the elements from `start` on.
template <int Lanes, bool HasOwn, int First, int Rows, class V, int Count, class T>
CERAR_KERNEL_FUNCTION void add_rows(V (*sum)[Count], const Decode<T>& run, std::size_t start) {
  constexpr int kSkip = First * Lanes;
  add_product<Lanes, Rows>(sum + First, run.w + kSkip, run.y + start, run.width);
  if constexpr (HasOwn) {
    add_product<Lanes, Rows>(sum + First, run.own + kSkip, run.g + start, run.width);
  }
}

// `Count` vectors V of each lane, from element `start` on: all lanes are loaded before the first is
// stored, so out may be y or g.
template <int Lanes, bool HasOwn, class V, int Count, class T>
CERAR_KERNEL_FUNCTION void decode_step(const Decode<T>& run, std::size_t start) {
  constexpr int kFirst = kRows<Lanes>;
  V sum[Lanes][Count] = {};
  add_rows<Lanes, HasOwn, 0, kFirst>(sum, run, start);
  if constexpr (kFirst < Lanes) add_rows<Lanes, HasOwn, kFirst, Lanes - kFirst>(sum, run, start);
  T* out = run.out + start;
  CERAR_KERNEL_UNROLL
  for (int r = 0; r < Lanes; ++r) {
    CERAR_KERNEL_UNROLL
    for (int j = 0; j < Count; ++j) store(out + r * run.width + j * kElements<T, V>, sum[r][j]);
  }
}

// The matrices are read where they are: of copies the compiler would make a vector of each
// coefficient, 8 KiB of them for 8 lanes, and keep those on the stack.
template <int Lanes, bool HasOwn, class T>
void decode_tiles(const Decode<T>& args) {
  using V = Vector<T>;
  constexpr std::size_t kStep = kCount<Lanes> * kElements<T, V>;
  constexpr std::size_t kBlock = std::max(kStep, kLine<T>);
  constexpr int kLines = Lanes * kBlock / kLine<T>;
  const Decode<T> run = args;  // a copy, which no store through out changes
  for (std::size_t tile = 0; tile < run.tiles; ++tile) {
    const std::size_t start = tile * Lanes * run.width;
    std::size_t i = 0;
    for (; i + kBlock <= run.width; i += kBlock) {
      prefetch<kLines>(run.y + start + i * Lanes + kAhead<T>);
      if constexpr (HasOwn) prefetch<kLines>(run.g + start + i * Lanes + kAhead<T>);
      CERAR_KERNEL_UNROLL
      for (std::size_t j = 0; j < kBlock; j += kStep) {
        decode_step<Lanes, HasOwn, V, kCount<Lanes>>(run, start + i + j);
      }
    }
    for (; i + kElements<T, V> <= run.width; i += kElements<T, V>) {
      decode_step<Lanes, HasOwn, V, 1>(run, start + i);
    }
    for (; i < run.width; ++i) decode_step<Lanes, HasOwn, T, 1>(run, start + i);
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
