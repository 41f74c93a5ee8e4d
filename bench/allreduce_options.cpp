#include "bench/allreduce_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>

namespace cerar::bench {
namespace {

constexpr std::size_t kLargeBytes = 8192;  // above it fewer iterations do
constexpr const char* kTypes = "mpi_float, mpi_double or all";

const std::string kHelp =
    "Latency of MPI_Allreduce with MPI_SUM over MPI_COMM_WORLD, one line a message size. Sizes "
    "double from MIN to MAX.";

struct Raw {
  std::string sizes;
  std::vector<std::string> types;
  std::string memory;
};

[[noreturn]] void expected(const std::string& option, const std::string& got,
                           const std::string& what) {
  throw CLI::ValidationError(option, "got '" + got + "', expected " + what);
}

template <class T>
bool is_number(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

std::size_t parse_bytes(const std::string& text, const std::string& whole) {
  std::size_t bytes = 0;
  if (!is_number(text, bytes) || bytes == 0)
    expected("-m", whole, "MAX, MIN: or MIN:MAX, each a number of bytes from 1");
  return bytes;
}

void parse_sizes(const std::string& text, Options& options) {
  const std::size_t colon = text.find(':');
  const std::string max = colon == std::string::npos ? text : text.substr(colon + 1);
  if (colon != std::string::npos) options.min_bytes = parse_bytes(text.substr(0, colon), text);
  if (colon == std::string::npos || !max.empty()) options.max_bytes = parse_bytes(max, text);
  if (options.min_bytes > options.max_bytes)
    expected("-m", text,
             "MIN (" + std::to_string(options.min_bytes) + " bytes) to be at most MAX (" +
                 std::to_string(options.max_bytes) + " bytes)");
}

void parse_types(const std::vector<std::string>& names, Options& options) {
  options.types.clear();
  const auto add = [&options](DataType type) {
    if (std::find(options.types.begin(), options.types.end(), type) == options.types.end())
      options.types.push_back(type);
  };
  for (const std::string& name : names) {
    if (name != "mpi_float" && name != "mpi_double" && name != "all") expected("-T", name, kTypes);
    if (name != "mpi_double") add(DataType::kFloat);
    if (name != "mpi_float") add(DataType::kDouble);
  }
}

Memory parse_memory(const std::string& name) {
  if (name == "cuda") return Memory::device;
  if (name == "managed") return Memory::managed;
  if (name != "host") expected("-d", name, "host, cuda or managed");
  return Memory::host;
}

void check_counts(const Options& options) {
  const auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  for (DataType type : options.types) {
    if (options.max_bytes / size_of(type) > most)
      expected("-m", std::to_string(options.max_bytes),
               "at most " + std::to_string(most * size_of(type)) + " bytes of " + name_of(type));
    if (options.max_bytes < size_of(type))
      expected("-m", std::to_string(options.max_bytes),
               "room for one " + std::string(name_of(type)) + " in MAX");
  }
}

CLI::Validator whole_from(int least) {
  return {[least](std::string& text) {
            int value = 0;
            if (is_number(text, value) && value >= least) return std::string();
            return "got '" + text + "', expected a whole number from " + std::to_string(least);
          },
          ""};
}

CLI::Validator number_from_0() {
  return {[](std::string& text) {
            double value = 0;
            if (is_number(text, value) && value >= 0) return std::string();
            return "got '" + text + "', expected a number from 0";
          },
          ""};
}

void declare(CLI::App& app, Options& options, Raw& raw) {
  app.add_option("-m,--message-size", raw.sizes, "[MIN:]MAX or MIN:, in bytes (4:1048576)");
  app.add_option("-T,--type", raw.types,
                 std::string(kTypes) + ", repeated or separated by commas (mpi_float)")
      ->delimiter(',');
  app.add_option("-d,--accelerator", raw.memory,
                 "where the buffers are: cuda (a device's memory), managed or host (host)");
  app.add_option("-i,--iterations", options.iterations,
                 "timed calls a size (1000; 100 above 8 KiB)")
      ->check(whole_from(1));
  app.add_option("-x,--warmup", options.warmup,
                 "calls before them that are not timed (200; 10 above 8 KiB)")
      ->check(whole_from(0));
  app.add_flag("-c,--validation", options.validate,
               "compare every timed call with an exact sum of Gaussian data");
  app.add_option("-u,--validation-warmup", options.validation_warmup,
                 "with -c, in place of -x (what -x says, else 5)")
      ->check(whole_from(0));
  app.add_flag("-f,--full", options.full, "also print minimum, maximum and iterations");
  app.add_flag("-z,--tail-lat", options.percentiles, "also print the percentiles 90 and 99");
  app.add_flag("-l,--in-place", options.in_place, "pass MPI_IN_PLACE");
  app.add_option("--tolerance", options.tolerance,
                 "with -c, the largest relative error that passes (0.02)")
      ->check(number_from_0());
  app.add_option("--seed", options.seed, "of the data (1)")->check(whole_from(0));
}

std::vector<std::string> share(int argc, char** argv, MPI_Comm comm) {
  std::string joined;  // each argument with its closing zero
  for (int i = 1; i < argc; ++i) joined.append(argv[i]).push_back('\0');
  auto length = static_cast<long>(joined.size());
  MPI_Bcast(&length, 1, MPI_LONG, 0, comm);
  joined.resize(static_cast<std::size_t>(length));
  MPI_Bcast(joined.data(), static_cast<int>(length), MPI_CHAR, 0, comm);
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < joined.size(); at += arguments.back().size() + 1)
    arguments.emplace_back(joined.c_str() + at);
  return arguments;
}

}  // namespace

std::size_t size_of(DataType type) {
  return type == DataType::kFloat ? sizeof(float) : sizeof(double);
}

const char* name_of(DataType type) { return type == DataType::kFloat ? "MPI_FLOAT" : "MPI_DOUBLE"; }

int Options::iterations_of(std::size_t bytes) const {
  return iterations.value_or(bytes > kLargeBytes ? 100 : 1000);
}

int Options::warmup_of(std::size_t bytes) const {
  if (validate && (validation_warmup || !warmup)) return validation_warmup.value_or(5);
  return warmup.value_or(bytes > kLargeBytes ? 10 : 200);
}

std::optional<Options> parse_options(const std::vector<std::string>& arguments,
                                     std::string& message, int& exit_status) {
  Options options;
  Raw raw;
  CLI::App app(kHelp, "cerar_allreduce");
  app.get_formatter()->column_width(34);
  declare(app, options, raw);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    if (app.count("-m") > 0) parse_sizes(raw.sizes, options);
    if (app.count("-T") > 0) parse_types(raw.types, options);
    if (app.count("-d") > 0) options.memory = parse_memory(raw.memory);
    check_counts(options);
    return options;
  } catch (const CLI::CallForHelp&) {
    message = app.help();
    exit_status = 0;
  } catch (const CLI::ParseError& error) {
    message = std::string("cerar_allreduce: ") + error.what() + "\nTry --help.\n";
    exit_status = 2;
  }
  return std::nullopt;
}

std::optional<Options> parse_options(int argc, char** argv, MPI_Comm comm, int& exit_status) {
  std::string message;
  auto options = parse_options(share(argc, argv, comm), message, exit_status);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    std::fputs(message.c_str(), exit_status == 0 ? stdout : stderr);
  }
  return options;
}

}  // namespace cerar::bench
