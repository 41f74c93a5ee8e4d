#include "core/ring/team.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/plan/plan.hpp"
#include "core/ring/layout.hpp"

namespace cerar::ring {
namespace {

constexpr int kMaxComponentsPerRank = 8;
constexpr std::size_t kMinSegment = 512;
constexpr std::size_t kMaxSegment = 16 << 20;

// Staging is meant to stay in the processor's cache.
constexpr std::size_t kStagingBudget = 3 << 20;
constexpr int kMinStreams = 4;

[[noreturn]] void refuse(const std::string& what, const std::string& value,
                         const std::string& range) {
  throw std::invalid_argument(what + " = " + value + " is out of its range, " + range);
}

TeamOptions complete(TeamOptions options) {
  check(options);
  if (options.components == 0) options.components = 2 * options.ranks;
  if (options.segment_bytes == 0) options.segment_bytes = kDefaultSegment;
  // Whole lanes of either type.
  constexpr std::size_t unit = kTileWidth * sizeof(double);
  options.segment_bytes = (options.segment_bytes + unit - 1) / unit * unit;
  return options;
}

int streams_for(std::size_t segment_bytes) {
  const auto fitting = static_cast<int>(kStagingBudget / (kSlots * segment_bytes));
  return std::clamp(fitting, kMinStreams, CERAR_MAX_STREAMS);
}

ScratchSizes scratch_sizes(const TeamOptions& options, int streams, const TypedCode<double>& code) {
  ScratchSizes sizes;
  sizes.segment_bytes = options.segment_bytes;
  sizes.streams = streams;
  const std::size_t lanes = code.lanes();
  sizes.tail_bytes = lanes == 1 ? 0 : code.groups() * lanes * kTileWidth * sizeof(double);
  return sizes;
}

template <class T>
TypedCode<T> make_code(const TeamOptions& options, cerar_type_t type) {
  return TypedCode<T>(plan::resolve(options.ranks, options.components, options.epsilon, type),
                      options.rank);
}

}  // namespace

void check(const TeamOptions& options) {
  const int n = options.ranks;
  if (n < 2) refuse("size", std::to_string(n), "2 or more");
  if (options.rank < 0 || options.rank >= n) {
    refuse("rank", std::to_string(options.rank), "0 to size - 1");
  }
  if (options.components < 0 || options.components > kMaxComponentsPerRank * n) {
    refuse("components", std::to_string(options.components), "1 to 8 * size, or 0");
  }
  if (!(options.epsilon >= 0 && options.epsilon < 1)) {
    refuse("epsilon", std::to_string(options.epsilon), "between 0 and 1, or 0");
  }
  const std::size_t segment = options.segment_bytes;
  if (segment != 0 && (segment < kMinSegment || segment > kMaxSegment)) {
    refuse("segment_bytes", std::to_string(segment), "512 to 16777216, or 0");
  }
}

Team::Team(const TeamOptions& options, std::unique_ptr<transport::Transport> transport)
    : options_(complete(options)),
      streams_(streams_for(options_.segment_bytes)),
      transport_(std::move(transport)),
      float_code_(make_code<float>(options_, CERAR_FLOAT)),
      double_code_(make_code<double>(options_, CERAR_DOUBLE)) {
  pool_of(host_place());
}

// Pools are few: one a kind of memory that calls have used.
ScratchPool& Team::pool_of(const Place& place) {
  for (const Pool& pool : pools_) {
    if (pool.space == place.space) return *pool.scratch;
  }
  auto scratch =
      std::make_unique<ScratchPool>(*place.space, scratch_sizes(options_, streams_, double_code_));
  pools_.push_back({place.space, std::move(scratch)});
  return *pools_.back().scratch;
}

template <class T>
std::unique_ptr<TypedCall<T>> Team::make_call(const T* send, T* recv, std::size_t count,
                                              const Place& place) {
  const CallResources resources{transport_.get(), &pool_of(place),        &place,
                                calls_,           options_.segment_bytes, streams_};
  return std::make_unique<TypedCall<T>>(code<T>(), resources, send, recv, count);
}

template <class T>
std::unique_ptr<Call> Team::post(const T* send, T* recv, std::size_t count, const Place& place) {
  auto call = make_call(send, recv, count, place);
  ++calls_;
  last_epsilon_ = code<T>().epsilon();
  return call;
}

template <class T>
void Team::prepare(const T* send, T* recv, std::size_t count, const Place& place) {
  make_call(send, recv, count, place);  // its parts go back to where they are kept
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
