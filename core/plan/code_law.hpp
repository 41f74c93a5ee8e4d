// Error and condition of one code as functions of its scales, at a cost that does not grow with N.
#pragma once

#include <vector>

#include "core/code/design.hpp"
#include "core/code/error.hpp"

namespace cerar::plan {

// What the powers 0 … q of the nodes are multiplied by: 1, ε, …, ε^q in the ε-construction.
using Scales = std::vector<code::Real>;

// The codes that make_rank_code takes for (N, c) and scales. Errors are those of a rank that works
// in place, whose own contribution is coded like the others': the greater ones.
//
// Where N divides c, larger rings follow from smaller ones. The coefficients depend on hop/N alone,
// so a sum over a revolution is a midpoint rule for an integral, with an error in 1/N² alone: so is
// the approximation error. Rounding noise is caught at each of N + const hops: its square grows as
// N + const. Two small rings tell both constants.
class CodeLaw {
 public:
  // construction: automatic, or vandermonde, whose order is c − 1. Throws std::invalid_argument for
  // N or c out of its range.
  CodeLaw(int ranks, int components,
          code::Construction construction = code::Construction::automatic);

  // Another number of components with the same law: if c divides N, R is the tiled identity,
  // packets are sums of one component, and decoding only puts them in their places, so the law is
  // that of c = N.
  static int components_of_same_law(int ranks, int components);

  bool exact() const { return order_ == 0; }

  // 1, ε, …, ε^q.
  Scales powers(double epsilon) const;

  code::PredictedError error(const Scales& scales, cerar_type_t type) const;

  // The 2-norm condition of the decode matrix, the worst over ranks and classes.
  double condition(const Scales& scales) const;

  // Where the total error is least among the ε in (0, 1) whose condition is at most max_condition
  // (0: any). 0 if the code is exact; -1 if there is no such ε.
  double best_epsilon(cerar_type_t type, double max_condition) const;

  // Those of the construction whose scales are free, best for a roundoff.
  Scales best_scales(code::Real roundoff) const;

  // The roundoff, from the type's up, for which these scales have a condition of at most
  // max_condition (0: any); -1 if there is none below 1.
  double least_noise(cerar_type_t type, double max_condition) const;

 private:
  // A decode matrix and its inverse where all scales are 1. Column k of the mean is to be
  // multiplied by the scale of power[k].
  struct Window {
    code::Matrix mean, decode;
    std::vector<int> power;
  };

  void make_vandermonde();
  void add_grouped_windows();
  void add_shared_windows();
  // Where, upwards from start and below 1, the condition of scales_of(x) falls to max_condition; -1
  // if nowhere. It is nearly a constant times x^−power.
  template <class ScalesOf>
  double least(double max_condition, double start, double power, ScalesOf scales_of) const;

  int ranks_, components_, order_;
  std::vector<code::ErrorTerms> terms_;  // by rank looked at
  std::vector<Window> windows_;
};

}  // namespace cerar::plan
