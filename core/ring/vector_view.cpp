#include "core/ring/vector_view.hpp"

namespace cerar::ring {

template <class T>
void VectorView<T>::load(Queue<T>& queue, const Layout& layout, int group, const Run& run) const {
  if (!run.tail) {
    const std::size_t elements = run.width * run.tiles * layout.lanes();
    if (copy) queue.copy(copy + run.offset, input + run.offset, elements);
    return;
  }
  const Region& region = layout.region(group);
  T* tail = tail_source + run.offset;
  queue.copy(tail, input + region.tail_begin, region.tail_elements);
  const std::size_t padding = region.tail_width * layout.lanes() - region.tail_elements;
  if (padding > 0) queue.zero(tail + region.tail_elements, padding);
}

template <class T>
void VectorView<T>::store_tail(Queue<T>& queue, const Layout& layout, int group) const {
  const Region& region = layout.region(group);
  queue.copy(result + region.tail_begin, tail_result + layout.tail_offset(group),
             region.tail_elements);
}

template struct VectorView<float>;
template struct VectorView<double>;

}  // namespace cerar::ring
