// A ring in one process, for tests: any number of ranks, driven from one thread or from several.
//
// It is as unhelpful as the interface allows. Delays are random, so messages overtake each other
// between tags and ranks. A send may complete in send itself, or later, or only once its receive is
// posted; its data may be read as late as that, so a sender that touches its buffer too early sends
// wrong data. A posted receive buffer holds NaNs until the receive completes. Nothing moves at a
// rank but in its own progress(). Driven from one thread, a seed gives the same run every time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/transport/transport.hpp"

namespace cerar::transport {

struct InprocOptions {
  std::uint64_t seed = 1;
  // An operation that could complete does so after 0 … max_delay further polls of its rank; one in
  // 16 takes 8 times as long.
  unsigned max_delay = 4;
  // The share of operations that complete in send or recv itself where they can, 0 … 1.
  double immediate = 0.125;
  // The shares of sends that are read late, and that wait for their receive too, 0 … 1 together;
  // the others are read in send.
  double lazy = 0.25;
  double rendezvous = 0.375;
  // Whether posted receive buffers are overwritten with 0xFF bytes.
  bool scribble = true;
};

enum class InprocCall { send, recv, test };

// Every member may be called from any thread. The links may outlive the ring object.
class InprocRing {
 public:
  // ranks ≥ 1.
  explicit InprocRing(int ranks, const InprocOptions& options = {});
  ~InprocRing();
  InprocRing(const InprocRing&) = delete;
  InprocRing& operator=(const InprocRing&) = delete;

  int size() const;

  // Rank's links; all links made for one rank are one and the same end of the ring, but each counts
  // its own bytes_sent.
  std::unique_ptr<Transport> link(int rank);

  // Makes the k-th such call (counted from 0 since the ring was made; tests of null handles do not
  // count) at rank fail with CERAR_ERR_TRANSPORT. May be given several times.
  void fail(int rank, InprocCall call, std::uint64_t k);

  // From now on everything between rank and its neighbours fails: new operations at once, those
  // under way at a later poll.
  void lose(int rank);

  // Calls of a kind so far, to choose k for fail() from a run without faults.
  std::uint64_t calls(int rank, InprocCall call) const;

  // Operations with a handle that has not been released by test or cancel: at one rank, at all
  // ranks.
  std::size_t outstanding(int rank) const;
  std::size_t outstanding() const;

  // Messages sent (and not given up) that no receive has completed.
  std::size_t undelivered() const;

 private:
  class State;
  class Link;
  std::shared_ptr<State> state_;
};

}  // namespace cerar::transport
