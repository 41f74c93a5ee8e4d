// Carries out a list of steps about a communicator's hints:
//
//   hints [--count D] [--locale] STEP…
//
//   dup:HINTS   a duplicate of MPI_COMM_WORLD, made with these hints, is the communicator from here
//               on; before the first it is MPI_COMM_WORLD
//   set:HINTS   MPI_Comm_set_info
//   reduce      prints "reduce: exact" or "reduce: approximate" (sums of whole numbers are exact,
//               unless an approximate code runs them)
//   get         prints what MPI_Comm_get_info has: "get: cerar_enable=… cerar_tolerance=…
//               cerar_components=… cerar_segment_bytes=… on rank …"
//
// HINTS is key=value,… ; key=value@r gives the hint on rank r alone. --locale: the environment's
// locale is set, and before MPI_Init.
#include <clocale>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "tests/mpi/mpi_test.hpp"

namespace {

using cerar::mpi_test::rank_of;

MPI_Info make_info(const std::string& hints, int rank) {
  MPI_Info info;
  MPI_Info_create(&info);
  std::istringstream list(hints);
  for (std::string hint; std::getline(list, hint, ',');) {
    const auto at = hint.find('@');
    if (at != std::string::npos && std::stoi(hint.substr(at + 1)) != rank) continue;
    const auto equal = hint.find('=');
    const std::string value = hint.substr(equal + 1, at - equal - 1);
    MPI_Info_set(info, hint.substr(0, equal).c_str(), value.c_str());
  }
  return info;
}

// All ranks see the worst that any has.
int worst(int mine, MPI_Comm comm) {
  int all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_MAX, 0, comm);
  MPI_Bcast(&all, 1, MPI_INT, 0, comm);
  return all;
}

// 0: exact, 1: approximate, 2: wrong.
int reduce(MPI_Comm comm, std::size_t count) {
  const int rank = rank_of(comm), ranks = cerar::mpi_test::size_of(comm);
  const auto datum = [](int of, std::size_t i) {
    return static_cast<float>(cerar::mpi_test::mix(static_cast<std::uint64_t>(of), i) % 2001) -
           1000;
  };
  std::vector<float> send(count), recv(count);
  for (std::size_t i = 0; i < count; ++i) send[i] = datum(rank, i);
  MPI_Allreduce(send.data(), recv.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM, comm);
  int mine = 0;
  for (std::size_t i = 0; i < count; ++i) {
    float sum = 0;
    for (int of = 0; of < ranks; ++of) sum += datum(of, i);
    if (recv[i] != sum) mine = std::max(mine, 1);
    if (!(std::abs(recv[i] - sum) <= 100 * static_cast<float>(ranks))) mine = 2;
  }
  return worst(mine, comm);
}

std::string value_of(MPI_Info info, const char* key) {
  char value[MPI_MAX_INFO_VAL + 1];
  int found = 0;
  MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
  return found != 0 ? value : "none";
}

void print_hints(MPI_Comm comm) {
  MPI_Info info;
  MPI_Comm_get_info(comm, &info);
  std::string line = "get:";
  for (const std::string key : {"enable", "tolerance", "components", "segment_bytes"}) {
    line += " cerar_" + key + "=" + value_of(info, ("cerar_" + key).c_str());
  }
  std::printf("%s on rank %d\n", line.c_str(), rank_of(comm));
  MPI_Info_free(&info);
  std::fflush(stdout);
}

void take(const std::string& step, MPI_Comm& comm, std::size_t count) {
  static const char* const results[] = {"exact", "approximate", "wrong"};
  const bool first = rank_of(MPI_COMM_WORLD) == 0;
  if (step == "reduce") {
    const int result = reduce(comm, count);
    if (first) std::printf("reduce: %s\n", results[result]);
  } else if (step == "get") {
    print_hints(comm);
  } else {
    MPI_Info info = make_info(step.substr(4), rank_of(MPI_COMM_WORLD));
    if (step.rfind("set:", 0) == 0) MPI_Comm_set_info(comm, info);
    if (step.rfind("dup:", 0) == 0) {
      if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
      MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    }
    MPI_Info_free(&info);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--locale") == 0 && std::setlocale(LC_ALL, "") == nullptr) return 77;
  }
  MPI_Init(&argc, &argv);
  const auto count =
      static_cast<std::size_t>(cerar::mpi_test::option(argc, argv, "count", 100000L));
  MPI_Comm comm = MPI_COMM_WORLD;
  for (int i = 1; i < argc; ++i) {
    const std::string step = argv[i];
    if (step == "--count") ++i;
    if (step.rfind("--", 0) != 0) take(step, comm, count);
  }
  if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
