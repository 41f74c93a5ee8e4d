// The N × s matrix R that spreads s shared components over N classes.
#pragma once

#include "core/code/matrix.hpp"

namespace cerar::code {

// N × s, 1 ≤ s ≤ N: any s cyclically consecutive rows are independent, so that any s classes in
// turn tell the s components. Entries are 0 or ±a power of two, which no rounding touches, and
// mostly 0, which makes a contribution cheap. The tiled identity if s divides N.
Matrix independent_rows(int ranks, int shared);

}  // namespace cerar::code
