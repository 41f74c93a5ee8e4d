// The memory of one call as the layout sees it: the source vector, the result vector, and the short
// tiles of both.
#pragma once

#include "core/ring/layout.hpp"
#include "core/ring/space.hpp"

namespace cerar::ring {

template <class T>
struct VectorView {
  const T* input;  // what the caller gave
  T* copy;         // where a copy of it is kept, or nullptr: it is read where it is
  T* result;
  T* tail_source;
  T* tail_result;

  T* source_base() const { return copy ? copy : const_cast<T*>(input); }
  const T* source_at(const Run& run) const {
    return (run.tail ? tail_source : source_base()) + run.offset;
  }
  T* result_at(const Run& run) const { return (run.tail ? tail_result : result) + run.offset; }

  // Makes source_at(run) good. To be called once a run, before it is read.
  void load(Queue<T>& queue, const Layout& layout, int group, const Run& run) const;
  // Puts a short tile's result where the caller expects it.
  void store_tail(Queue<T>& queue, const Layout& layout, int group) const;
};

extern template struct VectorView<float>;
extern template struct VectorView<double>;

}  // namespace cerar::ring
