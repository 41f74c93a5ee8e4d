// Every rank waits inside MPI for its right neighbour, which sends only after its own all-reduce:
// what the ended call has still queued for that neighbour has to go out meanwhile.
//
// Ranks stall now and then, as on a busy machine, so that the connections to them fill up. The
// runner sets c = N: whole numbers have exact sums.
//
//   waiting [--calls K] [--count C] [--seed S]      C: elements of a call at most
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <vector>

#include "tests/mpi/mpi_test.hpp"

namespace {

void stall(int) {
  const timespec length{0, 10'000'000};
  nanosleep(&length, nullptr);
}

// Each rank at intervals of its own, so that all combinations come about.
void stall_now_and_then(int rank) {
  struct sigaction action {};
  action.sa_handler = stall;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  itimerval timer{};
  timer.it_value.tv_usec = timer.it_interval.tv_usec = 25'000 + 1'300 * rank;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

float datum(int rank, std::size_t i) { return static_cast<float>(rank + i % 1000); }

float sum(int ranks, std::size_t i) {
  float all = 0;
  for (int rank = 0; rank < ranks; ++rank) all += datum(rank, i);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long calls = cerar::mpi_test::option(argc, argv, "calls", 100L);
  const auto most =
      static_cast<std::uint64_t>(cerar::mpi_test::option(argc, argv, "count", 60000L));
  const auto seed = static_cast<std::uint64_t>(cerar::mpi_test::option(argc, argv, "seed", 1L));
  const int rank = cerar::mpi_test::rank_of(MPI_COMM_WORLD);
  const int ranks = cerar::mpi_test::size_of(MPI_COMM_WORLD);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  cerar::mpi_test::Report report;
  cerar::mpi_test::Choices choices(seed);

  stall_now_and_then(rank);
  for (long call = 0; call < calls; ++call) {
    std::vector<float> data(1 + choices.below(most));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = datum(rank, i);
    MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    int done = 0;
    MPI_Send(&rank, 1, MPI_INT, left, 0, MPI_COMM_WORLD);
    MPI_Recv(&done, 1, MPI_INT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    long wrong = 0;
    for (std::size_t i = 0; i < data.size(); ++i) wrong += data[i] != sum(ranks, i);
    report.check(wrong == 0, std::to_string(wrong) + " wrong elements");
  }
  const int status = report.finish(std::to_string(calls) + " calls, seed " + std::to_string(seed));
  MPI_Finalize();
  return status;
}
