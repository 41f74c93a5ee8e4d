// The loops of combine, for the instruction set that the including translation unit is compiled
// for. Internal linkage throughout, as in arithmetic.hpp.
#pragma once

#include <cstddef>

#include "core/kernel/arithmetic.hpp"
#include "core/kernel/kernel.hpp"
#include "core/kernel/vector.hpp"

namespace cerar::kernel {
namespace {

// Combine with one way to say each thing: `to` is always there and moves on by to_stride a tile;
// `copy` is a second destination.
template <class T>
struct CombineRun {
  const T* in;
  T* to;
  T* copy;
  const T* const* x;
  const T* alpha;
  int terms;
  std::size_t width;
  std::size_t tiles;
  std::size_t to_stride;
  std::size_t stride;
};

// `Count` vectors V of a tile from element i on, lane by lane so that each lane is read in as long
// a piece as the registers allow. All loads come before the stores: copy may be one of the x.
template <int Terms, bool HasIn, bool HasCopy, class V, int Count, class T>
CERAR_KERNEL_FUNCTION void combine_step(const T* in, T* to, T* copy, const T* const* x,
                                        const T* alpha, std::size_t i) {
  constexpr std::size_t kStep = kElements<T, V>;
  V sum[Count] = {};
  if constexpr (HasIn) {
    CERAR_KERNEL_UNROLL
    for (int j = 0; j < Count; ++j) sum[j] = load<V>(in + i + j * kStep);
  }
  CERAR_KERNEL_UNROLL
  for (int k = 0; k < Terms; ++k) {
    CERAR_KERNEL_UNROLL
    for (int j = 0; j < Count; ++j) {
      sum[j] = multiply_add(alpha[k], load<V>(x[k] + i + j * kStep), sum[j]);
    }
  }
  CERAR_KERNEL_UNROLL
  for (int j = 0; j < Count; ++j) {
    store(to + i + j * kStep, sum[j]);
    if constexpr (HasCopy) store(copy + i + j * kStep, sum[j]);
  }
}

// Where to prefetch the terms: from x[0] + offset[k] + i·step.
template <int Terms>
struct TermsAhead {
  std::ptrdiff_t offset[Terms + 1];
  std::size_t step;
};

// If the terms are all of a tile's lanes, in order, what comes next can be asked for by address,
// else lane by lane. `block` elements of each term are asked for at a time.
template <int Terms, class T>
TermsAhead<Terms> terms_ahead(const CombineRun<T>& run, std::size_t block,
                              std::size_t tiles_ahead) {
  bool dense = run.stride == Terms * run.width;
  for (int k = 0; k < Terms; ++k) dense = dense && run.x[k] == run.x[0] + k * run.width;
  TermsAhead<Terms> ahead{};
  ahead.step = dense ? Terms : 1;
  for (int k = 0; k < Terms; ++k) {
    ahead.offset[k] = dense ? kAhead<T> + k * block : run.x[k] - run.x[0] + tiles_ahead;
  }
  return ahead;
}

template <int Terms, bool HasIn, bool HasCopy, class T>
void combine_tiles(const CombineRun<T>& run) {
  using V = Vector<T>;
  constexpr int kCount = 8;  // vectors at a time
  constexpr std::size_t kBlock = kCount * kElements<T, V>;
  const T* x[Terms + 1];
  T alpha[Terms + 1];
  for (int k = 0; k < Terms; ++k) {
    x[k] = run.x[k];
    alpha[k] = run.alpha[k];
  }
  const T* in = run.in;
  T* to = run.to;
  T* copy = run.copy;
  const std::size_t tiles_ahead = run.stride == 0 ? 0 : (kAhead<T> / run.stride + 1) * run.stride;
  const TermsAhead<Terms> ahead = terms_ahead<Terms>(run, kBlock, tiles_ahead);
  for (std::size_t tile = 0; tile < run.tiles; ++tile) {
    std::size_t i = 0;
    for (; i + kBlock <= run.width; i += kBlock) {
      constexpr int kLines = kBlock / kLine<T>;
      CERAR_KERNEL_UNROLL
      for (int k = 0; k < Terms; ++k) prefetch<kLines>(x[0] + ahead.offset[k] + i * ahead.step);
      if constexpr (HasCopy) prefetch<kLines>(copy + tiles_ahead + i);
      combine_step<Terms, HasIn, HasCopy, V, kCount>(in, to, copy, x, alpha, i);
    }
    for (; i + kElements<T, V> <= run.width; i += kElements<T, V>) {
      combine_step<Terms, HasIn, HasCopy, V, 1>(in, to, copy, x, alpha, i);
    }
    for (; i < run.width; ++i) combine_step<Terms, HasIn, HasCopy, T, 1>(in, to, copy, x, alpha, i);
    if constexpr (HasIn) in += run.width;
    to += run.to_stride;
    if constexpr (HasCopy) copy += run.stride;
    CERAR_KERNEL_UNROLL
    for (int k = 0; k < Terms; ++k) x[k] += run.stride;
  }
}

template <bool HasIn, bool HasCopy, class T>
void combine_terms(const CombineRun<T>& run) {
  static_assert(kMaxTerms == 8);
  switch (run.terms) {
    case 0:
      return combine_tiles<0, HasIn, HasCopy>(run);
    case 1:
      return combine_tiles<1, HasIn, HasCopy>(run);
    case 2:
      return combine_tiles<2, HasIn, HasCopy>(run);
    case 3:
      return combine_tiles<3, HasIn, HasCopy>(run);
    case 4:
      return combine_tiles<4, HasIn, HasCopy>(run);
    case 5:
      return combine_tiles<5, HasIn, HasCopy>(run);
    case 6:
      return combine_tiles<6, HasIn, HasCopy>(run);
    case 7:
      return combine_tiles<7, HasIn, HasCopy>(run);
    default:
      return combine_tiles<8, HasIn, HasCopy>(run);
  }
}

template <class T>
void combine_all(const Combine<T>& args) {
  CombineRun<T> run{args.in,    args.out,   args.store, args.x,     args.alpha,
                    args.terms, args.width, args.tiles, args.width, args.stride};
  if (run.to == nullptr) {
    run.to = run.copy;
    run.to_stride = run.stride;
    run.copy = nullptr;
  }
  if (run.stride == run.width) {  // the lane is the whole tile: one long run
    run.width *= run.tiles;
    run.tiles = 1;
  }
  if (run.in != nullptr) {
    run.copy != nullptr ? combine_terms<true, true>(run) : combine_terms<true, false>(run);
  } else {
    run.copy != nullptr ? combine_terms<false, true>(run) : combine_terms<false, false>(run);
  }
}

}  // namespace
}  // namespace cerar::kernel
