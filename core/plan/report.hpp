// Plans as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "core/plan/planner.hpp"

namespace cerar::plan {

// A table of the candidates, the choice marked, and what it gains.
std::string table(const Request& request, const std::vector<Plan>& plans);

// {"request": {…}, "candidates": [{…}, …], "choice": index, "exact": {…}}; times in seconds, sizes
// in bytes.
std::string json(const Request& request, const std::vector<Plan>& plans);

const char* name_of(cerar_type_t type);

// The plan that is marked. plans must have one.
const Plan& choice_of(const std::vector<Plan>& plans);

}  // namespace cerar::plan
