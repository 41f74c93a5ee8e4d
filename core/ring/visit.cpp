#include "core/ring/visit.hpp"

#include <algorithm>

#include "core/kernel/kernel.hpp"

namespace cerar::ring {

template <class T>
T* Visitor<T>::pass_through(int hop, std::size_t segment) const {
  if (!contiguous() || !code_->useful(hop) || !code_->visit(hop).empty()) return nullptr;
  const Runs runs = layout_->runs(group(hop), segment);
  return runs.count == 0 ? nullptr : view_.result(runs.run[0]);
}

template <class T>
T* Visitor<T>::visit(int hop, std::size_t segment, const T* in, T* out) {
  const Runs runs = layout_->runs(group(hop), segment);
  if (contiguous() && code_->useful(hop) && runs.count > 0) out = view_.result(runs.run[0]);
  for (const Run& run : runs) {
    const bool consuming = source_ == Source::consumed && code_->first_visit(hop);
    // The last of the first visits is a useful one: it takes its increment from the lanes that
    // consume() makes.
    if (consuming && code_->useful(hop)) consume(hop, run);
    combine(hop, run, in ? in + run.packet : nullptr, out + run.packet);
    if (consuming && !code_->useful(hop)) consume(hop, run);
  }
  return out;
}

template <class T>
void Visitor<T>::consume(int hop, const Run& run) {
  kernel::Decode<T> increments;
  increments.out = view_.result(run);
  increments.y = view_.result(run);
  increments.w = code_->decode_at(hop).consumed.data();
  increments.lanes = code_->lanes();
  increments.width = run.width;
  increments.tiles = run.tiles;
  kernel::decode(increments);
}

template <class T>
void Visitor<T>::combine(int hop, const Run& run, const T* in, T* out) {
  kernel::Combine<T> sum;
  sum.width = run.width;
  sum.tiles = run.tiles;
  sum.stride = run.width * code_->lanes();
  sum.in = in;
  sum.out = out;

  T* keep = nullptr;
  if (code_->useful(hop) && !contiguous()) {
    keep = view_.result(run) + code_->useful_index(hop) * run.width;
  }
  if (keep && source_ == Source::consumed) {
    sum.store = keep;
    sum.x[0] = keep;
    sum.alpha[0] = T{1};
    sum.terms = 1;
    kernel::combine(sum);
    return;
  }

  // More terms than the kernel takes at once go in several passes over the segment.
  const auto& terms = code_->visit(hop);
  std::size_t next = 0;
  do {
    sum.terms = static_cast<int>(std::min<std::size_t>(terms.size() - next, kernel::kMaxTerms));
    for (int k = 0; k < sum.terms; ++k, ++next) {
      sum.x[k] = view_.source(run) + terms[next].lane * run.width;
      sum.alpha[k] = terms[next].alpha;
    }
    sum.store = next == terms.size() ? keep : nullptr;
    kernel::combine(sum);
    sum.in = out;
  } while (next < terms.size());
}

template <class T>
void Visitor<T>::decode_if_last(int hop, std::size_t segment) {
  if (contiguous() || !code_->useful(hop) || !code_->last_useful(hop)) return;
  for (const Run& run : layout_->runs(group(hop), segment)) {
    if (!code_->decode_at(hop).identity) decode(hop, run);
    if (run.tail) view_.store_tail(group(hop));
  }
}

template <class T>
void Visitor<T>::decode(int hop, const Run& run) {
  const TypedDecode<T>& matrices = code_->decode_at(hop);
  kernel::Decode<T> args;
  args.out = view_.result(run);
  args.y = view_.result(run);
  args.w = matrices.w.data();
  if (source_ == Source::kept) {
    args.g = view_.source(run);
    args.own = matrices.own.data();
  }
  args.lanes = code_->lanes();
  args.width = run.width;
  args.tiles = run.tiles;
  kernel::decode(args);
}

template class Visitor<float>;
template class Visitor<double>;

}  // namespace cerar::ring
