// The command line of cerar_tune.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/ending.hpp"
#include "core/plan/request.hpp"

namespace cerar::tune {

// What all ranks need of it: sent as bytes.
struct Settings {
  double tolerance = plan::kDefaultTolerance;
  bool floats = true, doubles = false;
  std::size_t min_bytes = 32 << 10, max_bytes = 32 << 20;
  int factor = 2;  // from size to size
  int iterations = 11;
  double seconds = 300;

  // Rising, all multiples of 8: min, min·factor, … as far as max.
  std::vector<std::size_t> sizes() const;
};

struct Options {
  Settings settings;
  std::string output;  // file for the rules; empty: standard output
  std::string plot;    // file for the chart; empty: none
  bool quiet = false;
};

// Without the command's name. nullopt: `ending` is set.
std::optional<Options> parse_arguments(const std::vector<std::string>& arguments,
                                       plan::Ending& ending);

// Why a file can't be written, or "". Leaves what there is.
std::string why_not_writable(const std::string& file);

}  // namespace cerar::tune
