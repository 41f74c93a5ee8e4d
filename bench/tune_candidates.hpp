// Which codes are worth timing.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "bench/tune_configuration.hpp"

namespace cerar::tune {

// Numbers of components whose predicted error keeps the tolerance (as the planner holds it against
// it), rising; N, the exact ring, is always among them. Where c > N the code is the one that a rule
// `components C` runs: the ε-construction.
std::vector<int> components_for(int ranks, cerar_type_t type, double tolerance);

// By c, the segments that a search of vectors of that size begins with: what the component takes by
// itself, and what the planner would for its default link.
std::map<int, std::vector<std::size_t>> first_segments(const std::vector<int>& components,
                                                       int ranks, cerar_type_t type,
                                                       std::size_t bytes, bool one_node);

// Codes of fewer components than ranks save rounds and send more: the larger the vector, the worse
// they are against the ring. Those that have been much slower than the fastest at two sizes in
// succession can be left out at greater ones.
class Dropper {
 public:
  explicit Dropper(int ranks) : ranks_(ranks) {}
  // Takes the next size's timings, and leaves out of `components` those that have had their chance.
  void drop(const Measured& measured, std::vector<int>& components);

 private:
  int ranks_;
  std::map<int, int> slow_;  // by c: at how many sizes in succession
};

}  // namespace cerar::tune
