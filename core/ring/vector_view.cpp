#include "core/ring/vector_view.hpp"

#include <algorithm>

namespace cerar::ring {

template <class T>
void VectorView<T>::load_tails() {
  for (int g = 0; g < layout_->groups(); ++g) {
    const Region& region = layout_->region(g);
    T* tail = tail_source_ + layout_->tail_offset(g);
    const T* from = source_ + region.tail_begin;
    std::copy_n(from, region.tail_elements, tail);
    std::fill(tail + region.tail_elements, tail + region.tail_width * layout_->lanes(), T{0});
  }
}

template <class T>
void VectorView<T>::store_tail(int group) {
  const Region& region = layout_->region(group);
  const T* tail = tail_result_ + layout_->tail_offset(group);
  std::copy_n(tail, region.tail_elements, result_ + region.tail_begin);
}

template class VectorView<float>;
template class VectorView<double>;

}  // namespace cerar::ring
