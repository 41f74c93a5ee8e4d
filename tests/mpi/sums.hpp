// Sums that know what comes out, for the tests of requests.
#pragma once

#include <mpi.h>

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/mpi/mpi_test.hpp"

namespace cerar::mpi_test {

inline float datum(std::uint64_t stream, int rank, std::size_t i) {
  return static_cast<float>(mix(stream + static_cast<std::uint64_t>(rank), i) % 1000);
}

// A sum of floats that knows what comes out.
class Sum {
 public:
  Sum(MPI_Comm comm, std::uint64_t stream, std::size_t count, bool in_place, Memory memory)
      : comm_(comm),
        rank_(rank_of(comm)),
        ranks_(size_of(comm)),
        stream_(stream),
        in_place_(in_place),
        host_send_(count),
        host_recv_(count),
        send_(memory, host_send_.data(), count * sizeof(float)),
        recv_(memory, host_recv_.data(), count * sizeof(float)) {
    fill(stream);
  }

  void fill(std::uint64_t stream) {
    stream_ = stream;
    auto& host = in_place_ ? host_recv_ : host_send_;
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = datum(stream_, rank_, i);
    (in_place_ ? recv_ : send_).upload();
  }

  const void* send() { return in_place_ ? MPI_IN_PLACE : send_.data(); }
  void* recv() { return recv_.data(); }
  int count() const { return static_cast<int>(host_recv_.size()); }
  int begin() {
    return MPI_Iallreduce(send(), recv(), count(), MPI_FLOAT, MPI_SUM, comm_, &request);
  }
  void init() {
    MPI_Allreduce_init(send(), recv(), count(), MPI_FLOAT, MPI_SUM, comm_, MPI_INFO_NULL, &request);
  }
  void block() { MPI_Allreduce(send(), recv(), count(), MPI_FLOAT, MPI_SUM, comm_); }

  void check(Report& report) {
    recv_.download();
    for (std::size_t i = 0; i < host_recv_.size(); ++i) {
      float sum = 0;
      for (int rank = 0; rank < ranks_; ++rank) sum += datum(stream_, rank, i);
      if (host_recv_[i] != sum) {
        report.fail("element " + std::to_string(i) + " of " + std::to_string(count()) + " is " +
                    std::to_string(host_recv_[i]) + ", not " + std::to_string(sum));
        return;
      }
    }
  }

  MPI_Request request = MPI_REQUEST_NULL;

 private:
  MPI_Comm comm_;
  int rank_, ranks_;
  std::uint64_t stream_;
  bool in_place_;
  std::vector<float> host_send_, host_recv_;
  Mirrored send_, recv_;
};

struct Case {
  MPI_Comm comm;
  Memory memory;
  Choices choices;
  Choices own;  // differs between ranks
  long cases;
  bool cold;  // nothing is to set CERAR up before the case begins

  std::unique_ptr<Sum> next(std::size_t most = 40000) {
    const std::uint64_t stream = choices.below(1u << 30);
    const std::size_t count = choices.size_up_to(most);
    return std::make_unique<Sum>(comm, stream, count, choices.below(2) == 0, memory);
  }
};

inline void set_up(Case& test, Report& report) {
  auto sum = test.next();
  sum->block();
  sum->check(report);
}

inline void warm_up(Case& test, Report& report) {
  if (!test.cold) set_up(test, report);
}

inline Case case_of(int argc, char** argv) {
  const int rank = rank_of(MPI_COMM_WORLD);
  const auto seed = static_cast<std::uint64_t>(option(argc, argv, "seed", 1L));
  return {MPI_COMM_WORLD,
          memory_of(option(argc, argv, "memory", std::string("host")), rank),
          Choices(seed),
          Choices(mix(seed, static_cast<std::uint64_t>(rank))),
          option(argc, argv, "cases", 40L),
          option(argc, argv, "cold", 0L) != 0};
}

// Several threads with a communicator each.
inline void in_threads(Case& like, void (*run)(Case&, Report&), Report& report) {
  constexpr std::size_t kThreads = 3;
  std::vector<Case> cases(kThreads, like);
  std::vector<Report> reports(kThreads);
  for (std::size_t i = 0; i < kThreads; ++i) {
    MPI_Comm_dup(like.comm, &cases[i].comm);
    cases[i].choices = Choices(mix(like.choices.below(1u << 30), i));
  }
  std::vector<std::thread> pool;
  for (std::size_t i = 0; i < kThreads; ++i) {
    pool.emplace_back([&, i] { run(cases[i], reports[i]); });
  }
  for (std::thread& thread : pool) thread.join();
  for (std::size_t i = 0; i < kThreads; ++i) {
    report.check(reports[i].failures() == 0, "in thread " + std::to_string(i));
    MPI_Comm_free(&cases[i].comm);
  }
}

// The whole program: the mode is its first argument. "threads" gets MPI_THREAD_MULTIPLE.
inline int run_mode(int argc, char** argv,
                    const std::map<std::string, void (*)(Case&, Report&)>& modes) {
  const std::string mode = argc > 1 ? argv[1] : "";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, mode == "threads" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  Case test = case_of(argc, argv);
  Report report;
  if (modes.count(mode) == 1) {
    modes.at(mode)(test, report);
  } else {
    report.fail("no mode '" + mode + "'");
  }
  const int status =
      report.finish(mode + ", seed " + std::to_string(option(argc, argv, "seed", 1L)));
  MPI_Finalize();
  return status;
}

}  // namespace cerar::mpi_test
