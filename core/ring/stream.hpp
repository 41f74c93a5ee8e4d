// One segment at a time, through all its rounds: receive, combine, send.
//
// In round t = 1 … L a rank sends the segment that it holds at hop t−1 and receives the same
// segment of another class, which becomes hop t. A stream takes segments s, s + S, s + 2S, … of the
// call, one after the other, S being the number of streams; streams do not wait for each other.
// Messages of a stream carry its number in their tag, and their order does the rest.
//
// A segment of round t+1 goes out as soon as the same segment of round t is in. Three slots: one is
// received into, one is sent from, and one may hold a send that is late. There is no deadlock,
// because the send of round t only waits for the neighbour to post its receive of round t, which
// waits for nothing but the neighbour's sends of rounds before t−1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/cerar.h"
#include "core/ring/scratch.hpp"
#include "core/ring/visit.hpp"
#include "core/transport/transport.hpp"

namespace cerar::ring {

// What the streams of a call share.
template <class T>
struct StreamContext {
  transport::Transport* transport;
  const Visitor<T>* visitor;
  const Scratch* scratch;
  std::uint32_t call;
  transport::Memory messages;
  int rounds;
  std::size_t segments;
  int streams;
};

template <class T>
class Stream {
 public:
  // Throws std::bad_alloc. The context must outlive the stream.
  Stream(const StreamContext<T>& context, int number, Space& space);

  // Does what can be done without waiting. moved: set if anything was. An error status is final.
  cerar_status_t advance(bool& moved);
  bool done() const { return state_ == State::done; }
  // Of what was decoded: whole once the stream is done.
  kernel::Magnitude<T> greatest() const { return queue_ ? queue_->greatest() : 0; }

  // Gives up what is under way.
  void cancel();

 private:
  enum class State { starting, computing, receiving, draining, done };

  // The send of what is here at a hop, and the slot that it is sent from.
  transport::Operation& sending(int hop) { return sends_[hop % kSlots]; }
  T* staging(int hop) const {
    return reinterpret_cast<T*>(context_->scratch->slot(number_, hop % kSlots));
  }

  // Each does one state's work and sets moved when it goes on to the next.
  cerar_status_t start_segment(bool& moved);
  cerar_status_t finish_visit(bool& moved);
  cerar_status_t receive(bool& moved);
  cerar_status_t drain(bool& moved);

  cerar_status_t post_receive();
  void visit(const T* in, T* out);
  cerar_status_t send();
  bool last_segment() const { return segment_ + context_->streams >= context_->segments; }

  const StreamContext<T>* context_;
  int number_;
  std::unique_ptr<Queue<T>> queue_;
  State state_ = State::starting;
  std::size_t segment_;
  int hop_ = 0;           // of the packet that is here
  T* packet_ = nullptr;   // where it is, or will be when the queue is done
  bool posted_ = false;   // the receive of the next hop
  T* landing_ = nullptr;  // where that goes
  bool passing_ = false;  // it goes straight to its place in the result
  transport::Operation receive_;
  std::array<transport::Operation, kSlots> sends_;
};

extern template class Stream<float>;
extern template class Stream<double>;

}  // namespace cerar::ring
