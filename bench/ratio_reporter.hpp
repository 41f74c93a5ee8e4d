// Prints, after Google Benchmark's own report, what every kernel took relative to the plain loops
// beside it.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace cerar::bench {

// Benchmarks are named CASE/kernel, CASE/plain and CASE/triad, where the last two move the same
// bytes as the first.
class RatioReporter : public benchmark::ConsoleReporter {
 public:
  RatioReporter() : ConsoleReporter(OO_None) {}

  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  struct Medians {
    double kernel = 0, plain = 0, triad = 0;  // processor time, in ns
    double bytes_per_ns = 0;                  // of the kernel
  };
  std::map<std::string, Medians> medians_;
};

}  // namespace cerar::bench
