// What is timed at one size: all candidates a few times, then segments around those that were good,
// then the best many times (successive halving).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "bench/tune_configuration.hpp"

namespace cerar::tune {

class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  // The configurations take turns, `rounds` times or as often as there is time, once at least. The
  // median of each, in their order.
  virtual std::vector<double> medians(const std::vector<Configuration>& configurations,
                                      int rounds) = 0;
  // Whether there is time for more than what has to be.
  virtual bool in_time() = 0;
};

struct SearchSpace {
  std::size_t bytes = 0;        // of the vector
  std::vector<int> components;  // c of the candidates
  // By c: segments to begin with. All c have some.
  std::map<int, std::vector<std::size_t>> segments;
  std::optional<Configuration> neighbour;  // the choice at the size before: timed to the end too
  int iterations = 1;                      // turns of those that are timed to the end
};

Measured search(const SearchSpace& space, Stopwatch& stopwatch);

// The fastest of what a rule may choose. There must be one.
const Timing& fastest(const Measured& measured);

}  // namespace cerar::tune
