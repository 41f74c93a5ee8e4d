// Sums of a given magnitude, for what the component says of them.
//
//   range [--scale X] [--at RANK] [--calls K] [--count D]
//
// Rank RANK (-1: every rank) has numbers of magnitude X, the others of magnitude 1.
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/mpi/mpi_test.hpp"

int main(int argc, char** argv) {
  using cerar::mpi_test::option;
  MPI_Init(&argc, &argv);
  const int rank = cerar::mpi_test::rank_of(MPI_COMM_WORLD);
  // Not stof, which refuses numbers below the smallest normal one.
  const float scale = std::strtof(option(argc, argv, "scale", std::string("1")).c_str(), nullptr);
  const long at = option(argc, argv, "at", -1L);
  const auto count = static_cast<std::size_t>(option(argc, argv, "count", 100000L));
  std::vector<float> send(count), recv(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto datum = static_cast<float>(cerar::mpi_test::mix(rank, i) % 2001) / 1000 - 1;
    send[i] = at < 0 || at == rank ? scale * datum : datum;
  }
  const long calls = option(argc, argv, "calls", 1L);
  for (long call = 0; call < calls; ++call) {
    MPI_Allreduce(send.data(), recv.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
