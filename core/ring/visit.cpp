#include "core/ring/visit.hpp"

#include <algorithm>

namespace cerar::ring {

template <class T>
T* Visitor<T>::pass_through(int hop, std::size_t segment) const {
  if (!direct_ || !contiguous() || !code_->useful(hop) || !code_->visit(hop).empty())
    return nullptr;
  const Runs runs = layout_->runs(group(hop), segment);
  return runs.count == 0 ? nullptr : view_.result_at(runs.run[0]);
}

template <class T>
T* Visitor<T>::visit(Queue<T>& queue, int hop, std::size_t segment, const T* in, T* out) const {
  const Lap lap(times_->combine);
  const Runs runs = layout_->runs(group(hop), segment);
  if (direct_ && contiguous() && code_->useful(hop) && runs.count > 0) {
    out = view_.result_at(runs.run[0]);
  }
  for (const Run& run : runs) {
    if (first_of_group(hop)) view_.load(queue, *layout_, group(hop), run);
    const bool consuming = source_ == Source::consumed && code_->first_visit(hop);
    // The last of the first visits is a useful one: it takes its increment from the lanes that
    // consume() makes.
    if (consuming && code_->useful(hop)) consume(queue, hop, run);
    combine(queue, hop, run, in ? in + run.packet : nullptr, out + run.packet);
    if (consuming && !code_->useful(hop)) consume(queue, hop, run);
  }
  return out;
}

template <class T>
void Visitor<T>::consume(Queue<T>& queue, int hop, const Run& run) const {
  kernel::Decode<T> increments;
  increments.out = view_.result_at(run);
  increments.y = view_.result_at(run);
  increments.w = code_->decode_at(hop).consumed.data();
  increments.lanes = code_->lanes();
  increments.width = run.width;
  increments.tiles = run.tiles;
  queue.decode(increments);
}

template <class T>
void Visitor<T>::combine(Queue<T>& queue, int hop, const Run& run, const T* in, T* out) const {
  kernel::Combine<T> sum;
  sum.width = run.width;
  sum.tiles = run.tiles;
  sum.stride = run.width * code_->lanes();
  sum.in = in;
  sum.out = out;

  T* keep = nullptr;
  if (code_->useful(hop) && !contiguous()) {
    keep = view_.result_at(run) + code_->useful_index(hop) * run.width;
  } else if (code_->useful(hop) && !direct_) {
    keep = view_.result_at(run);
  }
  if (keep && source_ == Source::consumed) {
    sum.store = keep;
    sum.x[0] = keep;
    sum.alpha[0] = T{1};
    sum.terms = 1;
    queue.combine(sum);
    return;
  }

  // More terms than the kernel takes at once go in several passes over the segment.
  const auto& terms = code_->visit(hop);
  if (terms.empty() && in == out) sum.out = nullptr;  // it is there already
  std::size_t next = 0;
  do {
    sum.terms = static_cast<int>(std::min<std::size_t>(terms.size() - next, kernel::kMaxTerms));
    for (int k = 0; k < sum.terms; ++k, ++next) {
      sum.x[k] = view_.source_at(run) + terms[next].lane * run.width;
      sum.alpha[k] = terms[next].alpha;
    }
    sum.store = next == terms.size() ? keep : nullptr;
    if (sum.out || sum.store) queue.combine(sum);
    sum.in = out;
  } while (next < terms.size());
}

template <class T>
void Visitor<T>::decode_if_last(Queue<T>& queue, int hop, std::size_t segment) const {
  if (contiguous() || !code_->useful(hop) || !code_->last_useful(hop)) return;
  const Lap lap(times_->decode);
  for (const Run& run : layout_->runs(group(hop), segment)) {
    if (!code_->decode_at(hop).identity) decode(queue, hop, run);
    if (run.tail) view_.store_tail(queue, *layout_, group(hop));
  }
}

template <class T>
void Visitor<T>::decode(Queue<T>& queue, int hop, const Run& run) const {
  const TypedDecode<T>& matrices = code_->decode_at(hop);
  kernel::Decode<T> args;
  args.out = view_.result_at(run);
  args.y = view_.result_at(run);
  args.w = matrices.w.data();
  if (source_ == Source::kept) {
    args.g = view_.source_at(run);
    args.own = matrices.own.data();
  }
  args.lanes = code_->lanes();
  args.width = run.width;
  args.tiles = run.tiles;
  queue.decode_result(args);
}

template class Visitor<float>;
template class Visitor<double>;

}  // namespace cerar::ring
