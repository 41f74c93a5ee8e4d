#include "core/ring/stream.hpp"

namespace cerar::ring {

template <class T>
Stream<T>::Stream(const StreamContext<T>& context, int number, Space& space)
    : context_(&context), number_(number), segment_(number) {
  if (segment_ >= context.segments) {
    state_ = State::done;
  } else {
    queue_ = space.make_queue<T>(context.visitor->lanes());
  }
}

template <class T>
cerar_status_t Stream<T>::advance(bool& moved) {
  cerar_status_t status = CERAR_OK;
  if (state_ == State::starting) status = start_segment(moved);
  if (state_ == State::receiving && status == CERAR_OK) status = receive(moved);
  if (state_ == State::computing && status == CERAR_OK) status = finish_visit(moved);
  if (state_ == State::draining && status == CERAR_OK) status = drain(moved);
  return status;
}

template <class T>
cerar_status_t Stream<T>::start_segment(bool& moved) {
  hop_ = 0;
  visit(nullptr, staging(0));
  moved = true;
  return CERAR_OK;
}

// Waits for the packet of the next hop.
template <class T>
cerar_status_t Stream<T>::receive(bool& moved) {
  cerar_status_t status = posted_ ? CERAR_OK : post_receive();
  if (status != CERAR_OK || !posted_) return status;
  status = context_->transport->test(receive_);
  if (status == CERAR_IN_PROGRESS) return CERAR_OK;
  if (status != CERAR_OK) return status;

  moved = true;
  posted_ = false;
  ++hop_;
  T* arrived = landing_;
  const bool passed = passing_;
  // The next receive goes first, so that the neighbour finds it waiting.
  if (hop_ < context_->rounds) status = post_receive();
  if (passed) {
    packet_ = arrived;
    state_ = State::computing;  // of nothing
  } else {
    visit(arrived, arrived);
  }
  return status;
}

template <class T>
void Stream<T>::visit(const T* in, T* out) {
  packet_ = context_->visitor->visit(*queue_, hop_, segment_, in, out);
  queue_->mark();
  state_ = State::computing;
}

// Sends what the visit made; decoding, which nobody waits for, comes after.
template <class T>
cerar_status_t Stream<T>::finish_visit(bool& moved) {
  cerar_status_t status = queue_->test();
  if (status == CERAR_IN_PROGRESS) return CERAR_OK;
  if (status != CERAR_OK) return status;

  moved = true;
  const bool last = hop_ == context_->rounds;
  if (!last) status = send();
  context_->visitor->decode_if_last(*queue_, hop_, segment_);
  if (last && last_segment()) queue_->conclude();
  if (last) queue_->mark();
  state_ = last ? State::draining : State::receiving;
  return status;
}

// Posts the receive of the next hop, unless the slot's last send, three hops ago, is still under
// way.
template <class T>
cerar_status_t Stream<T>::post_receive() {
  const int hop = hop_ + 1;
  cerar_status_t status = context_->transport->test(sending(hop));
  if (status == CERAR_IN_PROGRESS) return CERAR_OK;
  if (status != CERAR_OK) return status;

  T* place = context_->visitor->pass_through(hop, segment_);
  passing_ = place != nullptr;
  landing_ = passing_ ? place : staging(hop);
  const std::size_t bytes = context_->visitor->length(hop, segment_) * sizeof(T);
  if (bytes > 0) {
    const transport::Tag tag{context_->call, static_cast<std::uint32_t>(number_)};
    status = context_->transport->recv(tag, landing_, bytes, receive_, context_->messages);
  }
  posted_ = status == CERAR_OK;
  return status;
}

template <class T>
cerar_status_t Stream<T>::send() {
  const std::size_t bytes = context_->visitor->length(hop_, segment_) * sizeof(T);
  if (bytes == 0) return CERAR_OK;
  const transport::Tag tag{context_->call, static_cast<std::uint32_t>(number_)};
  return context_->transport->send(tag, packet_, bytes, sending(hop_), context_->messages);
}

// Waits for the decoding and for the sends still under way, then goes on to the next segment.
template <class T>
cerar_status_t Stream<T>::drain(bool& moved) {
  cerar_status_t status = queue_->test();
  for (transport::Operation& send : sends_) {
    if (status == CERAR_OK) status = context_->transport->test(send);
  }
  if (status == CERAR_IN_PROGRESS) return CERAR_OK;
  if (status != CERAR_OK) return status;

  moved = true;
  segment_ += context_->streams;
  state_ = segment_ < context_->segments ? State::starting : State::done;
  return CERAR_OK;
}

template <class T>
void Stream<T>::cancel() {
  if (queue_) queue_->drain();
  context_->transport->cancel(receive_);
  for (transport::Operation& send : sends_) context_->transport->cancel(send);
  state_ = State::done;
}

template class Stream<float>;
template class Stream<double>;

}  // namespace cerar::ring
