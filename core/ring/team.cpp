#include "core/ring/team.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "core/plan/duration.hpp"
#include "core/ring/layout.hpp"

namespace cerar::ring {
namespace {

TeamOptions complete(TeamOptions options) {
  check(options);
  if (options.segment_bytes == 0) options.segment_bytes = kDefaultSegment;
  // Whole lanes of either type.
  constexpr std::size_t unit = kTileWidth * sizeof(double);
  options.segment_bytes = (options.segment_bytes + unit - 1) / unit * unit;
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
    : options_(complete(options)),
      streams_(plan::streams_for(options_.segment_bytes)),
      transport_(std::move(transport)),
      codes_(options_, options_.rank) {
  pool_of(host_place());
}

// Pools are few: one a kind of memory that calls have used.
ScratchPool& Team::pool_of(const Place& place) {
  for (const Pool& pool : pools_) {
    if (pool.space == place.space) return *pool.scratch;
  }
  const ScratchSizes sizes{options_.segment_bytes, streams_};
  auto scratch = std::make_unique<ScratchPool>(*place.space, sizes);
  pools_.push_back({place.space, std::move(scratch)});
  return *pools_.back().scratch;
}

template <class T>
std::unique_ptr<TypedCall<T>> Team::make_call(const Chosen<T>& chosen, const T* send, T* recv,
                                              std::size_t count, const Place& place) {
  const CallResources resources{transport_.get(),       &pool_of(place), &place, calls_,
                                options_.segment_bytes, streams_,        &tally_};
  return std::make_unique<TypedCall<T>>(chosen.code, resources, send, recv, count);
}

template <class T>
std::unique_ptr<Call> Team::post(const T* send, T* recv, std::size_t count, const Place& place) {
  const Chosen<T>& chosen = codes_.choose<T>(count);
  auto call = make_call(chosen, send, recv, count, place);
  ++calls_;
  tally_.rounds += chosen.code.rounds();
  // A ring's rank sends all blocks but one, twice: blocks of all sizes in turn.
  tally_.exact_ring_bytes += 2 * (options_.ranks - 1) * (count * sizeof(T)) / options_.ranks;
  last_code_ = chosen;
  return call;
}

template <class T>
void Team::prepare(const T* send, T* recv, std::size_t count, const Place& place) {
  // The call's parts go back to where they are kept.
  make_call(codes_.choose<T>(count), send, recv, count, place);
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
