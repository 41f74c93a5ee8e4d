// How long a call is expected to take.
//
// A vector of D bytes makes packets of P = D/c bytes, cut into S segments, K = min(S, streams) of
// which are on their way at a time, ⌈S/K⌉ batches one after the other (core/ring/stream.hpp). A
// batch goes through the rounds t = 1 … L. In a round each rank sends and receives each of its K
// segments, of s bytes, once; let α be the latency, o a message's overhead, B the bandwidth, γ the
// cost of combining and w the work that the round's visits need, in combines of one term.
//
//   what the link takes for a segment   o + s/B
//   what the core takes for it          o + γ·w·s
//   a segment's way through the round   α + o + s/B + γ·w·s
//
// Segments follow each other through the ring, so link and core work side by side and the slower of
// them sets the pace, unless there are too few segments to fill the way:
//
//   round = max(K·(o + s/B), K·(o + γ·w·s), α + o + s/B + γ·w·s)
//   call = ⌈S/K⌉ · Σ_t round_t + α + o + γ·w_0·s      (the first contribution, the last arrival)
//
// For long vectors that is L·P/B = (1 + (N−2)/c)·D/B, the protocol's limit; for short ones L·(α+o).
// It is the pipelined reading of LogGP (Alexandrov, Ionescu, Schauser, Scheiman 1995) with o = g.
//
// Work: a visit of k terms moves k + 2 images of a packet (k lanes and what came in, what goes
// out), one more if the packet is also kept, where y ← y + α·x moves 3; one that passes a packet on
// untouched moves none. Decoding moves 3 images a lane, as long as a tile has few enough lanes for
// memory to be the limit, and then grows with the square of the lanes.
#pragma once

#include <array>
#include <cstddef>

#include "core/code/code.hpp"
#include "core/plan/request.hpp"

namespace cerar::plan {

// Rounds that need the same work of a rank.
struct Phase {
  int rounds = 0;
  double work = 0;  // combines of one term, each of a whole segment
};

struct Work {
  double first = 0;             // at hop 0
  std::array<Phase, 3> phases;  // together L rounds
};

Work work_of(const code::Spec& spec);

// Streams that a call has: as many as keep the staging of all in the processor's cache, 4 … 16.
int streams_for(std::size_t segment_bytes);

// Seconds, for messages of at most segment_bytes, which the engine evens out and makes whole lanes.
double seconds(const code::Spec& spec, const Work& work, std::size_t bytes,
               std::size_t segment_bytes, const LinkModel& link);

struct Pace {
  std::size_t segment_bytes = 0;
  double seconds = 0;
};

// The least of the segment sizes 1 KiB, 2 KiB … 16 MiB that is within 1% of the fastest: the
// formula sees no gain in more segments than fill the way, but more of them bridge what it does not
// see, the moments in which a rank or a link is late.
Pace fastest(const code::Spec& spec, std::size_t bytes, const LinkModel& link);

// What MPI libraries have for an exact sum besides a ring.
enum class ExactAlgorithm { ring, recursive_doubling, reduce_scatter_allgather };

const char* name_of(ExactAlgorithm algorithm);

// Seconds of the other two, not pipelined: Thakur, Rabenseifner, Gropp 2005, sections 4.4 and 4.5.
double recursive_doubling_seconds(int ranks, std::size_t bytes, const LinkModel& link);
double reduce_scatter_allgather_seconds(int ranks, std::size_t bytes, const LinkModel& link);

}  // namespace cerar::plan
