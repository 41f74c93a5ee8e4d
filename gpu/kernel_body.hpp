// The kernels, as functions of a block's and a thread's number: compiled by nvcc into the kernels
// proper, and by the host's compiler for the tests' stand-in device.
//
// A thread loads all that it needs before it stores anything, and no other thread touches its
// elements: this is what makes the aliases right that kernel.hpp allows.
#pragma once

#include "core/kernel/arithmetic.hpp"
#include "gpu/kernel_args.hpp"

namespace cerar::gpu {

// 16 bytes of T, moved by one instruction.
template <class T>
struct alignas(16) Pack {
  static constexpr int kSize = 16 / sizeof(T);
  T element[kSize];
};

template <class T>
CERAR_KERNEL_FUNCTION Pack<T> operator+(Pack<T> a, Pack<T> b) {
  CERAR_KERNEL_UNROLL
  for (int i = 0; i < Pack<T>::kSize; ++i) a.element[i] += b.element[i];
  return a;
}

template <class T>
CERAR_KERNEL_FUNCTION Pack<T> operator*(T a, Pack<T> b) {
  CERAR_KERNEL_UNROLL
  for (int i = 0; i < Pack<T>::kSize; ++i) b.element[i] = a * b.element[i];
  return b;
}

template <class V, class T>
CERAR_KERNEL_FUNCTION V load_unit(const T* from) {
  return *reinterpret_cast<const V*>(from);
}

template <class V, class T>
CERAR_KERNEL_FUNCTION void store_unit(T* to, V value) {
  *reinterpret_cast<V*>(to) = value;
}

// The elements before a unit in a vector whose rows begin `stride` elements apart.
template <class T, class V>
CERAR_KERNEL_FUNCTION std::uint32_t offset_of(const Rows& rows, std::uint32_t stride,
                                              std::uint32_t unit) {
  constexpr unsigned kElements = sizeof(V) / sizeof(T);
  const std::uint32_t row = rows.shift >= 0 ? unit >> rows.shift : unit / rows.width;
  return row * stride + (unit - row * rows.width) * kElements;
}

// Units that a thread works on at once, so that about eight loads are in flight.
CERAR_KERNEL_FUNCTION constexpr int unroll_for(int loads) {
  return loads <= 2 ? 4 : loads <= 5 ? 2 : 1;
}

// Units that one block does of a kernel with so many loads a unit.
CERAR_KERNEL_FUNCTION constexpr unsigned units_per_block(int loads) {
  return kThreads * unroll_for(loads);
}

template <int Terms, class V, class T>
CERAR_KERNEL_FUNCTION void load_combine(const CombineArgs<T>& args, std::uint32_t packet,
                                        std::uint32_t vector, V& sum, V* x) {
  sum = args.in != nullptr ? load_unit<V>(args.in + packet) : V{};
  CERAR_KERNEL_UNROLL
  for (int k = 0; k < Terms; ++k) x[k] = load_unit<V>(args.x[k] + vector);
}

template <int Terms, class V, class T>
CERAR_KERNEL_FUNCTION void store_combine(const CombineArgs<T>& args, std::uint32_t packet,
                                         std::uint32_t vector, V sum, const V* x) {
  sum = kernel::add_terms<Terms>(sum, args.alpha, x);
  if (args.out != nullptr) store_unit<V>(args.out + packet, sum);
  if (args.store != nullptr) store_unit<V>(args.store + vector, sum);
}

template <class V, int Terms, class T>
CERAR_KERNEL_FUNCTION void combine_body(const CombineArgs<T>& args, unsigned block,
                                        unsigned thread) {
  constexpr unsigned kElements = sizeof(V) / sizeof(T);
  constexpr int kUnroll = unroll_for(Terms + 1);
  const std::uint32_t first = block * units_per_block(Terms + 1) + thread;
  V sum[kUnroll];
  V x[kUnroll][Terms + 1];
  CERAR_KERNEL_UNROLL
  for (int u = 0; u < kUnroll; ++u) {
    const std::uint32_t unit = first + u * kThreads;
    if (unit >= args.rows.units) continue;
    load_combine<Terms>(args, unit * kElements, offset_of<T, V>(args.rows, args.stride, unit),
                        sum[u], x[u]);
  }
  CERAR_KERNEL_UNROLL
  for (int u = 0; u < kUnroll; ++u) {
    const std::uint32_t unit = first + u * kThreads;
    if (unit >= args.rows.units) continue;
    store_combine<Terms>(args, unit * kElements, offset_of<T, V>(args.rows, args.stride, unit),
                         sum[u], x[u]);
  }
  if (block == 0 && thread < args.rows.rest) {
    const std::uint32_t at = args.rows.units * kElements + thread;
    T rest, term[Terms + 1];
    load_combine<Terms>(args, at, at, rest, term);
    store_combine<Terms>(args, at, at, rest, term);
  }
}

template <int Lanes, bool HasOwn, class V, class T>
CERAR_KERNEL_FUNCTION void load_decode(const DecodeArgs<T>& args, std::uint32_t at, V* y, V* g) {
  CERAR_KERNEL_UNROLL
  for (int m = 0; m < Lanes; ++m) {
    y[m] = load_unit<V>(args.y + at + m * args.lane);
    if constexpr (HasOwn) g[m] = load_unit<V>(args.g + at + m * args.lane);
  }
}

template <int Lanes, bool HasOwn, class V, class T>
CERAR_KERNEL_FUNCTION void store_decode(const DecodeArgs<T>& args, std::uint32_t at, const V* y,
                                        const V* g) {
  CERAR_KERNEL_UNROLL
  for (int r = 0; r < Lanes; ++r) {
    const V value =
        kernel::decode_row<Lanes, HasOwn>(args.w + r * Lanes, y, args.own + r * Lanes, g);
    store_unit<V>(args.out + at + r * args.lane, value);
  }
}

template <class V, int Lanes, bool HasOwn, class T>
CERAR_KERNEL_FUNCTION void decode_body(const DecodeArgs<T>& args, unsigned block, unsigned thread) {
  constexpr int kLoads = Lanes * (HasOwn ? 2 : 1);
  constexpr int kUnroll = unroll_for(kLoads);
  const std::uint32_t first = block * units_per_block(kLoads) + thread;
  V y[kUnroll][Lanes];
  V g[kUnroll][Lanes];
  std::uint32_t at[kUnroll];
  CERAR_KERNEL_UNROLL
  for (int u = 0; u < kUnroll; ++u) {
    const std::uint32_t unit = first + u * kThreads;
    if (unit >= args.rows.units) continue;
    at[u] = offset_of<T, V>(args.rows, Lanes * args.lane, unit);
    load_decode<Lanes, HasOwn>(args, at[u], y[u], g[u]);
  }
  CERAR_KERNEL_UNROLL
  for (int u = 0; u < kUnroll; ++u) {
    const std::uint32_t unit = first + u * kThreads;
    if (unit >= args.rows.units) continue;
    store_decode<Lanes, HasOwn>(args, at[u], y[u], g[u]);
  }
}

// row·column, row being one of a matrix and column's elements `stride` apart, added to sum.
template <class T>
CERAR_KERNEL_FUNCTION T add_row(T sum, const T* row, const T* column, std::uint64_t stride,
                                std::uint32_t lanes) {
  for (std::uint32_t m = 0; m < lanes; ++m) {
    sum = kernel::multiply_add(row[m], column[m * stride], sum);
  }
  return sum;
}

// A thread decodes whole columns, one after the other. The one of y and g that out overwrites is
// copied to scratch first: a column each thread, next to its neighbours'.
template <class T>
CERAR_KERNEL_FUNCTION void decode_any_body(const DecodeAnyArgs<T>& args, unsigned block,
                                           unsigned blocks, unsigned thread) {
  T* kept = args.scratch + std::uint64_t{block} * args.lanes * kThreadsAny + thread;
  const bool keep_y = args.y == args.out;
  const bool keep_g = args.own != nullptr && args.g == args.out;
  for (std::uint64_t column = std::uint64_t{block} * kThreadsAny + thread; column < args.columns;
       column += std::uint64_t{blocks} * kThreadsAny) {
    const std::uint64_t tile = column / args.width;
    const std::uint64_t at = tile * args.lanes * args.width + (column - tile * args.width);
    for (std::uint32_t m = 0; (keep_y || keep_g) && m < args.lanes; ++m) {
      kept[std::uint64_t{m} * kThreadsAny] = args.out[at + m * args.width];
    }
    const T* y = keep_y ? kept : args.y + at;
    const T* g = keep_g ? kept : args.own != nullptr ? args.g + at : nullptr;
    for (std::uint32_t r = 0; r < args.lanes; ++r) {
      const std::uint64_t row = std::uint64_t{r} * args.lanes;
      T sum = add_row(T{}, args.w + row, y, keep_y ? kThreadsAny : args.width, args.lanes);
      if (args.own != nullptr) {
        sum = add_row(sum, args.own + row, g, keep_g ? kThreadsAny : args.width, args.lanes);
      }
      args.out[at + r * args.width] = sum;
    }
  }
}

template <class T>
CERAR_KERNEL_FUNCTION kernel::Magnitude<T> greatest_of(kernel::Magnitude<T> so_far, T value) {
  return kernel::greater(so_far, value);
}

template <class T>
CERAR_KERNEL_FUNCTION kernel::Magnitude<T> greatest_of(kernel::Magnitude<T> so_far, Pack<T> value) {
  CERAR_KERNEL_UNROLL
  for (int i = 0; i < Pack<T>::kSize; ++i) so_far = kernel::greater(so_far, value.element[i]);
  return so_far;
}

template <class V, class T>
CERAR_KERNEL_FUNCTION void magnitude_body(const MagnitudeArgs<T>& args, unsigned block,
                                          unsigned blocks, unsigned thread) {
  constexpr unsigned kElements = sizeof(V) / sizeof(T);
  constexpr int kUnroll = 8;
  const std::uint64_t threads = std::uint64_t{blocks} * kThreads;
  const unsigned slot = block * kThreads + thread;
  kernel::Magnitude<T> greatest = args.slots[slot];
  for (std::uint64_t first = slot; first < args.units; first += kUnroll * threads) {
    V values[kUnroll];
    CERAR_KERNEL_UNROLL
    for (int u = 0; u < kUnroll; ++u) {
      const std::uint64_t unit = first + u * threads;
      values[u] = unit < args.units ? load_unit<V>(args.values + unit * kElements) : V{};
    }
    CERAR_KERNEL_UNROLL
    for (int u = 0; u < kUnroll; ++u) greatest = greatest_of<T>(greatest, values[u]);
  }
  if (slot < args.rest) {
    greatest = greatest_of<T>(greatest, args.values[args.units * kElements + slot]);
  }
  args.slots[slot] = greatest;
}

}  // namespace cerar::gpu
