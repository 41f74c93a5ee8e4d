// A ring of ranks, and the calls on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cerar.h"
#include "core/plan/rules.hpp"
#include "core/ring/call.hpp"
#include "core/ring/code_book.hpp"
#include "core/ring/place.hpp"
#include "core/ring/scratch.hpp"
#include "core/ring/tally.hpp"
#include "core/transport/transport.hpp"

namespace cerar::ring {

// What all calls have in common that no rule says otherwise for: type and bytes are each call's
// own. segment_bytes = 0: kDefaultSegment.
struct TeamOptions : plan::Request {
  int rank = 0;
  std::shared_ptr<const plan::Rules> rules;  // nullptr: none
  plan::Kept kept;                           // whatever the rules say: plan::apply
};

inline constexpr std::size_t kDefaultSegment = 64 * 1024;

// Throws std::invalid_argument for an option out of its range; the message names option, value and
// range.
void check(const TeamOptions& options);

// A call, planned.
struct CallPlan {
  plan::Request request;  // segment_bytes is what the call uses
  int rule_line = 0;      // of the rule that it follows; 0: none matches
};

class Team {
 public:
  // Throws as check does, also where a rule for these ranks names what can't be had, and
  // std::bad_alloc.
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

  // The code of the last call, and what was asked for; c = 0 and design automatic if there was
  // none.
  const ChosenCode& last_code() const { return last_code_; }
  const CallPlan& last_plan() const { return last_plan_; }

  // Rounds and bytes of the calls posted, times of those that are done.
  const Tally& tally() const { return tally_; }

  // Most in use at once, over all places.
  std::size_t scratch_bytes() const;
  const transport::Transport& transport() const { return *transport_; }

 private:
  struct Pool {
    std::size_t segment_bytes;
    std::unique_ptr<ScratchPool> scratch;
  };

  CallPlan plan_of(cerar_type_t type, std::size_t bytes) const;
  template <class T>
  void find_nominal_codes();
  template <class T>
  std::unique_ptr<TypedCall<T>> make_call(const Chosen<T>& chosen, const CallPlan& call_plan,
                                          const T* send, T* recv, std::size_t count,
                                          const Place& place);
  // Keeps the place's space as long as the team.
  ScratchPool& pool_of(const Place& place, std::size_t segment_bytes);
  ScratchPool& pool_in(Space& memory, std::size_t segment_bytes);

  TeamOptions options_;
  std::unique_ptr<transport::Transport> transport_;
  CodeBook codes_;
  std::vector<std::shared_ptr<Space>> spaces_;  // that calls have used
  std::vector<Pool> pools_;  // the host's from the start, others when a call first needs them;
                             // few: one a kind of memory and segment size that calls have used
  std::uint32_t calls_ = 0;
  Tally tally_;
  ChosenCode last_code_;
  CallPlan last_plan_;
};

}  // namespace cerar::ring
