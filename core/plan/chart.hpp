// Error against traffic, drawn.
#pragma once

#include <string>
#include <vector>

#include "core/plan/planner.hpp"

namespace cerar::plan {

// An SVG document. Codes with fewer components than ranks, which are exact and send more than the
// ring, are left out unless one is chosen; so are those of design constrained beside the others,
// whose points they nearly share.
std::string chart(const Request& request, const std::vector<Plan>& plans);

}  // namespace cerar::plan
