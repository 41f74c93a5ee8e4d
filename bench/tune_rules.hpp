// From what was measured to rules.
#pragma once

#include <string>
#include <vector>

#include "bench/tune_configuration.hpp"

namespace cerar::tune {

// A choice that is at most so much slower than the fastest is as good: noise is as large.
inline constexpr double kSlack = 0.02;

// For each size a configuration that was timed there to the end and is within kSlack of the
// fastest, such that as few changes as can be are between neighbouring sizes. Of those that serve
// the same sizes, Open MPI's own, then the one that is faster on the whole.
std::vector<Configuration> choose(const std::vector<Measured>& sizes);

// What the file says of itself.
struct Facts {
  int ranks = 0;
  double tolerance = 0;
  std::string date;  // YYYY-MM-DD
};

// A file of rules (docs/rules.md) for exactly that many ranks, with what was measured in comments.
// A rule goes up to the geometric mean of its last size and the next; the one for the greatest size
// has no upper end, and one that says off for the least has no lower one. Throws std::logic_error
// if the rules, read again, do not choose what choose() does.
std::string rules_text(const std::vector<Sweep>& sweeps, const Facts& facts);

// "off", "exact segment 16K", "components 16 segment 16K": as rules say it.
std::string action_of(const Configuration& configuration, int ranks);

}  // namespace cerar::tune
