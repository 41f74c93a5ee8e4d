#include "bench/tune_candidates.hpp"

#include <algorithm>
#include <cmath>

#include "core/plan/planner.hpp"

namespace cerar::tune {
namespace {

constexpr double kMuchSlower = 1.25;

plan::Request request_of(int ranks, cerar_type_t type, std::size_t bytes) {
  plan::Request request;
  request.ranks = ranks;
  request.type = type;
  request.bytes = bytes;
  return request;
}

}  // namespace

std::vector<int> components_for(int ranks, cerar_type_t type, double tolerance) {
  plan::Request request = request_of(ranks, type, 1 << 20);
  request.tolerance = tolerance;
  std::vector<int> components;
  for (const plan::Plan& plan : plan::candidates(request)) {
    const bool by_rule = plan.design == plan::Design::exact || plan.design == plan::Design::epsilon;
    if (by_rule && plan.keeps_tolerance) components.push_back(plan.spec.components);
  }
  return components;
}

std::map<int, std::vector<std::size_t>> first_segments(const std::vector<int>& components,
                                                       int ranks, cerar_type_t type,
                                                       std::size_t bytes, bool one_node) {
  std::map<int, std::vector<std::size_t>> segments;
  for (const int c : components) {
    plan::Request request = request_of(ranks, type, bytes);
    request.tolerance = 1;
    request.components = c;
    const std::size_t own = one_node ? 256 << 10 : 16 << 10;
    const std::size_t planned = plan::choose(request).segment_bytes;
    segments[c] = {own};
    if (planned < own) segments[c].push_back(planned);
  }
  return segments;
}

void Dropper::drop(const Measured& measured, std::vector<int>& components) {
  const std::map<int, double> best = least_by_components(measured);
  double least = INFINITY;
  for (const auto& [c, seconds] : best) least = std::min(least, seconds);
  for (const auto& [c, seconds] : best) {
    slow_[c] = seconds > kMuchSlower * least ? slow_[c] + 1 : 0;
  }
  std::erase_if(components, [&](int c) { return c < ranks_ && slow_[c] >= 2; });
}

}  // namespace cerar::tune
