// The fastest code that keeps the error a user allows.
//
// Candidates, unless the user names c:
//   c = N             the exact ring, always; every rank gets the same bits
//   c < N, c | N      exact too, fewer rounds of more bytes: for short vectors
//   c = m·N, m = 2…8  the ε-construction of order q = m − 1
//   c = m·N, m = 3…8  the same with free scales (design constrained), a little more accurate and as
//                     fast: taken where the ε-construction just fails. Under a greatest condition
//                     its scales are the best that keep it
//   c = N+1 … 16      the Vandermonde construction, only if asked for: for as many components its
//                     error is greater than that of the ε-construction
// Other c are left out. Error and condition are set by q = ⌈c/N⌉ − 1, and of all c of one q the
// greatest, (q+1)·N, sends the least; smaller ones only save rounds, which the next lower order
// does better. Besides, where N ∤ c and c ∤ N all components share one decode matrix, c × c.
//
// ε is the one that makes the predicted total error least (subject to the greatest condition
// allowed), even if the tolerance would allow a worse: time does not depend on ε, and what is left
// of the tolerance is kept for data that are less kind than independent ones.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "core/code/code.hpp"
#include "core/code/error.hpp"
#include "core/plan/code_law.hpp"
#include "core/plan/duration.hpp"
#include "core/plan/request.hpp"

namespace cerar::plan {

// What predicted errors are multiplied by before they are held against the tolerance. Predictions
// are of the mean over data. Where the planner chooses ε they have been measured to be at most 3%
// too small, which 1.06 is for; an ε that the user names may be one where rounding is predicted
// worse: 1.2. And a vector's own error is off the mean by a fraction of about 1/√count: five times
// that.
double margin(const Request& request);

struct Plan {
  code::Spec spec;                // with ε, if it has one
  Design design = Design::exact;  // what it is: never automatic
  int order = 0;                  // q
  int rounds = 0;                 // L
  std::size_t segment_bytes = 0;  // for cerar_team_params_t
  double seconds = 0;             // predicted
  code::PredictedError error;     // in place: the worse
  double condition = 1;           // of decode matrices, the worst
  double traffic = 0;             // bytes that a rank sends over bytes of the vector: L/c
  double traffic_ratio = 0;       // the same over that of the exact ring
  bool keeps_tolerance = false;   // and the greatest condition: may be chosen
  bool chosen = false;

  // The fastest exact algorithm for the request, and whether it is expected to be faster than this.
  // What MPI has then serves better than this plan.
  ExactAlgorithm exact_algorithm = ExactAlgorithm::ring;
  double exact_seconds = 0;
  bool exact_is_faster = false;
};

// Plans, and what has been computed for them. Safe from several threads. Results depend on the
// request alone, whatever was asked before.
class Planner {
 public:
  // All candidates by c; one is chosen: the fastest of those that keep tolerance and condition; the
  // one named, if the user named c. The exact ring always may be chosen. Throws
  // std::invalid_argument as check(Request) does. An epsilon named by the user may be too small for
  // the type with the c named: make_rank_code tells.
  std::vector<Plan> candidates(const Request& request);

  // The chosen one, which needs the error of no slower ones. A looser tolerance, all else equal,
  // never gives a slower plan.
  Plan choose(const Request& request);

  // Codes whose error has been analysed, which is what takes time.
  std::size_t laws() const;

 private:
  // What does not depend on bytes and link.
  struct Facts {
    double epsilon;  // 0 unless it is the ε-construction
    double noise;    // 0 unless its scales are free
    code::PredictedError error;
    double condition;
  };
  using LawKey = std::tuple<int, int, code::Construction>;                      // N, c
  using FactsKey = std::tuple<Design, int, int, cerar_type_t, double, double>;  // … κ, ε
  using PlanKey = std::tuple<int, cerar_type_t, std::size_t, double, double, Design, double, double,
                             double, double, int, double, std::size_t>;

  static PlanKey key_of(const Request& request);
  const CodeLaw& law(const code::Spec& spec);
  Facts compute_facts(const Request& request, const Plan& plan);
  void add_facts(const Request& request, Plan& plan);
  Plan find_choice(const Request& request);

  mutable std::mutex mutex_;
  std::map<LawKey, CodeLaw> laws_;
  std::map<FactsKey, Facts> facts_;
  std::map<PlanKey, Plan> plans_;
};

// Of a planner that the process has.
std::vector<Plan> candidates(const Request& request);
Plan choose(const Request& request);

}  // namespace cerar::plan
