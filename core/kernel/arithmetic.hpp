// The arithmetic of combine and decode for one element: the only place where it is written down.
//
// V is what a variable of the loop holds: T itself (scalar code, the ends of a run, a CUDA thread)
// or a vector of T with element-wise operators. Every sum starts from an addend and grows term by
// term, in order, so that an element's value does not depend on where in a run it stands or how a
// buffer was cut up.
//
// All functions have internal linkage: translation units built for different instruction sets
// include this file, and the linker must never take one's instance for another's.
#pragma once

#if defined(__CUDACC__)
#define CERAR_KERNEL_FUNCTION static inline __host__ __device__
#define CERAR_KERNEL_UNROLL _Pragma("unroll")
#else
#define CERAR_KERNEL_FUNCTION [[gnu::always_inline]] static inline
#define CERAR_KERNEL_UNROLL _Pragma("GCC unroll 16")
#endif

namespace cerar::kernel {

// sum + a·x, in one expression so that it becomes a fused multiply-add where there is one.
template <class T, class V>
CERAR_KERNEL_FUNCTION V multiply_add(T a, V x, V sum) {
  return sum + a * x;
}

// sum + Σ_k a[k]·x[k], k = 0 … Terms − 1.
template <int Terms, class T, class V>
CERAR_KERNEL_FUNCTION V add_terms(V sum, const T* a, const V* x) {
  CERAR_KERNEL_UNROLL
  for (int k = 0; k < Terms; ++k) sum = multiply_add(a[k], x[k], sum);
  return sum;
}

// One lane's element of decode, as a CUDA thread has it (decode_loops.hpp takes the same terms in
// the same order, for several lanes at a time): Σ_m w[m]·y[m] (+ Σ_m own[m]·g[m] if HasOwn), w and
// own being rows of the matrices.
template <int Lanes, bool HasOwn, class T, class V>
CERAR_KERNEL_FUNCTION V decode_row(const T* w, const V* y, const T* own, const V* g) {
  V sum = add_terms<Lanes>(V{}, w, y);
  if constexpr (HasOwn) sum = add_terms<Lanes>(sum, own, g);
  return sum;
}

}  // namespace cerar::kernel
