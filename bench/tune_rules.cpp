#include "bench/tune_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "core/plan/report.hpp"
#include "core/plan/rules.hpp"
#include "core/plan/units.hpp"

namespace cerar::tune {
namespace {

double least_seconds(const Measured& measured) {
  double least = INFINITY;
  for (const Timing& timing : measured.timings) {
    if (timing.final) least = std::min(least, timing.seconds);
  }
  return least;
}

// Seconds over those of the fastest; none if it is no choice.
std::optional<double> slowness(const Measured& measured, const Configuration& configuration) {
  const Timing* timing = find(measured, configuration);
  if (timing == nullptr || !timing->final) return std::nullopt;
  const double ratio = timing->seconds / least_seconds(measured);
  if (ratio > 1 + kSlack) return std::nullopt;
  return ratio;
}

struct Run {
  Configuration configuration;
  std::size_t length = 0;  // sizes that it serves
  double slowness = 1;     // the product over them
};

Run run_of(const std::vector<Measured>& sizes, std::size_t first,
           const Configuration& configuration) {
  Run run{configuration};
  for (std::size_t at = first; at < sizes.size(); ++at) {
    const auto ratio = slowness(sizes[at], configuration);
    if (!ratio) break;
    ++run.length;
    run.slowness *= *ratio;
  }
  return run;
}

bool better(const Run& a, const Run& b) {
  if (a.length != b.length) return a.length > b.length;
  if (a.configuration.own() != b.configuration.own()) return a.configuration.own();
  return a.slowness < b.slowness;
}

// Runs that are as long as can be, from the least size on, are as few as can be.
Run longest_run(const std::vector<Measured>& sizes, std::size_t first) {
  Run best;
  for (const Timing& timing : sizes[first].timings) {
    const Run run = run_of(sizes, first, timing.configuration);
    if (better(run, best)) best = run;
  }
  if (best.length == 0) throw std::logic_error("nothing was timed to the end");
  return best;
}

std::string segment_text(std::size_t bytes) {
  if (bytes % (1 << 20) == 0) return fmt::format("{}M", bytes >> 20);
  if (bytes % (1 << 10) == 0) return fmt::format("{}K", bytes >> 10);
  return fmt::format("{}", bytes);
}

std::size_t middle(std::size_t a, std::size_t b) {
  return static_cast<std::size_t>(std::sqrt(static_cast<double>(a) * static_cast<double>(b)));
}

// "0-185363", "65536-": of sizes first … last.
std::string range_text(const std::vector<Measured>& sizes, std::size_t first, std::size_t last,
                       bool open_below) {
  std::size_t from = open_below ? 0 : sizes[first].bytes;
  if (first > 0) from = middle(sizes[first - 1].bytes, sizes[first].bytes) + 1;
  if (last + 1 == sizes.size()) return fmt::format("{}-", from);
  return fmt::format("{}-{}", from, middle(sizes[last].bytes, sizes[last + 1].bytes));
}

std::string rules_of(const Sweep& sweep, int ranks) {
  const std::vector<Configuration> choices = choose(sweep.sizes);
  std::string text;
  for (std::size_t first = 0, last; first < choices.size(); first = last + 1) {
    last = first;
    while (last + 1 < choices.size() && choices[last + 1] == choices[first]) ++last;
    text += fmt::format("ranks {} bytes {} type {} : {}\n", ranks,
                        range_text(sweep.sizes, first, last, choices[first].own()),
                        plan::name_of(sweep.type), action_of(choices[first], ranks));
  }
  return text;
}

std::string comments_of(const Sweep& sweep, int ranks) {
  const std::vector<Configuration> choices = choose(sweep.sizes);
  std::string text;
  for (std::size_t at = 0; at < choices.size(); ++at) {
    const Measured& measured = sweep.sizes[at];
    const double seconds = find(measured, choices[at])->seconds;
    const Timing* own = find(measured, Configuration{});
    text += fmt::format("# {:<7} {:>9} {:>9} {:>9} {:>6.2f}  {}\n", plan::name_of(sweep.type),
                        plan::format_bytes(measured.bytes), plan::format_seconds(own->seconds),
                        plan::format_seconds(seconds), own->seconds / seconds,
                        action_of(choices[at], ranks));
  }
  return text;
}

bool says(const plan::Rule& rule, const Configuration& choice, int ranks) {
  if (choice.own()) return rule.action == plan::Action::off;
  if (rule.segment_bytes != choice.segment_bytes) return false;
  if (choice.components == ranks) return rule.action == plan::Action::exact;
  return rule.action == plan::Action::components && rule.components == choice.components;
}

void verify(const std::string& text, const std::vector<Sweep>& sweeps, int ranks) {
  const plan::Rules rules = plan::Rules::parse(text, "rules");
  for (const Sweep& sweep : sweeps) {
    const std::vector<Configuration> choices = choose(sweep.sizes);
    for (std::size_t at = 0; at < choices.size(); ++at) {
      const plan::Rule* rule = rules.find(ranks, sweep.sizes[at].bytes, sweep.type);
      if (rule == nullptr || !says(*rule, choices[at], ranks)) {
        throw std::logic_error("the rules do not say what was chosen:\n" + text);
      }
    }
  }
}

}  // namespace

std::vector<Configuration> choose(const std::vector<Measured>& sizes) {
  std::vector<Configuration> choices;
  while (choices.size() < sizes.size()) {
    const Run run = longest_run(sizes, choices.size());
    choices.insert(choices.end(), run.length, run.configuration);
  }
  return choices;
}

std::string action_of(const Configuration& configuration, int ranks) {
  if (configuration.own()) return "off";
  const std::string segment = " segment " + segment_text(configuration.segment_bytes);
  if (configuration.components == ranks) return "exact" + segment;
  return fmt::format("components {}", configuration.components) + segment;
}

std::string rules_text(const std::vector<Sweep>& sweeps, const Facts& facts) {
  std::string text = fmt::format(
      "# Made by cerar_tune, {}: {} ranks, relative error up to {:g}.\n"
      "# Times of a call: Open MPI's own all-reduce, what was chosen, and the one over the other.\n"
      "# {:<7} {:>9} {:>9} {:>9} {:>6}\n",
      facts.date, facts.ranks, facts.tolerance, "type", "bytes", "own", "chosen", "gain");
  for (const Sweep& sweep : sweeps) text += comments_of(sweep, facts.ranks);
  for (const Sweep& sweep : sweeps) text += rules_of(sweep, facts.ranks);
  verify(text, sweeps, facts.ranks);
  return text;
}

}  // namespace cerar::tune
