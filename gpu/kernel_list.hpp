// All kernels, for who must name each of them: X(name, body) for every combine and decode kernel.
//
//   combine_T_UNIT_TERMS      T: f32, f64; UNIT: wide, narrow; TERMS: 0 … 8
//   decode_T_UNIT_LANES       LANES: 1 … 8
//   decode_own_T_UNIT_LANES   with the second sum
//   decode_any_T              any number of lanes
//   magnitude_T_UNIT          the greatest magnitude
#pragma once

#define CERAR_COMBINE_KERNELS_OF(X, T, NAME, V) \
  X(combine_##NAME##_0, T, V, 0)                \
  X(combine_##NAME##_1, T, V, 1)                \
  X(combine_##NAME##_2, T, V, 2)                \
  X(combine_##NAME##_3, T, V, 3)                \
  X(combine_##NAME##_4, T, V, 4)                \
  X(combine_##NAME##_5, T, V, 5)                \
  X(combine_##NAME##_6, T, V, 6)                \
  X(combine_##NAME##_7, T, V, 7)                \
  X(combine_##NAME##_8, T, V, 8)

#define CERAR_DECODE_KERNELS_OF(X, T, NAME, V, OWN) \
  X(NAME##_1, T, V, 1, OWN)                         \
  X(NAME##_2, T, V, 2, OWN)                         \
  X(NAME##_3, T, V, 3, OWN)                         \
  X(NAME##_4, T, V, 4, OWN)                         \
  X(NAME##_5, T, V, 5, OWN)                         \
  X(NAME##_6, T, V, 6, OWN)                         \
  X(NAME##_7, T, V, 7, OWN)                         \
  X(NAME##_8, T, V, 8, OWN)

// X(name, T, unit, terms)
#define CERAR_COMBINE_KERNELS(X)                              \
  CERAR_COMBINE_KERNELS_OF(X, float, f32_wide, Pack<float>)   \
  CERAR_COMBINE_KERNELS_OF(X, float, f32_narrow, float)       \
  CERAR_COMBINE_KERNELS_OF(X, double, f64_wide, Pack<double>) \
  CERAR_COMBINE_KERNELS_OF(X, double, f64_narrow, double)

// X(name, T, unit, lanes, own)
#define CERAR_DECODE_KERNELS(X)                                               \
  CERAR_DECODE_KERNELS_OF(X, float, decode_f32_wide, Pack<float>, false)      \
  CERAR_DECODE_KERNELS_OF(X, float, decode_f32_narrow, float, false)          \
  CERAR_DECODE_KERNELS_OF(X, double, decode_f64_wide, Pack<double>, false)    \
  CERAR_DECODE_KERNELS_OF(X, double, decode_f64_narrow, double, false)        \
  CERAR_DECODE_KERNELS_OF(X, float, decode_own_f32_wide, Pack<float>, true)   \
  CERAR_DECODE_KERNELS_OF(X, float, decode_own_f32_narrow, float, true)       \
  CERAR_DECODE_KERNELS_OF(X, double, decode_own_f64_wide, Pack<double>, true) \
  CERAR_DECODE_KERNELS_OF(X, double, decode_own_f64_narrow, double, true)

// X(name, T)
#define CERAR_DECODE_ANY_KERNELS(X) \
  X(decode_any_f32, float)          \
  X(decode_any_f64, double)

// X(name, T, unit)
#define CERAR_MAGNITUDE_KERNELS(X)            \
  X(magnitude_f32_wide, float, Pack<float>)   \
  X(magnitude_f32_narrow, float, float)       \
  X(magnitude_f64_wide, double, Pack<double>) \
  X(magnitude_f64_narrow, double, double)
