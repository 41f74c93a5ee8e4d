// All-reduces that CERAR passes on, on buffers in any memory: other operations and types, among
// them one with gaps.
//
//   device_calls --memory host|device|managed|mixed
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/mpi/mpi_test.hpp"

namespace {

using cerar::mpi_test::Memory;
using cerar::mpi_test::Mirrored;
using cerar::mpi_test::Report;

constexpr int kCount = 1000;

// The largest of the ranks' numbers in every second place; what is between stays as it was.
void largest_with_gaps(Memory memory, bool in_place, Report& report) {
  const int rank = cerar::mpi_test::rank_of(MPI_COMM_WORLD);
  const int ranks = cerar::mpi_test::size_of(MPI_COMM_WORLD);
  std::vector<std::int32_t> send(2 * kCount), recv(2 * kCount);
  for (int i = 0; i < 2 * kCount; ++i) send[i] = recv[i] = 100 * i + rank;
  Mirrored from(memory, send.data(), send.size() * 4), to(memory, recv.data(), recv.size() * 4);
  from.upload(), to.upload();

  MPI_Datatype type;
  MPI_Type_create_resized(MPI_INT32_T, 0, 8, &type);
  MPI_Type_commit(&type);
  // Predefined operations take predefined types only.
  MPI_Op op;
  MPI_Op_create(
      [](void* in, void* inout, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count; ++i) {
          auto& mine = static_cast<std::int32_t*>(inout)[2 * i];
          mine = std::max(mine, static_cast<std::int32_t*>(in)[2 * i]);
        }
      },
      1, &op);
  MPI_Allreduce(in_place ? MPI_IN_PLACE : from.data(), to.data(), kCount, type, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  MPI_Type_free(&type);

  to.download();
  for (int i = 0; i < 2 * kCount; ++i) {
    report.check(recv[i] == 100 * i + (i % 2 == 0 ? ranks - 1 : rank), "largest, with gaps");
  }
}

void sum_of_integers(Memory memory, bool in_place, Report& report) {
  const int rank = cerar::mpi_test::rank_of(MPI_COMM_WORLD);
  const int ranks = cerar::mpi_test::size_of(MPI_COMM_WORLD);
  std::vector<std::int64_t> send(kCount), recv(kCount);
  for (int i = 0; i < kCount; ++i) send[i] = recv[i] = i + rank;
  Mirrored from(memory, send.data(), send.size() * 8), to(memory, recv.data(), recv.size() * 8);
  from.upload(), to.upload();
  MPI_Allreduce(in_place ? MPI_IN_PLACE : from.data(), to.data(), kCount, MPI_INT64_T, MPI_SUM,
                MPI_COMM_WORLD);
  to.download();
  for (int i = 0; i < kCount; ++i) {
    report.check(recv[i] == ranks * (i + static_cast<std::int64_t>(ranks - 1) / 2) +
                                (ranks % 2 == 0 ? ranks / 2 : 0),
                 "sum of integers");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto name = cerar::mpi_test::option(argc, argv, "memory", std::string("host"));
  const Memory memory = cerar::mpi_test::memory_of(name, cerar::mpi_test::rank_of(MPI_COMM_WORLD));
  Report report;
  for (const bool in_place : {false, true}) {
    largest_with_gaps(memory, in_place, report);
    sum_of_integers(memory, in_place, report);
  }
  const int status = report.finish("calls passed on, memory " + name);
  MPI_Finalize();
  return status;
}
