#include "core/ring/code_book.hpp"

namespace cerar::ring {
namespace {

constexpr std::size_t kNominalElements = 1 << 20;

}  // namespace

CodeBook::CodeBook(const plan::Request& common, int rank) : common_(common), rank_(rank) {
  choose<float>(kNominalElements);
  choose<double>(kNominalElements);
}

template <>
std::list<Chosen<float>>& CodeBook::codes() {
  return floats_;
}
template <>
std::list<Chosen<double>>& CodeBook::codes() {
  return doubles_;
}

template <class T>
const Chosen<T>& CodeBook::choose(std::size_t count) {
  plan::Request request = common_;
  request.type = sizeof(T) == sizeof(float) ? CERAR_FLOAT : CERAR_DOUBLE;
  request.bytes = count * sizeof(T);
  const plan::Plan plan = plan::choose(request);
  for (const Chosen<T>& known : codes<T>()) {
    if (known.spec == plan.spec) return known;
  }
  codes<T>().push_back(
      {{plan.spec, plan.design, plan.error.total()}, TypedCode<T>(plan.spec, rank_)});
  return codes<T>().back();
}

template const Chosen<float>& CodeBook::choose(std::size_t);
template const Chosen<double>& CodeBook::choose(std::size_t);

}  // namespace cerar::ring
