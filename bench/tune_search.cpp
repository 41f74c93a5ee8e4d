#include "bench/tune_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace cerar::tune {
namespace {

constexpr int kFirstRounds = 5;  // calls of a candidate before it may be dropped
constexpr std::size_t kMinSegment = 1024, kMaxSegment = 16 << 20;
constexpr std::size_t kFinalists = 3;
constexpr int kMostSteps = 4;       // in which segments move
constexpr double kHopeless = 1.15;  // slower than the fastest by so much: not timed to the end
constexpr double kOwnHopeless = 1.5;
constexpr double kPromising = 1.10;  // not slower by more: segments are looked for

class Search {
 public:
  Search(const SearchSpace& space, Stopwatch& stopwatch) : space_(space), stopwatch_(stopwatch) {
    measured_.bytes = space.bytes;
  }

  Measured run() {
    std::vector<Configuration> all{Configuration{}};
    for (const int c : space_.components) {
      for (const std::size_t segment : space_.segments.at(c)) add(all, {c, segment});
    }
    time(all, kFirstRounds);
    for (int step = 0; step < kMostSteps && stopwatch_.in_time() && time_neighbours(); ++step) {
    }
    finish();
    return std::move(measured_);
  }

 private:
  static void add(std::vector<Configuration>& list, const Configuration& configuration) {
    if (std::find(list.begin(), list.end(), configuration) == list.end()) {
      list.push_back(configuration);
    }
  }

  // Replaces what is known of them.
  void time(const std::vector<Configuration>& list, int rounds, bool final = false) {
    const std::vector<double> seconds = stopwatch_.medians(list, rounds);
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::erase_if(measured_.timings,
                    [&](const Timing& timing) { return timing.configuration == list[i]; });
      measured_.timings.push_back({list[i], seconds[i], final});
    }
  }

  // The fastest first; of CERAR, with the best segment of each c.
  std::vector<Timing> best_of_each() const {
    std::vector<Timing> best;
    for (const Timing& timing : sorted()) {
      const bool known = std::any_of(best.begin(), best.end(), [&](const Timing& other) {
        return other.configuration.components == timing.configuration.components;
      });
      if (!known && !timing.configuration.own()) best.push_back(timing);
    }
    return best;
  }

  std::vector<Timing> sorted() const {
    std::vector<Timing> timings = measured_.timings;
    std::stable_sort(timings.begin(), timings.end(),
                     [](const Timing& a, const Timing& b) { return a.seconds < b.seconds; });
    return timings;
  }

  // Segments above a packet are all the same.
  std::size_t greatest_segment(int components) const {
    const std::size_t packet = space_.bytes / static_cast<std::size_t>(components);
    return std::clamp(std::bit_ceil(packet), kMinSegment, kMaxSegment);
  }

  // Half and double of the best segment, for the c that are promising; those that were not timed
  // yet. Whether there were any.
  bool time_neighbours() {
    std::vector<Configuration> list;
    const std::vector<Timing> best = best_of_each();
    for (const Timing& timing : best) {
      if (timing.seconds > kPromising * best.front().seconds) break;
      const auto [c, segment] = timing.configuration;
      const std::size_t greatest = greatest_segment(c), from = std::min(segment, greatest);
      for (const std::size_t next : {from / 2, 2 * from}) {
        const bool possible = next >= kMinSegment && next <= greatest;
        if (possible && find(measured_, {c, next}) == nullptr) add(list, {c, next});
      }
    }
    if (list.empty()) return false;
    add(list, best.front().configuration);  // so that it is known how the machine is now
    time(list, kFirstRounds);
    return true;
  }

  // The best few, and of each c that has not fallen behind the best.
  void finish() {
    const std::vector<Timing> all = sorted();
    std::vector<Configuration> list;
    std::set<int> seen;
    for (const Timing& timing : all) {
      const int c = timing.configuration.components;
      const double limit = (c == 0 ? kOwnHopeless : kHopeless) * all.front().seconds;
      const bool best = seen.insert(c).second || list.size() < kFinalists;
      if (best && timing.seconds <= limit) add(list, timing.configuration);
    }
    if (space_.neighbour) add(list, *space_.neighbour);
    time(list, space_.iterations, true);
  }

  const SearchSpace& space_;
  Stopwatch& stopwatch_;
  Measured measured_;
};

}  // namespace

Measured search(const SearchSpace& space, Stopwatch& stopwatch) {
  return Search(space, stopwatch).run();
}

const Timing& fastest(const Measured& measured) {
  const Timing* best = nullptr;
  for (const Timing& timing : measured.timings) {
    if (timing.final && (best == nullptr || timing.seconds < best->seconds)) best = &timing;
  }
  return *best;
}

}  // namespace cerar::tune
