// Several threads, each on a communicator of its own, under MPI_THREAD_MULTIPLE. The runner sets
// c = N, so all results are plain sums: of whole numbers, exact ones.
//
//   threads [--threads T] [--calls K] [--seed S]
#include <thread>
#include <vector>

#include "tests/mpi/mpi_test.hpp"

namespace {

using cerar::mpi_test::Choices;

// Returns the number of wrong elements.
long reduce_often(MPI_Comm comm, std::uint64_t seed, long calls) {
  const int ranks = cerar::mpi_test::size_of(comm), rank = cerar::mpi_test::rank_of(comm);
  Choices choices(seed);
  long wrong = 0;
  for (long call = 0; call < calls; ++call) {
    const std::size_t count = choices.size_up_to(60000);
    const std::uint64_t stream = choices.below(1u << 30);
    const auto datum = [&](int of, std::size_t i) {
      return static_cast<float>(cerar::mpi_test::mix(stream + static_cast<std::uint64_t>(of), i) %
                                1000);
    };
    std::vector<float> send(count), recv(count);
    for (std::size_t i = 0; i < count; ++i) send[i] = datum(rank, i);
    MPI_Allreduce(send.data(), recv.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM, comm);
    for (std::size_t i = 0; i < count; ++i) {
      float sum = 0;
      for (int of = 0; of < ranks; ++of) sum += datum(of, i);
      wrong += recv[i] != sum;
    }
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const auto threads = static_cast<std::size_t>(cerar::mpi_test::option(argc, argv, "threads", 3L));
  const long calls = cerar::mpi_test::option(argc, argv, "calls", 20L);
  const auto seed = static_cast<std::uint64_t>(cerar::mpi_test::option(argc, argv, "seed", 1L));
  cerar::mpi_test::Report report;
  report.check(provided == MPI_THREAD_MULTIPLE, "no MPI_THREAD_MULTIPLE");

  std::vector<MPI_Comm> comms(threads);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<long> wrong(threads, 0);
  std::vector<std::thread> pool;
  for (std::size_t i = 0; i < threads && report.failures() == 0; ++i) {
    pool.emplace_back([&, i] { wrong[i] = reduce_often(comms[i], seed + i, calls); });
  }
  for (std::thread& thread : pool) thread.join();
  for (const long count : wrong) {
    report.check(count == 0, std::to_string(count) + " wrong elements in a thread");
  }
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  const int status =
      report.finish(std::to_string(threads) + " threads, seed " + std::to_string(seed));
  MPI_Finalize();
  return status;
}
