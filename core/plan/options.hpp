// The command line of cerar_plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/request.hpp"

namespace cerar::plan {

struct Options {
  Request request;
  bool json = false;
  std::string plot;  // file for the chart; empty: none
};

// What to print instead of running, and how to exit.
struct Ending {
  std::string message;
  int status = 0;  // 0: help was asked for; 2: an argument is wrong
};

// Without the command's name. nullopt: `ending` is set.
std::optional<Options> parse_options(const std::vector<std::string>& arguments, Ending& ending);

}  // namespace cerar::plan
