// What a plan is asked for.
#pragma once

#include <cstddef>

#include "core/cerar.h"

namespace cerar::plan {

// A rank's link to its neighbour, and what the rank itself takes. All times are of one message or
// one byte; all positive but latency and overhead, which may be 0. The defaults are 10 Gbit/s
// Ethernet and a core that moves 30 GB/s between its caches or memory and itself.
struct LinkModel {
  double latency = 20e-6;          // s, from the end of sending to the message being there
  double bandwidth = 1.25e9;       // bytes/s each way
  double combine = 1e-10;          // s/byte of packet in y ← y + α·x: three bytes moved
  double message_overhead = 2e-6;  // s, which each message occupies link and core for, whatever its
                                   // size (the gap g of LogGP)

  bool operator==(const LinkModel&) const = default;
};

// Which constructions may be chosen, besides the exact ring. automatic: all but vandermonde, which
// is never better in these types. constrained: code::Construction::scaled.
enum class Design { automatic, exact, epsilon, vandermonde, constrained };

inline std::size_t element_bytes(cerar_type_t type) {
  return type == CERAR_FLOAT ? sizeof(float) : sizeof(double);
}

// "auto", "exact", …: what users write.
const char* name_of(Design design);

// A plan may depend on nothing that ranks differ in. So it is not asked whether a call is in place:
// ranks of one call may differ there, and a plan keeps the tolerance either way.
struct Request {
  int ranks = 0;  // N, 2 … kMaxRanks
  cerar_type_t type = CERAR_FLOAT;
  std::size_t bytes = 0;     // of the vector
  double tolerance = 0;      // relative error allowed, 0 … 1. 0: the result must be exact but for
                             // rounding, and the same bits on every rank, which c = N alone gives
  double max_condition = 0;  // of decode matrices; from 1, or 0 for no limit
  Design design = Design::automatic;
  LinkModel link;

  // What the user has decided; 0 where nothing.
  int components = 0;             // c, 1 … 8·N: taken whatever its error and condition
  double epsilon = 0;             // in (0, 1): used by every candidate with c > N
  std::size_t segment_bytes = 0;  // 512 … 16 MiB

  bool operator==(const Request&) const = default;
};

inline constexpr int kMaxRanks = 1 << 20;
inline constexpr double kDefaultTolerance = 1e-3;

// Throws std::invalid_argument for a value out of its range, or values that contradict each other;
// the message names parameter, value and what was expected.
void check(const Request& request);

}  // namespace cerar::plan
