// Time against size, drawn.
#pragma once

#include <string>
#include <vector>

#include "bench/tune_rules.hpp"

namespace cerar::tune {

// An SVG document, one chart a type: a curve for Open MPI's own all-reduce and one for each c, with
// its best segments; rings around what was chosen. Both axes are logarithmic.
std::string chart(const std::vector<Sweep>& sweeps, const Facts& facts);

}  // namespace cerar::tune
