#include "core/plan/plan.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "core/code/error.hpp"

namespace cerar::plan {
namespace {

constexpr long kMaxComponentsPerRank = 8;

void check(int ranks, int components, double epsilon, cerar_type_t type) {
  if (ranks < 2) {
    throw std::invalid_argument(fmt::format("ranks is {}, expected at least 2", ranks));
  }
  if (components < 0 || components > kMaxComponentsPerRank * ranks) {
    throw std::invalid_argument(fmt::format("components is {}, expected 1 to {}, or 0 for {}",
                                            components, kMaxComponentsPerRank * ranks, 2L * ranks));
  }
  if (!(epsilon >= 0 && epsilon < 1)) {
    throw std::invalid_argument(fmt::format(
        "epsilon is {}, expected a number between 0 and 1, or 0 for the best", epsilon));
  }
  if (type != CERAR_FLOAT && type != CERAR_DOUBLE) {
    throw std::invalid_argument(
        fmt::format("type is {}, expected CERAR_FLOAT or CERAR_DOUBLE", static_cast<int>(type)));
  }
}

double best_epsilon(int ranks, int components, cerar_type_t type) {
  static std::mutex mutex;
  static std::map<std::tuple<int, int, cerar_type_t>, double> known;
  const std::lock_guard lock(mutex);
  const auto [entry, fresh] = known.try_emplace({ranks, components, type}, 0.0);
  if (fresh) {
    try {
      const code::ErrorLaw law(ranks, components, code::OwnContribution::exact);
      entry->second = law.best_epsilon(type);
    } catch (...) {
      known.erase(entry);
      throw;
    }
  }
  return entry->second;
}

}  // namespace

code::Spec resolve(int ranks, int components, double epsilon, cerar_type_t type) {
  check(ranks, components, epsilon, type);
  code::Spec spec{ranks, components == 0 ? 2 * ranks : components, epsilon, type};
  if (spec.components <= ranks) {
    spec.epsilon = 0;  // an exact code has none
  } else if (epsilon == 0) {
    spec.epsilon = best_epsilon(ranks, spec.components, type);
  }
  return spec;
}

}  // namespace cerar::plan
