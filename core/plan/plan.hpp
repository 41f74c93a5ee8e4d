// Which code a call runs: components and ε for (N, type).
#pragma once

#include "core/cerar.h"
#include "core/code/code.hpp"

namespace cerar::plan {

// components: 0 = 2·N. epsilon: 0 = the one that minimises the predicted total error (approximation
// and rounding) for N, c and type. Throws std::invalid_argument for a value out of its range
// (cerar.h). Cached; safe from several threads.
code::Spec resolve(int ranks, int components, double epsilon, cerar_type_t type);

}  // namespace cerar::plan
