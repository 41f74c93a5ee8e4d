// Prints a line for every kernel: what it took relative to the plain loops beside it.
#pragma once

#include <benchmark/benchmark.h>

#include <vector>

namespace cerar::bench {

// For benchmarks with the counters over_plain and over_triad that process bytes. The line gives the
// medians of the repetitions, of which there must be two or more, and in percent how far these lie
// apart: standard deviation over mean.
class RatioReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
};

}  // namespace cerar::bench
