#include "core/plan/planner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

namespace cerar::plan {
namespace {

// A program whose vectors all have different sizes must not fill the memory with plans.
constexpr std::size_t kMostPlans = 4096;

bool wants(const Request& request, Design design) {
  return request.design == Design::automatic || request.design == design;
}

// A candidate before anything is computed: what it is and which code.
Plan candidate(const Request& request, Design design, int components) {
  Plan plan;
  plan.design = design;
  if (design == Design::constrained) plan.spec.construction = code::Construction::scaled;
  if (design == Design::vandermonde) plan.spec.construction = code::Construction::vandermonde;
  plan.spec.ranks = request.ranks;
  plan.spec.components = components;
  plan.spec.type = request.type;
  return plan;
}

void add_exact(const Request& request, std::vector<Plan>& plans) {
  if (request.tolerance == 0 || !wants(request, Design::exact)) return;
  for (int c = 1; c < request.ranks; ++c) {
    if (request.ranks % c == 0) plans.push_back(candidate(request, Design::exact, c));
  }
}

void add_epsilon(const Request& request, std::vector<Plan>& plans) {
  if (request.tolerance == 0 || !wants(request, Design::epsilon)) return;
  for (int m = 2; m <= CERAR_MAX_COMPONENTS_PER_RANK; ++m) {
    plans.push_back(candidate(request, Design::epsilon, m * request.ranks));
  }
}

// With q = 1 there is one scale, ε: nothing is free. And none is if the user names ε.
void add_constrained(const Request& request, std::vector<Plan>& plans) {
  if (request.tolerance == 0 || request.epsilon != 0) return;
  if (!wants(request, Design::constrained)) return;
  for (int m = request.design == Design::constrained ? 2 : 3; m <= CERAR_MAX_COMPONENTS_PER_RANK;
       ++m) {
    plans.push_back(candidate(request, Design::constrained, m * request.ranks));
  }
}

void add_vandermonde(const Request& request, std::vector<Plan>& plans) {
  if (request.tolerance == 0 || request.design != Design::vandermonde) return;
  const int most = std::min(CERAR_MAX_VANDERMONDE, CERAR_MAX_COMPONENTS_PER_RANK * request.ranks);
  for (int c = request.ranks + 1; c <= most; ++c) {
    plans.push_back(candidate(request, Design::vandermonde, c));
  }
}

Plan named_candidate(const Request& request) {
  Design design = request.design;
  if (design == Design::automatic) {
    design = request.components <= request.ranks ? Design::exact : Design::epsilon;
  }
  return candidate(request, design, request.components);
}

// The ring, and what else the request leaves open.
std::vector<Plan> untimed_candidates(const Request& request) {
  std::vector<Plan> plans{candidate(request, Design::exact, request.ranks)};
  if (request.components == 0) {
    add_exact(request, plans);
    add_epsilon(request, plans);
    add_constrained(request, plans);
    add_vandermonde(request, plans);
  } else if (request.components != request.ranks) {
    plans.push_back(named_candidate(request));
  }
  return plans;
}

// What follows from code, size and link.
void add_times(const Request& request, Plan& plan) {
  const int ranks = plan.spec.ranks, components = plan.spec.components;
  plan.order = plan.design == Design::vandermonde ? components - 1 : (components - 1) / ranks;
  plan.rounds = components + ranks - 2;
  plan.traffic = static_cast<double>(plan.rounds) / components;
  plan.traffic_ratio = plan.traffic / (2 * (1 - 1.0 / ranks));
  if (request.segment_bytes == 0) {
    const Pace pace = fastest(plan.spec, request.bytes, request.link);
    plan.segment_bytes = pace.segment_bytes;
    plan.seconds = pace.seconds;
  } else {
    plan.segment_bytes = request.segment_bytes;
    plan.seconds =
        seconds(plan.spec, work_of(plan.spec), request.bytes, request.segment_bytes, request.link);
  }
}

}  // namespace

double margin(const Request& request) {
  const std::size_t count = std::max<std::size_t>(request.bytes / element_bytes(request.type), 1);
  return (request.epsilon == 0 ? 1.06 : 1.2) + 5 / std::sqrt(static_cast<double>(count));
}

namespace {

bool may_be_chosen(const Request& request, const Plan& plan) {
  if (plan.spec.components == request.ranks) return true;
  return margin(request) * plan.error.total() <= request.tolerance &&
         (request.max_condition == 0 || plan.condition <= request.max_condition);
}

void compare_with_exact(const Request& request, double ring_seconds, Plan& plan) {
  const double doubling = recursive_doubling_seconds(request.ranks, request.bytes, request.link);
  const double halving =
      reduce_scatter_allgather_seconds(request.ranks, request.bytes, request.link);
  plan.exact_algorithm = ExactAlgorithm::ring;
  plan.exact_seconds = ring_seconds;
  if (doubling < plan.exact_seconds) {
    plan.exact_algorithm = ExactAlgorithm::recursive_doubling;
    plan.exact_seconds = doubling;
  }
  if (halving < plan.exact_seconds) {
    plan.exact_algorithm = ExactAlgorithm::reduce_scatter_allgather;
    plan.exact_seconds = halving;
  }
  plan.exact_is_faster = plan.exact_seconds < plan.seconds;
}

// The order in which plans are tried: the fastest first, of equals the one with the fewest
// components and the ε-construction; but nothing before the one that the user named.
void sort_by_preference(const Request& request, std::vector<Plan>& plans) {
  const auto rank = [&](const Plan& plan) {
    return std::tuple(plan.spec.components != request.components, plan.seconds,
                      plan.spec.components, plan.design);
  };
  std::sort(plans.begin(), plans.end(),
            [&](const Plan& a, const Plan& b) { return rank(a) < rank(b); });
}

// In the order in which they are tried.
std::vector<Plan> timed_candidates(const Request& request) {
  std::vector<Plan> plans = untimed_candidates(request);
  for (Plan& plan : plans) add_times(request, plan);
  const double ring_seconds = plans.front().seconds;
  for (Plan& plan : plans) compare_with_exact(request, ring_seconds, plan);
  sort_by_preference(request, plans);
  return plans;
}

}  // namespace

Planner::PlanKey Planner::key_of(const Request& r) {
  return {r.ranks,      r.type,         r.bytes,          r.tolerance,    r.max_condition,
          r.design,     r.link.latency, r.link.bandwidth, r.link.combine, r.link.message_overhead,
          r.components, r.epsilon,      r.segment_bytes};
}

const CodeLaw& Planner::law(const code::Spec& spec) {
  const bool vandermonde = spec.construction == code::Construction::vandermonde;
  const auto construction =
      vandermonde ? code::Construction::vandermonde : code::Construction::automatic;
  const int components =
      vandermonde ? spec.components : CodeLaw::components_of_same_law(spec.ranks, spec.components);
  return laws_
      .try_emplace({spec.ranks, components, construction}, spec.ranks, components, construction)
      .first->second;
}

Planner::Facts Planner::compute_facts(const Request& request, const Plan& plan) {
  const CodeLaw& known = law(plan.spec);
  double epsilon = 0, noise = 0;
  Scales scales{1};
  if (plan.design == Design::constrained) {
    noise = known.least_noise(request.type, request.max_condition);
    // Out of reach: as below.
    if (noise < 0) noise = known.least_noise(request.type, 0);
    scales = known.best_scales(noise);
  } else if (!known.exact()) {
    epsilon = request.epsilon;
    if (epsilon == 0) epsilon = known.best_epsilon(request.type, request.max_condition);
    // Out of reach: shown as it would be without the limit.
    if (epsilon < 0) epsilon = known.best_epsilon(request.type, 0);
    scales = known.powers(epsilon);
  }
  return {epsilon, noise, known.error(scales, request.type), known.condition(scales)};
}

void Planner::add_facts(const Request& request, Plan& plan) {
  const FactsKey key{plan.design,  request.ranks,         plan.spec.components,
                     request.type, request.max_condition, request.epsilon};
  auto known = facts_.find(key);
  if (known == facts_.end()) {
    known = facts_.emplace(key, compute_facts(request, plan)).first;
  }
  plan.spec.epsilon = known->second.epsilon;
  plan.spec.noise = known->second.noise;
  plan.error = known->second.error;
  plan.condition = known->second.condition;
  plan.keeps_tolerance = may_be_chosen(request, plan);
}

// The first that will do.
Plan Planner::find_choice(const Request& request) {
  for (Plan& plan : timed_candidates(request)) {
    add_facts(request, plan);
    if (plan.keeps_tolerance || plan.spec.components == request.components) {
      plan.chosen = true;
      return plan;
    }
  }
  throw std::logic_error("the exact ring is not among the candidates");
}

Plan Planner::choose(const Request& request) {
  check(request);
  const std::lock_guard lock(mutex_);
  const PlanKey key = key_of(request);
  const auto known = plans_.find(key);
  if (known != plans_.end()) return known->second;
  const Plan choice = find_choice(request);
  if (plans_.size() >= kMostPlans) plans_.clear();
  return plans_.emplace(key, choice).first->second;
}

std::vector<Plan> Planner::candidates(const Request& request) {
  const Plan chosen = choose(request);
  const std::lock_guard lock(mutex_);
  std::vector<Plan> plans = timed_candidates(request);
  for (Plan& plan : plans) {
    add_facts(request, plan);
    plan.chosen = plan.spec.components == chosen.spec.components && plan.design == chosen.design;
  }
  std::sort(plans.begin(), plans.end(), [](const Plan& a, const Plan& b) {
    return std::tuple(a.spec.components, a.design) < std::tuple(b.spec.components, b.design);
  });
  return plans;
}

std::size_t Planner::laws() const {
  const std::lock_guard lock(mutex_);
  return laws_.size();
}

namespace {

Planner& planner() {
  static Planner planner;
  return planner;
}

}  // namespace

std::vector<Plan> candidates(const Request& request) { return planner().candidates(request); }
Plan choose(const Request& request) { return planner().choose(request); }

}  // namespace cerar::plan
