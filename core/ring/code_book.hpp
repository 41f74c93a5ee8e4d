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
  // What all calls have in common; type and bytes are not looked at. Plans for a vector of nominal
  // size of either type, so that what can't be had is known here: throws std::invalid_argument as
  // plan::check and code::make_rank_code do.
  CodeBook(const plan::Request& common, int rank);

  // For a vector of count elements. The same on all ranks whose requests are the same. Stays where
  // it is.
  template <class T>
  const Chosen<T>& choose(std::size_t count);

 private:
  template <class T>
  std::list<Chosen<T>>& codes();

  plan::Request common_;
  int rank_;
  std::list<Chosen<float>> floats_;  // few: one for each c that the planner comes to choose
  std::list<Chosen<double>> doubles_;
};

}  // namespace cerar::ring
