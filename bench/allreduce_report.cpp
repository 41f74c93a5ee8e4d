#include "bench/allreduce_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace cerar::bench {

double percentile(const std::vector<double>& sorted, double percent) {
  const std::size_t n = sorted.size();
  if (percent == 50 && n % 2 == 0) return (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(n)));
  return sorted[std::clamp<std::size_t>(rank, 1, n) - 1];
}

Latency summarize(const std::vector<double>& seconds, MPI_Comm comm) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int n = static_cast<int>(seconds.size());
  const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / n * 1e6;
  Latency latency;
  MPI_Reduce(&mean, &latency.average, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
  MPI_Reduce(&mean, &latency.minimum, 1, MPI_DOUBLE, MPI_MIN, 0, comm);
  MPI_Reduce(&mean, &latency.maximum, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
  latency.average /= size;

  std::vector<double> slowest(seconds.size());
  MPI_Reduce(seconds.data(), slowest.data(), n, MPI_DOUBLE, MPI_MAX, 0, comm);
  std::sort(slowest.begin(), slowest.end());
  latency.median = percentile(slowest, 50) * 1e6;
  latency.percentile_90 = percentile(slowest, 90) * 1e6;
  latency.percentile_99 = percentile(slowest, 99) * 1e6;
  return latency;
}

double bus_bandwidth(std::size_t bytes, int ranks, double microseconds) {
  return 2.0 * (ranks - 1) / ranks * static_cast<double>(bytes) / microseconds;
}

bool passes(const Options& options, const Deviation& deviation) {
  return deviation.error <= options.tolerance;
}

void print_header(const Options& options, DataType type, int ranks) {
  std::printf("\n# MPI Allreduce Latency Test, %d ranks%s\n# Datatype: %s.\n", ranks,
              options.in_place ? ", in place" : "", name_of(type));
  std::printf("%-10s%18s", "# Size", "Avg Latency(us)");
  if (options.full) {
    std::printf("%18s%18s%12s", "Min Latency(us)", "Max Latency(us)", "Iterations");
  }
  std::printf("%18s", "Median(us)");
  if (options.percentiles) std::printf("%18s%18s", "P90(us)", "P99(us)");
  std::printf("%18s", "Bus BW(MB/s)");
  if (options.validate) std::printf("%14s%14s%14s", "Rel Error", "Spread", "Validation");
  std::printf("\n");
  std::fflush(stdout);
}

void print_line(const Options& options, std::size_t bytes, int ranks, const Latency& latency,
                const std::optional<Deviation>& deviation) {
  std::printf("%-10zu%18.2f", bytes, latency.average);
  if (options.full) {
    std::printf("%18.2f%18.2f%12d", latency.minimum, latency.maximum, options.iterations_of(bytes));
  }
  std::printf("%18.2f", latency.median);
  if (options.percentiles) {
    std::printf("%18.2f%18.2f", latency.percentile_90, latency.percentile_99);
  }
  std::printf("%18.2f", bus_bandwidth(bytes, ranks, latency.median));
  if (deviation) {
    std::printf("%14.2e%14.2e%14s", deviation->error, deviation->spread,
                passes(options, *deviation) ? "Pass" : "Fail");
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace cerar::bench
