#include "core/ring/code_book.hpp"

namespace cerar::ring {

template <>
std::list<Chosen<float>>& CodeBook::codes() {
  return floats_;
}
template <>
std::list<Chosen<double>>& CodeBook::codes() {
  return doubles_;
}

template <class T>
const Chosen<T>& CodeBook::choose(const plan::Request& request) {
  const plan::Plan plan = plan::choose(request);
  for (const Chosen<T>& known : codes<T>()) {
    if (known.spec == plan.spec) return known;
  }
  codes<T>().push_back(
      {{plan.spec, plan.design, plan.error.total()}, TypedCode<T>(plan.spec, rank_)});
  return codes<T>().back();
}

template const Chosen<float>& CodeBook::choose(const plan::Request&);
template const Chosen<double>& CodeBook::choose(const plan::Request&);

}  // namespace cerar::ring
