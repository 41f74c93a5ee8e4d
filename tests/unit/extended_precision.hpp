// Whether a long double is what the compiler takes it for: under valgrind it is no more precise
// than a double.
#pragma once

#include <cfloat>

namespace cerar::test {

inline bool extended_precision() {
  volatile long double one = 1, little = LDBL_EPSILON;
  return one + little != one;
}

}  // namespace cerar::test
