// cerar_tune: times all-reduces on the ranks that it runs on, and writes the rules that choose the
// fastest.
#include <fmt/format.h>
#include <mpi.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "bench/mpi_session.hpp"
#include "bench/tune_calls.hpp"
#include "bench/tune_candidates.hpp"
#include "bench/tune_chart.hpp"
#include "bench/tune_options.hpp"
#include "bench/tune_progress.hpp"
#include "bench/tune_rules.hpp"
#include "core/plan/report.hpp"
#include "core/plan/units.hpp"

namespace cerar::tune {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

// Time is shared out by size; small ones take some in any case.
double weight(std::size_t bytes) { return static_cast<double>(bytes) + (256 << 10); }

class Tuning {
 public:
  Tuning(const Ranks& ranks, const Settings& settings, Progress& progress)
      : ranks_(ranks),
        settings_(settings),
        progress_(progress),
        one_node_(ranks.one_node()),
        begin_(Calls::Clock::now()) {
    for (const std::size_t bytes : settings.sizes()) weight_left_ += weight(bytes);
    weight_left_ *= static_cast<double>(types().size());
  }

  std::vector<Sweep> run() {
    std::vector<Sweep> sweeps;
    for (const cerar_type_t type : types()) sweeps.push_back(sweep(type));
    return sweeps;
  }

 private:
  std::vector<cerar_type_t> types() const {
    std::vector<cerar_type_t> types;
    if (settings_.floats) types.push_back(CERAR_FLOAT);
    if (settings_.doubles) types.push_back(CERAR_DOUBLE);
    return types;
  }

  Sweep sweep(cerar_type_t type) {
    Sweep sweep{type, {}};
    std::vector<int> components = components_for(ranks_.size(), type, settings_.tolerance);
    Dropper dropper(ranks_.size());
    std::optional<Configuration> neighbour;
    for (const std::size_t bytes : settings_.sizes()) {
      const SearchSpace space{bytes, components,
                              first_segments(components, ranks_.size(), type, bytes, one_node_),
                              neighbour, settings_.iterations};
      sweep.sizes.push_back(measure(space, type));
      neighbour = fastest(sweep.sizes.back()).configuration;
      dropper.drop(sweep.sizes.back(), components);
    }
    return sweep;
  }

  Measured measure(const SearchSpace& space, cerar_type_t type) {
    const std::string what =
        fmt::format("{} {}", plan::name_of(type), plan::format_bytes(space.bytes));
    const auto show = [&](std::size_t configurations, int round, int rounds) {
      progress_.now(fmt::format("{}: {} ways, turn {} of {} ({})", what, configurations, round,
                                rounds, elapsed_text()));
    };
    const double seconds = settings_.seconds - elapsed();
    const auto share = std::chrono::duration_cast<Calls::Clock::duration>(
        std::chrono::duration<double>(seconds * weight(space.bytes) / weight_left_));
    weight_left_ -= weight(space.bytes);
    Calls calls(ranks_, type, space.bytes, Calls::Clock::now() + share, show);
    const Measured measured = search(space, calls);
    tell(what, measured);
    return measured;
  }

  void tell(const std::string& what, const Measured& measured) {
    const Timing& best = fastest(measured);
    const double own = find(measured, Configuration{})->seconds;
    progress_.done(fmt::format("{}: {} in {}; Open MPI's own in {} ({})", what,
                               action_of(best.configuration, ranks_.size()),
                               plan::format_seconds(best.seconds), plan::format_seconds(own),
                               elapsed_text()));
  }

  double elapsed() const {
    return std::chrono::duration<double>(Calls::Clock::now() - begin_).count();
  }
  std::string elapsed_text() const {
    return fmt::format("{:.0f} s of about {:g}", elapsed(), settings_.seconds);
  }

  const Ranks& ranks_;
  const Settings& settings_;
  Progress& progress_;
  bool one_node_;
  Calls::Clock::time_point begin_;
  double weight_left_ = 0;
};

// Whether CERAR is there, on all ranks.
bool have_cerar(const Ranks& ranks) {
  const Communicator communicator(ranks, {ranks.size(), 16 << 10});
  const int mine = CallCounter(communicator.get()).calls() >= 0;
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, ranks.comm());
  return all != 0;
}

// "" if it can run.
std::string why_not(const Ranks& ranks, const Options& options) {
  if (ranks.size() < 2) return "1 rank, expected 2 or more: mpirun -n RANKS cerar_tune";
  for (const std::string& file : {options.output, options.plot}) {
    const std::string why = file.empty() ? "" : why_not_writable(file);
    if (!why.empty()) return fmt::format("cannot write {}: {}", file, why);
  }
  return "";
}

bool write(const std::string& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text << std::flush;
  if (stream) return true;
  std::fprintf(stderr, "cerar_tune: cannot write %s: %s\n", file.c_str(), std::strerror(errno));
  return false;
}

// Rules that can't be written to their file are printed: they took time.
bool report(const std::vector<Sweep>& sweeps, const Facts& facts, const Options& options) {
  const std::string rules = rules_text(sweeps, facts);
  bool good = options.plot.empty() || write(options.plot, chart(sweeps, facts));
  if (!options.output.empty() && write(options.output, rules)) return good;
  good = good && options.output.empty();
  return std::fputs(rules.c_str(), stdout) >= 0 && std::fflush(stdout) == 0 && good;
}

// Rank 0's command line counts. The exit status, the same on all ranks.
int run(const Ranks& ranks, std::optional<Options> options, plan::Ending ending) {
  const bool first = ranks.rank() == 0;
  if (first && options) {
    const std::string why = why_not(ranks, *options);
    if (!why.empty()) {
      options.reset();
      ending = {"cerar_tune: " + why + "\n", 2};
    }
  }
  if (!ranks.of_first(options.has_value())) {
    if (first) std::fputs(ending.message.c_str(), ending.status == 0 ? stdout : stderr);
    return ranks.of_first(ending.status);
  }
  if (!have_cerar(ranks)) {
    if (first) {
      std::fputs(
          "cerar_tune: Open MPI does not use the component cerar on all ranks: it is not where "
          "components are looked for, or the parameter coll leaves it out\n",
          stderr);
    }
    return 2;
  }
  const Settings settings = ranks.of_first(options.value_or(Options{}).settings);
  Progress progress(stderr, first && !options->quiet);
  const std::vector<Sweep> sweeps = Tuning(ranks, settings, progress).run();
  if (!first) return ranks.of_first(0);
  return ranks.of_first(report(sweeps, {ranks.size(), settings.tolerance, today()}, *options) ? 0
                                                                                              : 1);
}

int run_safely(const Ranks& ranks, const std::optional<Options>& options,
               const plan::Ending& ending) {
  try {
    return run(ranks, options, ending);
  } catch (const Refusal& refusal) {
    if (ranks.rank() == 0) std::fprintf(stderr, "cerar_tune: %s\n", refusal.what());
    return 1;
  } catch (const std::exception& error) {  // of this rank alone, as far as is known
    std::fprintf(stderr, "cerar_tune: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

bool under_mpirun() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }

}  // namespace
}  // namespace cerar::tune

int main(int argc, char** argv) {
  using namespace cerar;
  plan::Ending ending;
  const auto options = tune::parse_arguments({argv + 1, argv + argc}, ending);
  if (!options && !tune::under_mpirun()) {
    std::fputs(ending.message.c_str(), ending.status == 0 ? stdout : stderr);
    return ending.status;
  }
  tune::ask_for_cerar();
  const bench::MpiSession session(argc, argv);
  const tune::Ranks ranks;
  return tune::run_safely(ranks, options, ending);
}
