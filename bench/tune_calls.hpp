// The all-reduces that are timed: each configuration has a communicator whose hints name it.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/tune_search.hpp"

namespace cerar::tune {

// Thrown on all ranks or on none.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Says in the environment, before MPI_Init, what this process asks of CERAR: to run what hints say,
// whatever the user has set for other programs.
void ask_for_cerar();

// The ranks that are timed, and what they agree by.
class Ranks {
 public:
  Ranks();
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  // Where CERAR runs nothing.
  MPI_Comm comm() const { return comm_; }
  MPI_Comm duplicate() const;  // collective
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool one_node() const;  // collective
  // Collective: rank 0's.
  template <class T>
  T of_first(T value) const {
    MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, comm_);
    return value;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

// A communicator for one configuration.
class Communicator {
 public:
  Communicator(const Ranks& ranks, const Configuration& configuration);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// How many all-reduces CERAR runs on a communicator, from here on.
class CallCounter {
 public:
  explicit CallCounter(MPI_Comm comm);
  ~CallCounter();
  CallCounter(const CallCounter&) = delete;
  CallCounter& operator=(const CallCounter&) = delete;

  // -1 if Open MPI has no CERAR.
  long calls() const;

 private:
  MPI_Comm comm_;
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
};

// The calls on vectors of one size.
class Calls : public Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;
  // Said on rank 0 after each round: how many configurations take turns, and how many rounds are
  // done.
  using Show = std::function<void(std::size_t configurations, int round, int rounds)>;

  // deadline: rank 0's counts. Collective.
  Calls(const Ranks& ranks, cerar_type_t type, std::size_t bytes, Clock::time_point deadline,
        Show show);

  std::vector<double> medians(const std::vector<Configuration>& configurations,
                              int rounds) override;
  bool in_time() override;

 private:
  double call(MPI_Comm comm);
  void take_turn(MPI_Comm comm, std::vector<double>& seconds);
  double median_of(const std::vector<double>& mine) const;
  MPI_Comm comm_for(const Configuration& configuration);
  bool may_go_on(double seconds);

  const Ranks& ranks_;
  cerar_type_t type_;
  std::size_t count_;
  Clock::time_point begin_, deadline_;
  Show show_;
  std::vector<std::byte> send_, receive_;
  std::map<Configuration, std::unique_ptr<Communicator>> communicators_;
};

}  // namespace cerar::tune
