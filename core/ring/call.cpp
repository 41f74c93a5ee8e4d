#include "core/ring/call.hpp"

#include <algorithm>
#include <utility>

namespace cerar::ring {

template <class T>
TypedCall<T>::TypedCall(const TypedCode<T>& code, const CallResources& resources, const T* send,
                        T* recv, std::size_t count)
    : resources_(resources),
      layout_(count, code.groups(), code.lanes(), resources.segment_bytes / sizeof(T),
              resources.streams),
      // With shared components the input is needed to the end; with one lane it is never
      // overwritten too early.
      copy_(send == nullptr && code.groups() == 1 ? count * sizeof(T) : 0),
      scratch_(resources.pool->take()),
      visitor_(make_visitor(code, send, recv, count)),
      context_{resources.transport, &visitor_,          scratch_.get(),   resources.number,
               code.rounds(),       layout_.segments(), resources.streams} {
  resources_.pool->account(copy_.size());
  for (int s = 0; s < resources.streams; ++s) {
    streams_.emplace_back(context_, s);
    if (!streams_.back().done()) ++running_;
  }
}

template <class T>
Visitor<T> TypedCall<T>::make_visitor(const TypedCode<T>& code, const T* send, T* recv,
                                      std::size_t count) {
  const T* source = send != nullptr ? send : recv;
  if (copy_.size() > 0) {
    T* copy = reinterpret_cast<T*>(copy_.data());
    std::copy_n(recv, count, copy);
    source = copy;
  }
  const bool consumed = source == recv && code.lanes() > 1;
  T* tail_result = reinterpret_cast<T*>(scratch_->tail_result());
  T* tail_source = consumed ? tail_result : reinterpret_cast<T*>(scratch_->tail_source());
  VectorView<T> view(layout_, source, recv, tail_source, tail_result);
  view.load_tails();
  return Visitor<T>(code, layout_, view, consumed ? Source::consumed : Source::kept);
}

template <class T>
TypedCall<T>::~TypedCall() {
  if (status_ == CERAR_IN_PROGRESS) {
    for (Stream<T>& stream : streams_) stream.cancel();
    release();
  }
}

template <class T>
cerar_status_t TypedCall<T>::progress() {
  if (status_ != CERAR_IN_PROGRESS) return status_;
  cerar_status_t status = CERAR_OK;
  bool moved = true;
  while (status == CERAR_OK && moved && running_ > 0) {
    moved = false;
    resources_.transport->progress();
    status = advance_streams(moved);
  }
  if (status == CERAR_OK && running_ > 0) return CERAR_IN_PROGRESS;
  if (status != CERAR_OK) {
    for (Stream<T>& stream : streams_) stream.cancel();
  }
  release();
  status_ = status;
  return status_;
}

template <class T>
cerar_status_t TypedCall<T>::advance_streams(bool& moved) {
  for (Stream<T>& stream : streams_) {
    if (stream.done()) continue;
    const cerar_status_t status = stream.advance(moved);
    if (status != CERAR_OK) return status;
    if (stream.done()) --running_;
  }
  return CERAR_OK;
}

template <class T>
void TypedCall<T>::release() {
  resources_.pool->release(copy_.size());
  copy_ = AlignedBuffer();
  resources_.pool->give_back(std::move(scratch_));
}

template class TypedCall<float>;
template class TypedCall<double>;

}  // namespace cerar::ring
