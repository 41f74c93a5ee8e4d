#include "core/plan/request.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace cerar::plan {
namespace {

constexpr std::size_t kMinSegment = 512;
constexpr std::size_t kMaxSegment = 16 << 20;

template <class Value>
void expect(bool holds, const char* name, const Value& value, const char* expected) {
  if (!holds)
    throw std::invalid_argument(fmt::format("{} is {}, expected {}", name, value, expected));
}

bool positive(double value) { return value > 0 && std::isfinite(value); }
bool not_negative(double value) { return value >= 0 && std::isfinite(value); }

void check_link(const LinkModel& link) {
  expect(not_negative(link.latency), "latency", link.latency, "0 s or more");
  expect(positive(link.bandwidth), "bandwidth", link.bandwidth, "more than 0 bytes/s");
  expect(positive(link.combine), "combine", link.combine, "more than 0 s/byte");
  expect(not_negative(link.message_overhead), "message_overhead", link.message_overhead,
         "0 s or more");
}

void check_overrides(const Request& request) {
  const int ranks = request.ranks, components = request.components;
  if (components < 0 || components > CERAR_MAX_COMPONENTS_PER_RANK * ranks) {
    throw std::invalid_argument(fmt::format("components is {}, expected 1 to {} (8 a rank), or 0",
                                            components, CERAR_MAX_COMPONENTS_PER_RANK * ranks));
  }
  expect(request.epsilon >= 0 && request.epsilon < 1, "epsilon", request.epsilon,
         "a number between 0 and 1, or 0 for the best");
  const std::size_t segment = request.segment_bytes;
  expect(segment == 0 || (segment >= kMinSegment && segment <= kMaxSegment), "segment_bytes",
         segment, "512 to 16777216, or 0");
}

void check_design(const Request& request) {
  const int ranks = request.ranks, components = request.components;
  switch (request.design) {
    case Design::automatic:
      return;
    case Design::exact:
      if (components > ranks) {
        throw std::invalid_argument(
            fmt::format("components is {}, expected at most {} (the ranks) with design exact",
                        components, ranks));
      }
      return;
    case Design::epsilon:
    case Design::constrained:
      if (components != 0 && components <= ranks) {
        throw std::invalid_argument(
            fmt::format("components is {}, expected more than {} (the ranks) with design {}",
                        components, ranks, name_of(request.design)));
      }
      expect(request.design == Design::epsilon || request.epsilon == 0, "epsilon", request.epsilon,
             "0 with design constrained");
      return;
    case Design::vandermonde:
      if (components > CERAR_MAX_VANDERMONDE) {
        throw std::invalid_argument(
            fmt::format("components is {}, expected at most {} with design vandermonde", components,
                        CERAR_MAX_VANDERMONDE));
      }
      return;
  }
  expect(false, "design", static_cast<int>(request.design),
         "auto, exact, epsilon, vandermonde or constrained");
}

}  // namespace

void check(const Request& request) {
  if (request.ranks < 2 || request.ranks > kMaxRanks) {
    throw std::invalid_argument(
        fmt::format("ranks is {}, expected 2 to {}", request.ranks, kMaxRanks));
  }
  expect(request.type == CERAR_FLOAT || request.type == CERAR_DOUBLE, "type",
         static_cast<int>(request.type), "CERAR_FLOAT or CERAR_DOUBLE");
  expect(request.tolerance >= 0 && request.tolerance <= 1, "tolerance", request.tolerance,
         "0 (exact) to 1");
  expect(request.max_condition == 0 ||
             (request.max_condition >= 1 && std::isfinite(request.max_condition)),
         "max_condition", request.max_condition, "1 or more, or 0 for no limit");
  check_link(request.link);
  check_overrides(request);
  check_design(request);
}

const char* name_of(Design design) {
  switch (design) {
    case Design::automatic:
      return "auto";
    case Design::exact:
      return "exact";
    case Design::epsilon:
      return "epsilon";
    case Design::vandermonde:
      return "vandermonde";
    case Design::constrained:
      return "constrained";
  }
  return "unknown";
}

}  // namespace cerar::plan
