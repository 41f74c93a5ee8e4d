// What the programs under mpirun share: options, data that every rank can make for every other, and
// an end that all ranks agree on.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bench/device_memory.hpp"

namespace cerar::mpi_test {

using bench::Memory;
using bench::Mirrored;

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

// The text after --name on the command line, or `otherwise`.
inline std::string option(int argc, char** argv, const std::string& name,
                          const std::string& otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] == "--" + name) return argv[i + 1];
  }
  return otherwise;
}

inline long option(int argc, char** argv, const std::string& name, long otherwise) {
  return std::stol(option(argc, argv, name, std::to_string(otherwise)));
}

// "host", "device", "managed"; "mixed": the rank decides.
inline Memory memory_of(const std::string& name, int rank) {
  static constexpr Memory kinds[] = {Memory::device, Memory::host, Memory::managed};
  if (name == "host") return Memory::host;
  if (name == "device") return Memory::device;
  if (name == "managed") return Memory::managed;
  if (name == "mixed") return kinds[rank % 3];
  std::fprintf(stderr, "--memory %s: expected host, device, managed or mixed\n", name.c_str());
  std::exit(2);
}

// Numbers that depend on nothing but their arguments, so that any rank knows any other's data.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return mix(mix(a) ^ b); }

// Even in [−1, 1).
inline double uniform(std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(static_cast<std::int64_t>(mix(stream, index))) * 0x1p-63;
}

// A sequence of choices that is the same on all ranks.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : state_(seed) {}
  // 0 … n − 1.
  std::uint64_t below(std::uint64_t n) { return mix(state_, ++index_) % n; }
  // 1 … n, evenly in its logarithm.
  std::uint64_t size_up_to(std::uint64_t n) {
    std::uint64_t limit = 1;
    const std::uint64_t doublings = below(64 - static_cast<unsigned>(__builtin_clzll(n)) + 1);
    for (std::uint64_t i = 0; i < doublings && limit < n; ++i) limit *= 2;
    return 1 + below(limit < n ? limit : n);
  }

 private:
  std::uint64_t state_, index_ = 0;
};

// Counts what went wrong; the first few are printed.
class Report {
 public:
  void fail(const std::string& what) {
    if (++failures_ <= 5)
      std::fprintf(stderr, "FAIL rank %d: %s\n", rank_of(MPI_COMM_WORLD), what.c_str());
  }
  void check(bool good, const std::string& what) {
    if (!good) fail(what);
  }
  long failures() const { return failures_; }

  // Collective, without an all-reduce: they are what is being tested and counted. The exit status.
  int finish(const std::string& what) const {
    long all = 0;
    MPI_Reduce(&failures_, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(&all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank_of(MPI_COMM_WORLD) == 0) {
      std::printf("%s: %s\n", all == 0 ? "ok" : "FAILED", what.c_str());
      std::fflush(stdout);
    }
    return all == 0 ? 0 : 1;
  }

 private:
  long failures_ = 0;
};

}  // namespace cerar::mpi_test
