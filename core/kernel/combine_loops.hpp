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

// Elements i, i + 1, … of a tile, as many as a V holds. All loads come before the stores: store may
// be one of the x.
template <int Terms, bool HasIn, bool HasCopy, class V, class T>
CERAR_KERNEL_FUNCTION void combine_step(const T* in, T* to, T* copy, const T* const* x,
                                        const T* alpha, std::size_t i) {
  V terms[Terms + 1];
  CERAR_KERNEL_UNROLL
  for (int k = 0; k < Terms; ++k) terms[k] = load<V>(x[k] + i);
  V sum{};
  if constexpr (HasIn) sum = load<V>(in + i);
  sum = add_terms<Terms>(sum, alpha, terms);
  store(to + i, sum);
  if constexpr (HasCopy) store(copy + i, sum);
}

template <int Terms, bool HasIn, bool HasCopy, class T>
void combine_tiles(const CombineRun<T>& run) {
  using V = Vector<T>;
  const T* x[Terms + 1];
  T alpha[Terms + 1];
  for (int k = 0; k < Terms; ++k) {
    x[k] = run.x[k];
    alpha[k] = run.alpha[k];
  }
  const T* in = run.in;
  T* to = run.to;
  T* copy = run.copy;
  for (std::size_t tile = 0; tile < run.tiles; ++tile) {
    std::size_t i = 0;
    for (; i + kElements<T, V> <= run.width; i += kElements<T, V>) {
      combine_step<Terms, HasIn, HasCopy, V>(in, to, copy, x, alpha, i);
    }
    for (; i < run.width; ++i) combine_step<Terms, HasIn, HasCopy, T>(in, to, copy, x, alpha, i);
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
