// A ring of ranks, and the calls on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/cerar.h"
#include "core/ring/call.hpp"
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

  std::unique_ptr<Call> post(const float* send, float* recv, std::size_t count);
  std::unique_ptr<Call> post(const double* send, double* recv, std::size_t count);

  std::uint32_t calls() const { return calls_; }
  int components() const { return options_.components; }
  double last_epsilon() const { return last_epsilon_; }
  std::size_t scratch_bytes() const { return pool_.most_in_use(); }
  const transport::Transport& transport() const { return *transport_; }

 private:
  template <class T>
  std::unique_ptr<Call> start(const TypedCode<T>& code, const T* send, T* recv, std::size_t count);

  TeamOptions options_;
  int streams_;
  std::unique_ptr<transport::Transport> transport_;
  TypedCode<float> float_code_;
  TypedCode<double> double_code_;
  ScratchPool pool_;
  std::uint32_t calls_ = 0;
  double last_epsilon_ = 0;
};

}  // namespace cerar::ring
