#include "bench/ratio_reporter.hpp"

#include <cstdio>

namespace cerar::bench {

void RatioReporter::ReportRuns(const std::vector<Run>& runs) {
  ConsoleReporter::ReportRuns(runs);
  for (const Run& run : runs) {
    if (run.aggregate_name != "median") continue;
    const std::string name = run.run_name.function_name;
    const std::size_t slash = name.rfind('/');
    Medians& medians = medians_[name.substr(0, slash)];
    const std::string what = name.substr(slash + 1);
    const double time = run.GetAdjustedCPUTime();
    if (what == "kernel") {
      medians.kernel = time;
      medians.bytes_per_ns = run.counters.at("bytes_per_second") * 1e-9;
    }
    if (what == "plain") medians.plain = time;
    if (what == "triad") medians.triad = time;
  }
}

void RatioReporter::Finalize() {
  ConsoleReporter::Finalize();
  std::printf("\n%-44s %8s %12s %12s\n", "median processor time of kernel", "GB/s", "over plain",
              "over triad");
  for (const auto& [name, medians] : medians_) {
    if (medians.kernel == 0 || medians.plain == 0 || medians.triad == 0) continue;
    std::printf("%-44s %8.1f %12.2f %12.2f\n", name.c_str(), medians.bytes_per_ns,
                medians.kernel / medians.plain, medians.kernel / medians.triad);
  }
}

}  // namespace cerar::bench
