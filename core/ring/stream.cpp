#include "core/ring/stream.hpp"

namespace cerar::ring {

template <class T>
Stream<T>::Stream(const StreamContext<T>& context, int number)
    : context_(&context), number_(number), segment_(number) {
  if (segment_ >= context.segments) state_ = State::done;
}

template <class T>
cerar_status_t Stream<T>::advance(bool& moved) {
  cerar_status_t status = CERAR_OK;
  if (state_ == State::starting) {
    status = start_segment();
    moved = true;
  }
  if (status == CERAR_OK && state_ == State::receiving) {
    if (!posted_) status = post_receive(posted_);
    if (status == CERAR_OK && posted_) {
      status = context_->transport->test(receive_);
      if (status == CERAR_IN_PROGRESS) return CERAR_OK;
      if (status == CERAR_OK) status = arrive();
      moved = true;
    }
  }
  if (status == CERAR_OK && state_ == State::draining) {
    bool drained = false;
    status = drain(drained);
    if (drained) {
      segment_ += context_->streams;
      state_ = segment_ < context_->segments ? State::starting : State::done;
      moved = true;
    }
  }
  return status;
}

template <class T>
cerar_status_t Stream<T>::start_segment() {
  const T* packet = context_->visitor->visit(0, segment_, nullptr, staging(0));
  const cerar_status_t status = send(0, packet);
  round_ = 1;
  state_ = State::receiving;
  return status;
}

// Waits, without blocking, until the slot's last send (three rounds ago) is over.
template <class T>
cerar_status_t Stream<T>::post_receive(bool& posted) {
  cerar_status_t status = context_->transport->test(sending(round_));
  if (status == CERAR_IN_PROGRESS) return CERAR_OK;
  if (status != CERAR_OK) return status;

  T* place = context_->visitor->pass_through(round_, segment_);
  passing_ = place != nullptr;
  landing_ = passing_ ? place : staging(round_);
  const std::size_t bytes = context_->visitor->length(round_, segment_) * sizeof(T);
  if (bytes > 0) {
    const transport::Tag tag{context_->call, static_cast<std::uint32_t>(number_)};
    status = context_->transport->recv(tag, landing_, bytes, receive_);
  }
  posted = status == CERAR_OK;
  return status;
}

// The segment of this round is in. The next receive is posted first, so that the neighbour finds it
// waiting; sending goes before decoding, which nobody waits for.
template <class T>
cerar_status_t Stream<T>::arrive() {
  const int round = round_++;
  T* packet = landing_;
  const bool passing = passing_;
  posted_ = false;

  const bool last = round == context_->rounds;
  cerar_status_t status = CERAR_OK;
  if (!last) status = post_receive(posted_);
  if (status != CERAR_OK) return status;
  if (!passing) packet = context_->visitor->visit(round, segment_, packet, packet);
  if (!last) status = send(round, packet);
  if (status != CERAR_OK) return status;
  context_->visitor->decode_if_last(round, segment_);
  if (last) state_ = State::draining;
  return CERAR_OK;
}

// Sends what is held at hop `round`: the message of round + 1.
template <class T>
cerar_status_t Stream<T>::send(int round, const T* data) {
  const std::size_t bytes = context_->visitor->length(round, segment_) * sizeof(T);
  if (bytes == 0) return CERAR_OK;
  const transport::Tag tag{context_->call, static_cast<std::uint32_t>(number_)};
  return context_->transport->send(tag, data, bytes, sending(round));
}

template <class T>
cerar_status_t Stream<T>::drain(bool& drained) {
  drained = true;
  for (transport::Operation& send : sends_) {
    const cerar_status_t status = context_->transport->test(send);
    if (status == CERAR_IN_PROGRESS) drained = false;
    if (status < CERAR_OK) return status;
  }
  return CERAR_OK;
}

template <class T>
void Stream<T>::cancel() {
  context_->transport->cancel(receive_);
  for (transport::Operation& send : sends_) context_->transport->cancel(send);
  state_ = State::done;
}

template class Stream<float>;
template class Stream<double>;

}  // namespace cerar::ring
