// cerar_plan: which code an all-reduce would run, and what it is predicted to cost.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "core/plan/chart.hpp"
#include "core/plan/options.hpp"
#include "core/plan/planner.hpp"
#include "core/plan/report.hpp"

namespace cerar::plan {
namespace {

int run(const Options& options) {
  const std::vector<Plan> plans = candidates(options.request);
  if (!options.plot.empty()) {
    std::ofstream file(options.plot);
    file << chart(options.request, plans) << std::flush;
    if (!file) {
      std::fprintf(stderr, "cerar_plan: cannot write %s: %s\n", options.plot.c_str(),
                   std::strerror(errno));
      return 1;
    }
  }
  const std::string text =
      options.json ? json(options.request, plans) : table(options.request, plans);
  return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cerar::plan

int main(int argc, char** argv) {
  try {
    cerar::plan::Ending ending;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto options = cerar::plan::parse_options(arguments, ending);
    if (options) return cerar::plan::run(*options);
    std::fputs(ending.message.c_str(), ending.status == 0 ? stdout : stderr);
    return ending.status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cerar_plan: %s\n", error.what());
    return 1;
  }
}
