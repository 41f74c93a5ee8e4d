// The ways in which an all-reduce can run, and how long each took.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <vector>

#include "core/cerar.h"

namespace cerar::tune {

struct Configuration {
  int components = 0;             // c of CERAR; 0: what Open MPI runs without it
  std::size_t segment_bytes = 0;  // of CERAR

  bool own() const { return components == 0; }
  auto operator<=>(const Configuration&) const = default;
};

struct Timing {
  Configuration configuration;
  double seconds = 0;  // of a call, the slowest rank's: the median over calls
  bool final = false;  // timed to the end, in turns with the best: what a rule may choose
};

// All that was timed of vectors of one size.
struct Measured {
  std::size_t bytes = 0;
  std::vector<Timing> timings;
};

// Of one type, sizes rising.
struct Sweep {
  cerar_type_t type = CERAR_FLOAT;
  std::vector<Measured> sizes;
};

// What of `measured` belongs to a configuration; nullptr: it was not timed.
inline const Timing* find(const Measured& measured, const Configuration& configuration) {
  for (const Timing& timing : measured.timings) {
    if (timing.configuration == configuration) return &timing;
  }
  return nullptr;
}

// The least time of each c, of whatever segments; 0: Open MPI's own.
inline std::map<int, double> least_by_components(const Measured& measured) {
  std::map<int, double> least;
  for (const Timing& timing : measured.timings) {
    const auto known = least.try_emplace(timing.configuration.components, timing.seconds).first;
    known->second = std::min(known->second, timing.seconds);
  }
  return least;
}

}  // namespace cerar::tune
