#include "bench/tune_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "core/plan/command_line.hpp"
#include "core/plan/units.hpp"

namespace cerar::tune {
namespace {

const std::string kHelp =
    "Run under mpirun. Times all-reduces of rising sizes on these ranks, by Open MPI's own and by "
    "CERAR with the codes that keep the tolerance and different segments, and writes the rules "
    "that choose the fastest: a file for coll_cerar_rules_file. M is 2^20 bytes, MB is 10^6.";

constexpr std::size_t kUnit = 8;  // sizes are multiples of any type's

struct Texts {
  std::string type = "float", min_bytes = "32K", max_bytes = "32M";
};

[[noreturn]] void refuse(const std::string& option, const std::string& got,
                         const std::string& expected) {
  throw std::invalid_argument(fmt::format("{}: got '{}', expected {}", option, got, expected));
}

void declare(CLI::App& app, Options& options, Texts& texts) {
  Settings& settings = options.settings;
  app.option_defaults()->always_capture_default();
  app.add_option("--tolerance", settings.tolerance,
                 "relative error allowed, 0 to 1: codes that are predicted to keep it are timed");
  app.add_option("--type", texts.type, "float, double or both");
  app.add_option("--min-bytes", texts.min_bytes, "least size, from 1K");
  app.add_option("--max-bytes", texts.max_bytes, "greatest size");
  app.add_option("--factor", settings.factor, "from size to size: 2 or 4");
  app.add_option("--iterations", settings.iterations,
                 "turns of the best, 1 to 10000: one timed call each, or three short ones");
  app.add_option("--seconds", settings.seconds,
                 "to be done in about that time, 1 to 1000000: fewer calls if it is short");
  app.option_defaults()->always_capture_default(false);
  app.add_option("--output", options.output, "write the rules to this file (standard output)");
  app.add_option("--plot", options.plot, "write time against size to this SVG file");
  app.add_flag("--quiet", options.quiet, "show no progress");
}

void read_sizes(const Texts& texts, Settings& settings) {
  constexpr std::size_t least = 1024, most = std::size_t{4} << 30;
  settings.min_bytes = plan::parse_text("--min-bytes", texts.min_bytes, plan::parse_bytes);
  settings.max_bytes = plan::parse_text("--max-bytes", texts.max_bytes, plan::parse_bytes);
  if (settings.min_bytes < least || settings.min_bytes > most) {
    refuse("--min-bytes", texts.min_bytes, "1K to 4G");
  }
  if (settings.max_bytes < settings.min_bytes || settings.max_bytes > most) {
    refuse("--max-bytes", texts.max_bytes, "--min-bytes to 4G");
  }
}

void read(const Texts& texts, Settings& settings) {
  if (texts.type != "float" && texts.type != "double" && texts.type != "both") {
    refuse("--type", texts.type, "float, double or both");
  }
  settings.floats = texts.type != "double";
  settings.doubles = texts.type != "float";
  read_sizes(texts, settings);
  const auto check = [](bool good, const char* option, auto got, const char* expected) {
    if (!good) refuse(option, fmt::format("{}", got), expected);
  };
  check(settings.tolerance >= 0 && settings.tolerance <= 1, "--tolerance", settings.tolerance,
        "0 to 1");
  check(settings.factor == 2 || settings.factor == 4, "--factor", settings.factor, "2 or 4");
  check(settings.iterations >= 1 && settings.iterations <= 10000, "--iterations",
        settings.iterations, "1 to 10000");
  check(settings.seconds >= 1 && settings.seconds <= 1e6, "--seconds", settings.seconds,
        "1 to 1000000");
}

}  // namespace

std::vector<std::size_t> Settings::sizes() const {
  std::vector<std::size_t> sizes;
  for (std::size_t bytes = min_bytes; bytes <= max_bytes; bytes *= factor) {
    sizes.push_back(bytes / kUnit * kUnit);
  }
  return sizes;
}

std::optional<Options> parse_arguments(const std::vector<std::string>& arguments,
                                       plan::Ending& ending) {
  Options options;
  Texts texts;
  CLI::App app(kHelp, "cerar_tune");
  declare(app, options, texts);
  const auto read_all = [&] { read(texts, options.settings); };
  if (!plan::parse_command_line(app, arguments, read_all, ending)) return std::nullopt;
  return options;
}

std::string why_not_writable(const std::string& file) {
  std::error_code error;
  const std::filesystem::path path(file);
  if (std::filesystem::is_directory(path, error)) return std::strerror(EISDIR);
  if (access(file.c_str(), W_OK) == 0) return "";
  if (errno != ENOENT) return std::strerror(errno);
  const std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(directory, error)) return "no such directory";
  return access(directory.c_str(), W_OK | X_OK) == 0 ? "" : std::strerror(errno);
}

}  // namespace cerar::tune
