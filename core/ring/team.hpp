// A ring of ranks, and the calls on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cerar.h"
#include "core/ring/call.hpp"
#include "core/ring/place.hpp"
#include "core/ring/scratch.hpp"
#include "core/ring/typed_code.hpp"
#include "core/transport/transport.hpp"

namespace cerar::ring {

struct TeamOptions {
  int rank = 0;
  int ranks = 0;                  // N ≥ 2
  int components = 0;             // c; 0 = 2·N
  double epsilon = 0;             // 0 = the best
  std::size_t segment_bytes = 0;  // 0 = kDefaultSegment
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
  int components() const { return options_.components; }
  double last_epsilon() const { return last_epsilon_; }
  // Most in use at once, over all places.
  std::size_t scratch_bytes() const;
  const transport::Transport& transport() const { return *transport_; }

 private:
  struct Pool {
    std::shared_ptr<Space> space;
    std::unique_ptr<ScratchPool> scratch;
  };

  template <class T>
  const TypedCode<T>& code() const;
  template <class T>
  std::unique_ptr<TypedCall<T>> make_call(const T* send, T* recv, std::size_t count,
                                          const Place& place);
  ScratchPool& pool_of(const Place& place);

  TeamOptions options_;
  int streams_;
  std::unique_ptr<transport::Transport> transport_;
  TypedCode<float> float_code_;
  TypedCode<double> double_code_;
  std::vector<Pool> pools_;  // the host's from the start, others when a call first needs them
  std::uint32_t calls_ = 0;
  double last_epsilon_ = 0;
};

template <>
inline const TypedCode<float>& Team::code<float>() const {
  return float_code_;
}
template <>
inline const TypedCode<double>& Team::code<double>() const {
  return double_code_;
}

}  // namespace cerar::ring
