#include "core/ring/team.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/plan/duration.hpp"
#include "core/ring/layout.hpp"

namespace cerar::ring {
namespace {

constexpr std::size_t kNominalElements = 1 << 20;

template <class T>
constexpr cerar_type_t kType = sizeof(T) == sizeof(float) ? CERAR_FLOAT : CERAR_DOUBLE;

// Whole lanes of either type.
std::size_t whole_lanes(std::size_t segment_bytes) {
  constexpr std::size_t unit = kTileWidth * sizeof(double);
  return (segment_bytes + unit - 1) / unit * unit;
}

TeamOptions complete(TeamOptions options) {
  check(options);
  if (options.segment_bytes == 0) options.segment_bytes = kDefaultSegment;
  options.segment_bytes = whole_lanes(options.segment_bytes);
  return options;
}

}  // namespace

void check(const TeamOptions& options) {
  plan::check(options);
  if (options.rank < 0 || options.rank >= options.ranks) {
    throw std::invalid_argument("rank is " + std::to_string(options.rank) +
                                ", expected 0 to ranks - 1");
  }
}

Team::Team(const TeamOptions& options, std::unique_ptr<transport::Transport> transport)
    : options_(complete(options)), transport_(std::move(transport)), codes_(options_.rank) {
  find_nominal_codes<float>();
  find_nominal_codes<double>();
  pool_of(host_place(), options_.segment_bytes);
}

// Depends on nothing that ranks differ in.
CallPlan Team::plan_of(cerar_type_t type, std::size_t bytes) const {
  CallPlan result{options_};
  result.request.type = type;
  result.request.bytes = bytes;
  const plan::Rule* rule =
      options_.rules ? options_.rules->find(options_.ranks, bytes, type) : nullptr;
  if (rule != nullptr && rule->action != plan::Action::off) {
    result.request = plan::apply(*rule, result.request, options_.kept);
    result.request.segment_bytes = whole_lanes(result.request.segment_bytes);
    result.rule_line = rule->line;
  }
  return result;
}

// For a vector of nominal size, so that what can't be had is known before any call; what can't be
// had of rules is an ε too small for its components.
template <class T>
void Team::find_nominal_codes() {
  plan::Request request = options_;
  request.type = kType<T>;
  request.bytes = kNominalElements * sizeof(T);
  codes_.choose<T>(request);
  if (!options_.rules) return;
  for (const plan::Rule& rule : options_.rules->all()) {
    const std::size_t bytes =
        std::clamp<std::uint64_t>(request.bytes, rule.bytes.from, rule.bytes.to);
    if (rule.epsilon == 0 || !rule.matches(options_.ranks, bytes, request.type)) continue;
    try {
      codes_.choose<T>(plan::apply(rule, request, options_.kept));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("the rule in line " + std::to_string(rule.line) + ": " +
                                  error.what());
    }
  }
}

ScratchPool& Team::pool_of(const Place& place, std::size_t segment_bytes) {
  spaces_.reserve(spaces_.size() + 1);  // so that no pool is left without its space
  ScratchPool& pool = pool_in(place.space->memory(), segment_bytes);
  if (std::ranges::find(spaces_, place.space) == spaces_.end()) spaces_.push_back(place.space);
  return pool;
}

ScratchPool& Team::pool_in(Space& memory, std::size_t segment_bytes) {
  for (const Pool& pool : pools_) {
    if (&pool.scratch->space() == &memory && pool.segment_bytes == segment_bytes) {
      return *pool.scratch;
    }
  }
  const ScratchSizes sizes{segment_bytes, plan::streams_for(segment_bytes)};
  pools_.push_back({segment_bytes, std::make_unique<ScratchPool>(memory, sizes)});
  return *pools_.back().scratch;
}

template <class T>
std::unique_ptr<TypedCall<T>> Team::make_call(const Chosen<T>& chosen, const CallPlan& call_plan,
                                              const T* send, T* recv, std::size_t count,
                                              const Place& place) {
  const std::size_t segment_bytes = call_plan.request.segment_bytes;
  const CallResources resources{transport_.get(), &pool_of(place, segment_bytes),   &place, calls_,
                                segment_bytes,    plan::streams_for(segment_bytes), &tally_};
  return std::make_unique<TypedCall<T>>(chosen.code, resources, send, recv, count);
}

template <class T>
std::unique_ptr<Call> Team::post(const T* send, T* recv, std::size_t count, const Place& place) {
  const CallPlan call_plan = plan_of(kType<T>, count * sizeof(T));
  const Chosen<T>& chosen = codes_.choose<T>(call_plan.request);
  auto call = make_call(chosen, call_plan, send, recv, count, place);
  ++calls_;
  tally_.rounds += chosen.code.rounds();
  // A ring's rank sends all blocks but one, twice: blocks of all sizes in turn.
  tally_.exact_ring_bytes += 2 * (options_.ranks - 1) * (count * sizeof(T)) / options_.ranks;
  last_code_ = chosen;
  last_plan_ = call_plan;
  return call;
}

template <class T>
void Team::prepare(const T* send, T* recv, std::size_t count, const Place& place) {
  const CallPlan call_plan = plan_of(kType<T>, count * sizeof(T));
  // The call's parts go back to where they are kept.
  make_call(codes_.choose<T>(call_plan.request), call_plan, send, recv, count, place);
}

std::size_t Team::scratch_bytes() const {
  std::size_t bytes = 0;
  for (const Pool& pool : pools_) bytes += pool.scratch->most_in_use();
  return bytes;
}

template std::unique_ptr<Call> Team::post(const float*, float*, std::size_t, const Place&);
template std::unique_ptr<Call> Team::post(const double*, double*, std::size_t, const Place&);
template void Team::prepare(const float*, float*, std::size_t, const Place&);
template void Team::prepare(const double*, double*, std::size_t, const Place&);

}  // namespace cerar::ring
