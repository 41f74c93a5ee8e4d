// From the ranks' timings to the lines of the table.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "bench/allreduce_check.hpp"
#include "bench/allreduce_options.hpp"

namespace cerar::bench {

// All in microseconds.
struct Latency {
  // Over ranks, of each rank's mean over iterations.
  double average = 0, minimum = 0, maximum = 0;
  // Over iterations, of the slowest rank's time in each.
  double median = 0, percentile_90 = 0, percentile_99 = 0;
};

// Collective; `seconds` are this rank's, one an iteration, the same number on all ranks. Rank 0
// gets the result.
Latency summarize(const std::vector<double>& seconds, MPI_Comm comm);

// The smallest of the sorted samples that at least `percent` % of them do not exceed; 50 gives the
// mean of the middle two if their number is even.
double percentile(const std::vector<double>& sorted, double percent);

// What the links carry at least in an exact all-reduce, per rank: 2(N − 1)/N · bytes over the time,
// in MB/s.
double bus_bandwidth(std::size_t bytes, int ranks, double microseconds);

void print_header(const Options& options, DataType type, int ranks);
void print_line(const Options& options, std::size_t bytes, int ranks, const Latency& latency,
                const std::optional<Deviation>& deviation);

// Whether -c calls it passed; NaN does not.
bool passes(const Options& options, const Deviation& deviation);

}  // namespace cerar::bench
