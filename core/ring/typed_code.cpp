#include "core/ring/typed_code.hpp"

namespace cerar::ring {

template <class T>
TypedCode<T>::TypedCode(const code::Spec& spec, int rank)
    : code_(code::make_rank_code(spec, rank)) {
  for (const auto& terms : code_.visits) {
    auto& typed = visits_.emplace_back();
    for (const code::Term& term : terms) typed.push_back({term.lane, static_cast<T>(term.alpha)});
  }
  for (std::size_t s = 0; s < code_.decode.size(); ++s) {
    const code::DecodeMatrices& from = code_.decode[s];
    TypedDecode<T>& to = decode_.emplace_back();
    to.w.assign(from.w.begin(), from.w.end());
    to.own.assign(from.own.begin(), from.own.end());
    to.identity = from.identity;
    if (groups() == 1) continue;
    to.consumed.assign(from.w.size(), T{0});
    for (int m = 0; m < lanes(); ++m) {
      const int hop = ranks() - 1 + static_cast<int>(s) + m * ranks();
      for (const auto& term : visits_[hop]) to.consumed[m * lanes() + term.lane] = term.alpha;
    }
  }
}

template <class T>
int TypedCode<T>::useful_index(int hop) const {
  const int since = hop - (ranks() - 1);
  return groups() == 1 ? since : since / ranks();
}

template <class T>
bool TypedCode<T>::last_useful(int hop) const {
  return groups() == 1 ? hop == rounds() : hop > rounds() - ranks();
}

template <class T>
const TypedDecode<T>& TypedCode<T>::decode_at(int hop) const {
  // A class that is here at hop h is here at h + N, h + 2N, …: N−1 + s among them is its first
  // useful one.
  return decode_[groups() == 1 ? 0 : (hop + 1) % ranks()];
}

template class TypedCode<float>;
template class TypedCode<double>;

}  // namespace cerar::ring
