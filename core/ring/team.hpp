// A ring of ranks, and the calls on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cerar.h"
#include "core/ring/call.hpp"
#include "core/ring/code_book.hpp"
#include "core/ring/place.hpp"
#include "core/ring/scratch.hpp"
#include "core/ring/tally.hpp"
#include "core/transport/transport.hpp"

namespace cerar::ring {

// What all calls have in common: type and bytes are each call's own. segment_bytes = 0:
// kDefaultSegment.
struct TeamOptions : plan::Request {
  int rank = 0;
};

inline constexpr std::size_t kDefaultSegment = 64 * 1024;

// Throws std::invalid_argument for an option out of its range; the message names option, value and
// range.
void check(const TeamOptions& options);

class Team {
 public:
  // Throws as check does, and std::bad_alloc.
  Team(const TeamOptions& options, std::unique_ptr<transport::Transport> transport);

  // Posts a call. send == nullptr: in place. Throws std::bad_alloc and what the place's space
  // throws; then nothing has been sent, and the call can be posted again elsewhere.
  template <class T>
  std::unique_ptr<Call> post(const T* send, T* recv, std::size_t count,
                             const Place& place = host_place());

  // Makes all that a call needs and keeps it, so that posting one like it allocates nothing (but
  // for the copy of an input that is needed to the end). Throws as post does.
  template <class T>
  void prepare(const T* send, T* recv, std::size_t count, const Place& place = host_place());

  std::uint32_t calls() const { return calls_; }

  // The code of the last call; c = 0 and design automatic if there was none.
  const ChosenCode& last_code() const { return last_code_; }

  // Rounds and bytes of the calls posted, times of those that are done.
  const Tally& tally() const { return tally_; }

  // Most in use at once, over all places.
  std::size_t scratch_bytes() const;
  const transport::Transport& transport() const { return *transport_; }

 private:
  struct Pool {
    std::shared_ptr<Space> space;
    std::unique_ptr<ScratchPool> scratch;
  };

  template <class T>
  std::unique_ptr<TypedCall<T>> make_call(const Chosen<T>& chosen, const T* send, T* recv,
                                          std::size_t count, const Place& place);
  ScratchPool& pool_of(const Place& place);

  TeamOptions options_;
  int streams_;
  std::unique_ptr<transport::Transport> transport_;
  CodeBook codes_;
  std::vector<Pool> pools_;  // the host's from the start, others when a call first needs them
  std::uint32_t calls_ = 0;
  Tally tally_;
  ChosenCode last_code_;
};

}  // namespace cerar::ring
