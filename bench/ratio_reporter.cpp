#include "bench/ratio_reporter.hpp"

#include <cstdio>
#include <iostream>
#include <string>

namespace cerar::bench {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

// A counter's value for the whole of the repetitions: "median" or "cv".
double value(const std::vector<Run>& aggregates, const char* which, const char* counter) {
  for (const Run& run : aggregates) {
    if (run.aggregate_name == which) return run.counters.at(counter);
  }
  return 0;
}

}  // namespace

bool RatioReporter::ReportContext(const Context& context) {
  PrintBasicContext(&std::cerr, context);
  std::printf("%-42s %8s %12s %6s %12s %6s\n", "processor time of kernel", "GB/s", "over plain",
              "cv", "over triad", "cv");
  return true;
}

void RatioReporter::ReportRuns(const std::vector<Run>& runs) {
  if (runs.front().run_type != Run::RT_Aggregate) return;
  std::printf("%-42s %8.1f %12.2f %5.1f%% %12.2f %5.1f%%\n",
              runs.front().run_name.function_name.c_str(),
              value(runs, "median", "bytes_per_second") * 1e-9, value(runs, "median", "over_plain"),
              100 * value(runs, "cv", "over_plain"), value(runs, "median", "over_triad"),
              100 * value(runs, "cv", "over_triad"));
  std::fflush(stdout);
}

}  // namespace cerar::bench
