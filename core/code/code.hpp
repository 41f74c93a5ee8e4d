// What one rank does in CERAR: what it adds to each packet that passes, and how it decodes the
// packets that it keeps.
//
// Symbols as in docs/theory.md: N ranks, c components, q = ⌈c/N⌉ − 1, L = c + N − 2 rounds, class
// p, hop h. At hop h rank i has the packet of class (i − h) mod N.
#pragma once

#include <memory>
#include <vector>

#include "core/cerar.h"

namespace cerar::code {

// automatic: exact if c ≤ N, the ε-construction if c > N. scaled: the same with each power of the
// nodes scaled freely, so that the predicted total error for the type is least. vandermonde: one
// polynomial for everything, for any c up to 16; its error goes to 0 with ε, its condition grows as
// ε^−(c−1).
enum class Construction { automatic, scaled, vandermonde };

struct Spec {
  int ranks = 0;       // N ≥ 2
  int components = 0;  // c ≥ 1
  double epsilon =
      0;  // node spacing a revolution, in (0, 1); not used if the code is exact, or scaled
  cerar_type_t type = CERAR_FLOAT;
  Construction construction = Construction::automatic;
  double noise = 0;  // scaled only: the relative rounding error, below 1, that the scales are best
                     // for; 0 = the type's. A greater one gives a lower condition

  bool operator==(const Spec&) const = default;
};

struct Term {
  int lane;
  double alpha;  // not 0; a value of Spec::type
};

struct DecodeMatrices {
  std::vector<double>
      w;  // lanes × lanes, row-major: row = lane decoded, column = useful visit m = 0, 1, …
  std::vector<double>
      own;  // lanes × lanes: I − W·B_0, what makes the rank's own contribution exact
  bool identity = false;  // w is the identity and own is zero: nothing to decode
  double condition = 1;   // of w, in the 2-norm
};

// Components and lanes. If N divides c there are N groups of c/N lanes: class p uses group p alone,
// whose lane r is component p + r·N. Otherwise, and in the Vandermonde construction, there is one
// group of c lanes, lane k being component k, which all classes share.
struct RankCode {
  int rank = 0, ranks = 0, components = 0, order = 0, rounds = 0;
  int groups = 0, lanes = 0;

  // visits[h], h = 0 … L: the increments Δ of class (rank − h) mod N at hop h, over the lanes of
  // its group; zeros left out.
  std::vector<std::vector<Term>> visits;

  // Useful visits are the hops N−1 … L. With N groups, class p's are first(p), first(p)+N, …,
  // `lanes` of them, and its matrices are decode[first(p) − (N−1)]. With one group all c of them,
  // in hop order, and decode[0].
  std::vector<DecodeMatrices> decode;

  // The first useful hop, N−1 … 2N−2, of a class at this rank.
  int first_useful_hop(int cls) const {
    const int e = ((rank - cls) % ranks + ranks) % ranks;
    return e == ranks - 1 ? e : e + ranks;
  }
};

// Throws std::invalid_argument for a spec or rank out of its range.
RankCode make_rank_code(const Spec& spec, int rank);

}  // namespace cerar::code
