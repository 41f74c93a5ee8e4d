// What a team has done so far, and where its calls' time went.
#pragma once

#include <chrono>
#include <cstdint>

namespace cerar::ring {

using Clock = std::chrono::steady_clock;

// Of a call, while it is under way. Where a device computes, the time that putting its work into
// queues takes; the work itself is then waited for.
struct Times {
  Clock::duration combine{}, decode{};
};

struct Tally {
  std::uint64_t rounds = 0;
  std::uint64_t exact_ring_bytes = 0;  // what an exact ring would have sent
  Times times;
  Clock::duration wait{};  // the rest, from posting to the end
};

// Adds the time that it lives to a sum.
class Lap {
 public:
  explicit Lap(Clock::duration& sum) : sum_(&sum), start_(Clock::now()) {}
  ~Lap() { *sum_ += Clock::now() - start_; }
  Lap(const Lap&) = delete;
  Lap& operator=(const Lap&) = delete;

 private:
  Clock::duration* sum_;
  Clock::time_point start_;
};

}  // namespace cerar::ring
