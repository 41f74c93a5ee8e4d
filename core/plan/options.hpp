// The command line of cerar_plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/ending.hpp"
#include "core/plan/request.hpp"

namespace cerar::plan {

struct Options {
  Request request;
  bool json = false;
  std::string plot;  // file for the chart; empty: none
};

// Without the command's name. nullopt: `ending` is set.
std::optional<Options> parse_options(const std::vector<std::string>& arguments, Ending& ending);

}  // namespace cerar::plan
