#include "core/plan/options.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "core/plan/command_line.hpp"
#include "core/plan/units.hpp"

namespace cerar::plan {
namespace {

const std::string kHelp =
    "Lists the codes that an all-reduce could run, with the time and the error that they are "
    "predicted to have, and marks the fastest that keeps the tolerance. M is 2^20 bytes, MB is "
    "10^6; rates are decimal.";

// What the options that are not plain numbers say.
struct Texts {
  std::string bytes = "64M", type = "float", design = "auto";
  std::string bandwidth = "1.25GB/s", latency = "20us", overhead = "2us", combine = "10GB/s";
  std::string segment;
};

void declare(CLI::App& app, Options& options, Texts& texts) {
  Request& request = options.request;
  request.ranks = 8;
  request.tolerance = kDefaultTolerance;
  app.option_defaults()->always_capture_default();
  app.add_option("--ranks", request.ranks, "ranks on the ring");
  app.add_option("--type", texts.type, "float or double");
  app.add_option("--bytes", texts.bytes, "size of the vector");
  app.add_option("--tolerance", request.tolerance,
                 "relative error allowed, 0 to 1; 0: exact, the same bits on every rank");
  app.add_option("--bandwidth", texts.bandwidth, "of a link, each way");
  app.add_option("--latency", texts.latency, "of a link");
  app.add_option("--overhead", texts.overhead, "what a message takes whatever its size");
  app.add_option("--combine", texts.combine, "rate at which a core adds to a packet");
  app.add_option("--design", texts.design, "auto, exact, epsilon, vandermonde or constrained");
  app.option_defaults()->always_capture_default(false);
  app.add_option("--max-condition", request.max_condition,
                 "greatest condition of decode matrices (no limit)");
  app.add_option("--components", request.components, "take this c, whatever its error");
  app.add_option("--epsilon", request.epsilon, "take this node spacing where c > ranks (the best)");
  app.add_option("--segment", texts.segment, "take this segment size (the best)");
  app.add_flag("--json", options.json, "print JSON");
  app.add_option("--plot", options.plot, "write error against traffic to this SVG file");
}

template <class Value>
Value parse_name(const char* option, const std::string& text,
                 const std::map<std::string, Value>& values, const char* expected) {
  const auto value = values.find(text);
  if (value == values.end()) {
    throw std::invalid_argument(fmt::format("{}: got '{}', expected {}", option, text, expected));
  }
  return value->second;
}

void read(const Texts& texts, Request& request) {
  request.type = parse_name<cerar_type_t>(
      "--type", texts.type, {{"float", CERAR_FLOAT}, {"double", CERAR_DOUBLE}}, "float or double");
  request.design = parse_name<Design>("--design", texts.design,
                                      {{"auto", Design::automatic},
                                       {"exact", Design::exact},
                                       {"epsilon", Design::epsilon},
                                       {"vandermonde", Design::vandermonde},
                                       {"constrained", Design::constrained}},
                                      "auto, exact, epsilon, vandermonde or constrained");
  request.bytes = parse_text("--bytes", texts.bytes, parse_bytes);
  request.link.bandwidth = parse_text("--bandwidth", texts.bandwidth, parse_rate);
  request.link.latency = parse_text("--latency", texts.latency, parse_seconds);
  request.link.message_overhead = parse_text("--overhead", texts.overhead, parse_seconds);
  request.link.combine = 1 / parse_text("--combine", texts.combine, parse_rate);
  if (!texts.segment.empty()) {
    request.segment_bytes = parse_text("--segment", texts.segment, parse_bytes);
  }
}

}  // namespace

std::optional<Options> parse_options(const std::vector<std::string>& arguments, Ending& ending) {
  Options options;
  Texts texts;
  CLI::App app(kHelp, "cerar_plan");
  declare(app, options, texts);
  const auto read_all = [&] {
    read(texts, options.request);
    check(options.request);
  };
  if (!parse_command_line(app, arguments, read_all, ending)) return std::nullopt;
  return options;
}

}  // namespace cerar::plan
