// What a rank computes when a segment of a packet is with it: its own contribution, what it keeps,
// and the decoding.
#pragma once

#include "core/ring/layout.hpp"
#include "core/ring/space.hpp"
#include "core/ring/tally.hpp"
#include "core/ring/typed_code.hpp"
#include "core/ring/vector_view.hpp"

namespace cerar::ring {

// What becomes of the input while packets arrive in the result.
enum class Source {
  kept,     // it stays readable to the end, and makes the rank's own contribution exact
  consumed  // in place: at the first visit a class's lanes are replaced by the increments of its
            // useful visits, each of which is overwritten by the packet that it went into
            // (docs/theory.md, Layout and storage)
};

// The work of all segments of a call. Segments share no memory, so each may use a queue of its own.
template <class T>
class Visitor {
 public:
  // direct: packets may be received into the result, and sent from it. times must outlive the
  // visitor.
  Visitor(const TypedCode<T>& code, const Layout& layout, const VectorView<T>& view, Source source,
          bool direct, Times& times)
      : code_(&code),
        layout_(&layout),
        view_(view),
        source_(source),
        direct_(direct),
        times_(&times) {}

  int lanes() const { return code_->lanes(); }

  // Packet elements in a segment at a hop: the size of the message.
  std::size_t length(int hop, std::size_t segment) const {
    return layout_->length(group(hop), segment);
  }

  // Where a packet that needs no work is received to and sent on from: its place in the result.
  // nullptr if there is none.
  T* pass_through(int hop, std::size_t segment) const;

  // Adds the rank's contribution at a hop to the segment in `in` (nullptr: the hop is 0, nothing
  // came). Returns where the sum will be, to be sent on: `out`, or its place in the result. in and
  // out may be the same.
  T* visit(Queue<T>& queue, int hop, std::size_t segment, const T* in, T* out) const;

  // To be called after each visit: decodes if this was the last packet that the segment waited for.
  void decode_if_last(Queue<T>& queue, int hop, std::size_t segment) const;

 private:
  int group(int hop) const { return code_->group_of(code_->class_at(hop)); }
  bool contiguous() const { return code_->lanes() == 1; }
  bool first_of_group(int hop) const {
    return code_->groups() == 1 ? hop == 0 : code_->first_visit(hop);
  }
  void consume(Queue<T>& queue, int hop, const Run& run) const;
  void combine(Queue<T>& queue, int hop, const Run& run, const T* in, T* out) const;
  void decode(Queue<T>& queue, int hop, const Run& run) const;

  const TypedCode<T>* code_;
  const Layout* layout_;
  VectorView<T> view_;
  Source source_;
  bool direct_;
  Times* times_;
};

extern template class Visitor<float>;
extern template class Visitor<double>;

}  // namespace cerar::ring
