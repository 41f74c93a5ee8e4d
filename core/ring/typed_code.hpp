// A rank's code in the kernels' type, with what the engine looks up in every visit worked out once.
#pragma once

#include <vector>

#include "core/code/code.hpp"

namespace cerar::ring {

template <class T>
struct TypedTerm {
  int lane;
  T alpha;
};

template <class T>
struct TypedDecode {
  std::vector<T> w;    // lanes × lanes
  std::vector<T> own;  // lanes × lanes
  std::vector<T>
      consumed;  // lanes × lanes: row m has the increments of useful visit m; empty with one group
  bool identity = false;
};

template <class T>
class TypedCode {
 public:
  TypedCode(const code::Spec& spec, int rank);

  int rank() const { return code_.rank; }
  int ranks() const { return code_.ranks; }
  int rounds() const { return code_.rounds; }
  int groups() const { return code_.groups; }
  int lanes() const { return code_.lanes; }

  // The class that this rank holds at hop h, and the group of lanes that the class uses.
  int class_at(int hop) const { return (rank() + (hop / ranks() + 1) * ranks() - hop) % ranks(); }
  int group_of(int cls) const { return groups() == 1 ? 0 : cls; }

  const std::vector<TypedTerm<T>>& visit(int hop) const { return visits_[hop]; }

  bool useful(int hop) const { return hop >= ranks() - 1; }
  // The lane in which the packet of a useful visit is kept: its number among the group's useful
  // visits.
  int useful_index(int hop) const;
  bool last_useful(int hop) const;
  // Whether this rank meets the class of this hop for the first time.
  bool first_visit(int hop) const { return hop < ranks(); }

  // The matrices for the class at this hop.
  const TypedDecode<T>& decode_at(int hop) const;

 private:
  code::RankCode code_;
  std::vector<std::vector<TypedTerm<T>>> visits_;
  std::vector<TypedDecode<T>> decode_;
};

extern template class TypedCode<float>;
extern template class TypedCode<double>;

}  // namespace cerar::ring
