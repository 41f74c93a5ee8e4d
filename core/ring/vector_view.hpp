// The memory of one call as the layout sees it: the source vector, the result vector, and the short
// tiles of both.
#pragma once

#include "core/ring/layout.hpp"

namespace cerar::ring {

// source == result where the input is consumed in place (call.hpp).
template <class T>
class VectorView {
 public:
  VectorView(const Layout& layout, const T* source, T* result, T* tail_source, T* tail_result)
      : layout_(&layout),
        source_(source),
        result_(result),
        tail_source_(tail_source),
        tail_result_(tail_result) {}

  const T* source(const Run& run) const { return (run.tail ? tail_source_ : source_) + run.offset; }
  T* result(const Run& run) const { return (run.tail ? tail_result_ : result_) + run.offset; }

  // Copies what there is of the short tiles out of the source, and zeros behind it.
  void load_tails();
  // Copies a group's short tile into the result.
  void store_tail(int group);

 private:
  const Layout* layout_;
  const T* source_;
  T* result_;
  T* tail_source_;
  T* tail_result_;
};

extern template class VectorView<float>;
extern template class VectorView<double>;

}  // namespace cerar::ring
