#include "core/plan/duration.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/code/rows.hpp"

namespace cerar::plan {
namespace {

// As the engine has them: elements in a lane, slots of a stream, bytes of staging.
constexpr std::size_t kLane = 128;
constexpr std::size_t kSlots = 3;
constexpr std::size_t kStagingBudget = 3 << 20;
constexpr int kMinStreams = 4;

constexpr std::size_t kLeastSegment = 1 << 10;
constexpr double kAsGoodAsTheFastest = 1.01;

// Up to here decoding a tile takes as long as reading and writing it.
constexpr double kMemoryBoundLanes = 8;

std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }
std::size_t round_up(std::size_t a, std::size_t unit) { return ceil_div(a, unit) * unit; }

double visit(double terms, bool kept) { return (terms + 2 + (kept ? 1 : 0)) / 3; }
double decode(double lanes) { return lanes * std::max(1.0, lanes / kMemoryBoundLanes); }

// N | c: a class has c/N lanes of its own, and N hops in the end decode.
Work grouped_work(int ranks, int components) {
  const int lanes = components / ranks;
  if (lanes == 1) return {visit(1, false), {{{ranks - 1, visit(1, false)}, {ranks - 1, 0}, {}}}};
  const double later = visit(lanes - 1, true);
  return {visit(lanes, false),
          {{{ranks - 1, visit(lanes, false)},
            {components - 1 - ranks, later},
            {ranks, later + decode(lanes)}}}};
}

// Mean number of entries in a row of R, which are not 0; few, as R is mostly identities.
double terms_of_shared(int ranks, int shared) {
  if (ranks % shared == 0) return 1;
  return static_cast<double>((code::independent_rows(ranks, shared).array() != 0).count()) / ranks;
}

// All components are lanes of one group, which is decoded in the end, all at once.
Work shared_work(int ranks, int components) {
  const int order = (components - 1) / ranks;
  const double spread = terms_of_shared(ranks, components - order * ranks);
  const double all = order + spread, later = order == 0 ? 0 : all - 1;
  if (components == 1) return {visit(1, false), {{{ranks - 1, visit(1, false)}, {}, {}}}};
  return {visit(all, false),
          {{{ranks - 1, visit(all, false)},
            {components - 2, visit(later, true)},
            {1, visit(later, true) + decode(components)}}}};
}

// The same, and every component is in every packet.
Work vandermonde_work(int ranks, int components) {
  const double all = visit(components, false), later = visit(components - 1, true);
  return {all, {{{ranks - 1, all}, {components - 2, later}, {1, later + decode(components)}}}};
}

struct Segments {
  std::size_t in_flight, batches;
  double bytes;  // of one, on average
};

// What core/ring/layout.hpp does.
Segments cut(const code::Spec& spec, std::size_t bytes, std::size_t segment_bytes) {
  const std::size_t element = element_bytes(spec.type);
  const std::size_t elements = std::max<std::size_t>(ceil_div(bytes, element), 1);
  const std::size_t packet = ceil_div(elements, spec.components);
  const auto streams = static_cast<std::size_t>(streams_for(segment_bytes));
  std::size_t count = ceil_div(packet, round_up(ceil_div(segment_bytes, element), kLane));
  if (count > streams) count = round_up(count, streams);
  count = ceil_div(packet, round_up(ceil_div(packet, count), kLane));
  const std::size_t in_flight = std::min(count, streams);
  return {in_flight, ceil_div(count, in_flight),
          static_cast<double>(packet) / static_cast<double>(count) * static_cast<double>(element)};
}

double log2_rounds(int ranks) { return std::bit_width(static_cast<unsigned>(ranks)) - 1; }
bool power_of_two(int ranks) { return std::has_single_bit(static_cast<unsigned>(ranks)); }

}  // namespace

Work work_of(const code::Spec& spec) {
  if (spec.construction == code::Construction::vandermonde && spec.components > 1) {
    return vandermonde_work(spec.ranks, spec.components);
  }
  return spec.components % spec.ranks == 0 ? grouped_work(spec.ranks, spec.components)
                                           : shared_work(spec.ranks, spec.components);
}

int streams_for(std::size_t segment_bytes) {
  const auto fitting = static_cast<int>(kStagingBudget / (kSlots * segment_bytes));
  return std::clamp(fitting, kMinStreams, CERAR_MAX_STREAMS);
}

double seconds(const code::Spec& spec, const Work& work, std::size_t bytes,
               std::size_t segment_bytes, const LinkModel& link) {
  const Segments segments = cut(spec, bytes, segment_bytes);
  const auto in_flight = static_cast<double>(segments.in_flight);
  const double wire = segments.bytes / link.bandwidth;
  const double combine = segments.bytes * link.combine;
  double batch = 0;
  for (const Phase& phase : work.phases) {
    const double compute = combine * phase.work;
    const double busy = in_flight * (link.message_overhead + std::max(wire, compute));
    const double way = link.latency + link.message_overhead + wire + compute;
    batch += phase.rounds * std::max(busy, way);
  }
  return static_cast<double>(segments.batches) * batch + link.latency + link.message_overhead +
         combine * work.first;
}

Pace fastest(const code::Spec& spec, std::size_t bytes, const LinkModel& link) {
  const Work work = work_of(spec);
  const std::size_t packet = ceil_div(bytes, spec.components);
  std::array<Pace, 15> paces;  // to 16 MiB
  std::size_t tried = 0;
  double least = 0;
  for (std::size_t segment = kLeastSegment; tried < paces.size(); segment *= 2) {
    const Pace pace{segment, seconds(spec, work, bytes, segment, link)};
    least = tried == 0 ? pace.seconds : std::min(least, pace.seconds);
    paces[tried++] = pace;
    if (segment >= packet) break;
  }
  return *std::find_if(paces.begin(), paces.begin() + tried, [&](const Pace& pace) {
    return pace.seconds <= kAsGoodAsTheFastest * least;
  });
}

const char* name_of(ExactAlgorithm algorithm) {
  switch (algorithm) {
    case ExactAlgorithm::ring:
      return "ring";
    case ExactAlgorithm::recursive_doubling:
      return "recursive doubling";
    case ExactAlgorithm::reduce_scatter_allgather:
      return "reduce-scatter and all-gather by halving";
  }
  return "unknown";
}

// N not a power of two: the ranks beyond one give their vectors to others first, and get the result
// last.
double recursive_doubling_seconds(int ranks, std::size_t bytes, const LinkModel& link) {
  const double start = link.latency + link.message_overhead;
  const auto size = static_cast<double>(bytes);
  const double step = start + size / link.bandwidth + size * link.combine;
  const double extra = power_of_two(ranks) ? 0 : step + start + size / link.bandwidth;
  return log2_rounds(ranks) * step + extra;
}

double reduce_scatter_allgather_seconds(int ranks, std::size_t bytes, const LinkModel& link) {
  const double start = link.latency + link.message_overhead;
  const auto size = static_cast<double>(bytes);
  const double rounds = log2_rounds(ranks), part = 1 - std::exp2(-rounds);
  const double extra =
      power_of_two(ranks) ? 0 : 3 * start + 2 * size / link.bandwidth + size / 2 * link.combine;
  return 2 * rounds * start + part * (2 * size / link.bandwidth + size * link.combine) + extra;
}

}  // namespace cerar::plan
