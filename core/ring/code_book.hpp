// The codes of a team: planned when a call of their type and size first comes, and kept.
#pragma once

#include <cstddef>
#include <list>

#include "core/plan/planner.hpp"
#include "core/ring/typed_code.hpp"

namespace cerar::ring {

struct ChosenCode {
  code::Spec spec;
  plan::Design design = plan::Design::automatic;  // what it is
  double error = 0;                               // predicted, relative
};

template <class T>
struct Chosen : ChosenCode {
  TypedCode<T> code;
};

class CodeBook {
 public:
  explicit CodeBook(int rank) : rank_(rank) {}

  // For a vector of the request's type, which is T. The same on all ranks whose requests are the
  // same. Stays where it is. Throws std::invalid_argument as plan::check and code::make_rank_code
  // do.
  template <class T>
  const Chosen<T>& choose(const plan::Request& request);

 private:
  template <class T>
  std::list<Chosen<T>>& codes();

  int rank_;
  std::list<Chosen<float>> floats_;  // few: one for each c that the planner comes to choose
  std::list<Chosen<double>> doubles_;
};

}  // namespace cerar::ring
