// What the kernels are measured against: loops that move as many streams and bytes and do no more
// than a multiply-add to each element. Every stream is contiguous, and nothing overlaps but what is
// updated in place.
#pragma once

#include <cstddef>

namespace cerar::bench {

// The kernels are written with vectors; the compiler must find them here, whatever it was told on
// its command line.
#if defined(__clang__)
#define CERAR_BENCH_LOOP [[gnu::noinline]]
#else
#define CERAR_BENCH_LOOP [[gnu::noinline, gnu::optimize("O3")]]
#endif

// to[0][i] (and to[1][i]) = Σ_r s·from[r][i]: a copy of Reads = 1 streams, the triad of Reads = 2,
// and so on.
template <int Reads, int Writes, class T>
CERAR_BENCH_LOOP void plain_sum(T* const* to, const T* const* from, T s, std::size_t n) {
  const T* x[Reads];
  for (int r = 0; r < Reads; ++r) x[r] = from[r];
  T* first = to[0];
  T* second = to[Writes - 1];
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    T sum = x[0][i];
#pragma GCC unroll 16
    for (int r = 1; r < Reads; ++r) sum += s * x[r][i];
    first[i] = sum;
    if constexpr (Writes == 2) second[i] = sum;
  }
}

// y = s·y, and y = s·y + g.
template <class T>
CERAR_BENCH_LOOP void plain_scale(T* y, T s, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) y[i] *= s;
}
template <class T>
CERAR_BENCH_LOOP void plain_update(T* y, const T* g, T s, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) y[i] = s * y[i] + g[i];
}

}  // namespace cerar::bench
