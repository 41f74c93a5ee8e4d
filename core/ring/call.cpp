#include "core/ring/call.hpp"

#include <algorithm>
#include <utility>

#include "core/ring/range.hpp"

namespace cerar::ring {

template <class T>
TypedCall<T>::TypedCall(const TypedCode<T>& code, const CallResources& resources, const T* send,
                        T* recv, std::size_t count)
    : resources_(resources),
      count_(count),
      layout_(count, code.groups(), code.lanes(), resources.segment_bytes / sizeof(T),
              resources.streams),
      copy_(resources.pool->space(), needs_copy(code, resources, send) ? count * sizeof(T) : 0,
            Use::data),
      scratch_(resources.pool->take(layout_.tail_capacity() * sizeof(T))),
      visitor_(make_visitor(code, send, recv)),
      context_{resources.transport,       &visitor_,     scratch_.get(),     resources.number,
               resources.place->messages, code.rounds(), layout_.segments(), resources.streams} {
  resources_.pool->account(copy_.size());
  try {
    make_streams();
  } catch (...) {
    release();
    throw;
  }
}

// With shared components the input is needed to the end.
template <class T>
bool TypedCall<T>::needs_copy(const TypedCode<T>& code, const CallResources& resources,
                              const T* send) {
  return code.groups() == 1 && (send == nullptr || resources.place->load);
}

template <class T>
void TypedCall<T>::make_streams() {
  streams_.reserve(resources_.streams);
  for (int s = 0; s < resources_.streams; ++s) {
    streams_.emplace_back(context_, s, *resources_.place->space);
    if (!streams_.back().done()) ++running_;
  }
}

template <class T>
Visitor<T> TypedCall<T>::make_visitor(const TypedCode<T>& code, const T* send, T* recv) {
  VectorView<T> view;
  view.input = send != nullptr ? send : recv;
  view.copy = reinterpret_cast<T*>(copy_.data());
  view.result = recv;
  // An input that must be loaded is, lane by lane, into the result, and then in place there.
  const bool in_place = send == nullptr || (resources_.place->load && view.copy == nullptr);
  if (in_place && send != nullptr) view.copy = recv;
  // With one lane the input is in place overwritten only after it has been used.
  const bool consumed = in_place && copy_.size() == 0 && code.lanes() > 1;
  view.tail_result = reinterpret_cast<T*>(scratch_->tail_result());
  view.tail_source = consumed ? view.tail_result : reinterpret_cast<T*>(scratch_->tail_source());
  return Visitor<T>(code, layout_, view, consumed ? Source::consumed : Source::kept,
                    resources_.place->direct, times_);
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
  account();
  status_ = status;
  return status_;
}

template <class T>
void TypedCall<T>::account() {
  Tally& tally = *resources_.tally;
  tally.times.combine += times_.combine;
  tally.times.decode += times_.decode;
  tally.wait += Clock::now() - posted_ - times_.combine - times_.decode;
}

template <class T>
cerar_range_t TypedCall<T>::range() const {
  kernel::Magnitude<T> greatest = 0;
  for (const Stream<T>& stream : streams_) greatest = std::max(greatest, stream.greatest());
  return range_of<T>(greatest, count_);
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
  copy_ = SpaceBuffer();
  resources_.pool->give_back(std::move(scratch_));
}

template class TypedCall<float>;
template class TypedCall<double>;

}  // namespace cerar::ring
