// Many communicators: duplicated, split in turn by several rules, used in a mixed order, freed in
// another, some never freed. With c = N on each (c is 2·N by default, so the runner sets nothing
// and limits are those of q = 1).
//
//   communicators [--seed S] [--rounds K]
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/mpi/limits.hpp"
#include "tests/mpi/mpi_test.hpp"

namespace {

using cerar::mpi_test::Choices;
using cerar::mpi_test::Report;

constexpr std::size_t kCount = 3000;

void reduce_on(MPI_Comm comm, std::uint64_t stream, Report& report) {
  const int ranks = cerar::mpi_test::size_of(comm), rank = cerar::mpi_test::rank_of(comm);
  const auto datum = [&](int of, std::size_t i) {
    return cerar::mpi_test::uniform(stream + static_cast<std::uint64_t>(of), i);
  };
  std::vector<double> data(kCount);
  for (std::size_t i = 0; i < kCount; ++i) data[i] = datum(rank, i);
  MPI_Allreduce(MPI_IN_PLACE, data.data(), kCount, MPI_DOUBLE, MPI_SUM, comm);
  double error2 = 0, expected2 = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    double sum = 0;
    for (int of = 0; of < ranks; ++of) {
      sum += datum(of, i);
      expected2 += datum(of, i) * datum(of, i);
    }
    error2 += (data[i] - sum) * (data[i] - sum);
  }
  const cerar::mpi_test::Code code{ranks, 2 * ranks, 0};
  const double limit =
      cerar::mpi_test::relative_limit<double>(code) * cerar::mpi_test::scatter(kCount);
  report.check(std::sqrt(error2 / expected2) <= limit,
               "relative error " + std::to_string(std::sqrt(error2 / expected2)) + " on " +
                   std::to_string(ranks) + " ranks");
}

// A new communicator out of an old one; all of its ranks make the same choice.
MPI_Comm derive(MPI_Comm parent, std::uint64_t choice) {
  MPI_Comm made = MPI_COMM_NULL;
  const int rank = cerar::mpi_test::rank_of(parent), size = cerar::mpi_test::size_of(parent);
  switch (choice % 4) {
    case 0:
      MPI_Comm_dup(parent, &made);
      break;
    case 1:  // odd and even
      MPI_Comm_split(parent, rank % 2, rank, &made);
      break;
    case 2:  // in reverse order
      MPI_Comm_split(parent, 0, size - rank, &made);
      break;
    default:  // all but the last
      MPI_Comm_split(parent, rank == size - 1 ? MPI_UNDEFINED : 0, rank, &made);
      break;
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto seed = static_cast<std::uint64_t>(cerar::mpi_test::option(argc, argv, "seed", 1L));
  const long rounds = cerar::mpi_test::option(argc, argv, "rounds", 40L);
  Report report;
  Choices choices(seed);
  std::vector<MPI_Comm> comms;
  for (long round = 0; round < rounds; ++round) {
    comms.push_back(derive(MPI_COMM_WORLD, choices.below(4)));
    const std::uint64_t uses = choices.below(4);
    for (std::uint64_t use = 0; use < uses; ++use) {
      MPI_Comm comm = comms[choices.below(comms.size())];
      const std::uint64_t stream = choices.below(1u << 30);
      if (comm != MPI_COMM_NULL) reduce_on(comm, stream, report);
    }
    if (comms.size() < 6) continue;
    const auto victim = static_cast<std::ptrdiff_t>(choices.below(comms.size()));
    if (comms[static_cast<std::size_t>(victim)] != MPI_COMM_NULL) {
      MPI_Comm_free(&comms[static_cast<std::size_t>(victim)]);
    }
    comms.erase(comms.begin() + victim);
  }
  // The last ones are left to MPI_Finalize.
  const int status =
      report.finish(std::to_string(rounds) + " communicators, seed " + std::to_string(seed));
  MPI_Finalize();
  return status;
}
