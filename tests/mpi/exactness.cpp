// Says whether MPI_Allreduce is exact here: sums of whole numbers are, whatever their order, unless
// CERAR runs them with c > N.
//
//   exactness [--count D] [--calls K] [--type float|double|both]
//
// Prints "result: exact" or "result: approximate"; fails if a result is not even approximate.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/mpi/mpi_test.hpp"

namespace {

struct Outcome {
  int inexact = 0;
  int wrong = 0;
};

template <class T>
Outcome measure(std::size_t count, long calls, MPI_Datatype type) {
  const int rank = cerar::mpi_test::rank_of(MPI_COMM_WORLD);
  const int ranks = cerar::mpi_test::size_of(MPI_COMM_WORLD);
  const auto datum = [](int of, std::size_t i) {
    return static_cast<T>(cerar::mpi_test::mix(static_cast<std::uint64_t>(of), i) % 2001) - 1000;
  };
  std::vector<T> send(count), recv(count);
  for (std::size_t i = 0; i < count; ++i) send[i] = datum(rank, i);
  Outcome outcome;
  for (long call = 0; call < calls; ++call) {
    MPI_Allreduce(send.data(), recv.data(), static_cast<int>(count), type, MPI_SUM, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < count; ++i) {
      T sum = 0;
      for (int of = 0; of < ranks; ++of) sum += datum(of, i);
      if (recv[i] != sum) outcome.inexact = 1;
      if (!(std::abs(recv[i] - sum) <= 300 * ranks)) outcome.wrong = 1;
    }
  }
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto count =
      static_cast<std::size_t>(cerar::mpi_test::option(argc, argv, "count", 100000L));
  const long calls = cerar::mpi_test::option(argc, argv, "calls", 1L);
  const auto type = cerar::mpi_test::option(argc, argv, "type", std::string("float"));
  Outcome mine;
  if (type != "float") mine = measure<double>(count, calls, MPI_DOUBLE);
  if (type != "double") {
    const Outcome floats = measure<float>(count, calls, MPI_FLOAT);
    mine = {std::max(mine.inexact, floats.inexact), std::max(mine.wrong, floats.wrong)};
  }

  int inexact = 0, wrong = 0;
  MPI_Reduce(&mine.inexact, &inexact, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&mine.wrong, &wrong, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (cerar::mpi_test::rank_of(MPI_COMM_WORLD) == 0) {
    std::printf("result: %s\n", wrong != 0 ? "wrong" : inexact != 0 ? "approximate" : "exact");
    std::fflush(stdout);
  }
  MPI_Finalize();
  return wrong;
}
