// The command line of cerar_allreduce.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/device_memory.hpp"

namespace cerar::bench {

enum class DataType { kFloat, kDouble };

std::size_t size_of(DataType type);  // bytes
const char* name_of(DataType type);  // as MPI names it

struct Options {
  std::size_t min_bytes = 4;
  std::size_t max_bytes = std::size_t{1} << 20;
  std::vector<DataType> types = {DataType::kFloat};
  std::optional<int> iterations;
  std::optional<int> warmup;
  std::optional<int> validation_warmup;
  bool validate = false;
  bool full = false;
  bool in_place = false;
  bool percentiles = false;
  Memory memory = Memory::host;
  double tolerance = 2e-2;
  std::uint64_t seed = 1;

  // What -i, -x, -u and their defaults make of one message size.
  int iterations_of(std::size_t bytes) const;
  int warmup_of(std::size_t bytes) const;
};

// Collective. The command line of rank 0 counts; it alone prints what there is to say. Without a
// value the program is to end with `exit_status`, on all ranks the same: 0 after --help, 2 if the
// command line is wrong.
std::optional<Options> parse_options(int argc, char** argv, MPI_Comm comm, int& exit_status);

// The same for one process. `message` gets the help text, or what was wrong and what was expected.
std::optional<Options> parse_options(const std::vector<std::string>& arguments,
                                     std::string& message, int& exit_status);

}  // namespace cerar::bench
