// What cerar_allreduce is made of: the data, the comparison with the sum, the statistics, the
// command line.
#include <mpi.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "bench/allreduce_check.hpp"
#include "bench/allreduce_options.hpp"
#include "bench/allreduce_report.hpp"
#include "bench/gaussian.hpp"
#include "tests/mpi/mpi_test.hpp"

namespace cerar::mpi_test {
namespace {

using bench::Deviation;
using bench::Gaussian;
using bench::Options;
using bench::SumCheck;

constexpr std::uint64_t kSeed = 7;

bool close(double a, double b, double relative) {
  return std::abs(a - b) <= relative * std::abs(b);
}

template <class T>
std::vector<double> exact_sum(std::size_t count, int ranks) {
  std::vector<double> sum(count);
  std::vector<T> numbers(count);
  for (int i = 0; i < ranks; ++i) {
    Gaussian(kSeed, static_cast<std::uint64_t>(i)).fill(numbers.data(), 0, count);
    for (std::size_t e = 0; e < count; ++e) sum[e] += static_cast<double>(numbers[e]);
  }
  return sum;
}

void test_gaussian(Report& report) {
  constexpr std::size_t kCount = 100001;
  const Gaussian source(kSeed, 3);
  std::vector<double> whole(kCount), part(kCount);
  source.fill(whole.data(), 0, kCount);
  for (std::size_t at = 0, step = 1; at < kCount; at += step, step = step % 1000 + 1)
    source.fill(part.data() + at, at, std::min(step, kCount - at));
  report.check(whole == part, "a vector filled in pieces is another one");

  // The mean and the variance of n numbers scatter by 1/√n and √(2/n); with another vector they
  // have nothing in common.
  std::vector<double> other(kCount);
  Gaussian(kSeed, 4).fill(other.data(), 0, kCount);
  double mean = 0, square = 0, product = 0;
  for (std::size_t e = 0; e < kCount; ++e) {
    mean += whole[e] / kCount;
    square += whole[e] * whole[e] / kCount;
    product += whole[e] * other[e] / kCount;
  }
  const double sigma = 1 / std::sqrt(static_cast<double>(kCount));
  report.check(std::abs(mean) < 5 * sigma, "mean " + std::to_string(mean));
  report.check(std::abs(square - 1) < 8 * sigma, "variance " + std::to_string(square));
  report.check(std::abs(product) < 5 * sigma, "covariance " + std::to_string(product));
}

// All ranks have the sum, but the last one has it wrong by `wrong` at `where`.
template <class T>
void test_sum_check(Report& report, std::size_t count, std::size_t where, double wrong, int sign) {
  const int rank = rank_of(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
  const std::vector<double> sum = exact_sum<T>(count, ranks);
  double norm = 0;
  for (double s : sum) norm += s * s;
  norm = std::sqrt(norm);
  std::vector<T> result(count);
  for (std::size_t e = 0; e < count; ++e) result[e] = static_cast<T>(sign * sum[e]);
  if (rank == ranks - 1) result[where] = static_cast<T>(result[where] + wrong);

  const Deviation got = SumCheck<T>(MPI_COMM_WORLD, count, kSeed).deviation(result.data(), sign);
  const std::string what = std::to_string(count) + " elements, wrong by " + std::to_string(wrong) +
                           " at " + std::to_string(where) + ": error " + std::to_string(got.error) +
                           ", spread " + std::to_string(got.spread);
  if (std::isnan(wrong)) {
    report.check(std::isnan(got.error), what);
    report.check(std::isnan(got.spread) || ranks == 1, what);
  } else if (wrong == 0) {
    report.check(got.error <= std::numeric_limits<T>::epsilon(), what);
    report.check(got.spread == 0, what);
  } else {
    report.check(close(got.error, std::abs(wrong) / norm, 1e-4), what);
    report.check(ranks == 1 ? got.spread == 0 : close(got.spread, std::abs(wrong) / norm, 1e-4),
                 what);
  }
}

template <class T>
void test_sum_checks(Report& report) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t count : {1, 2, 1000, 100003}) {
    for (std::size_t where : {std::size_t{0}, count / 2, count - 1}) {
      test_sum_check<T>(report, count, where, 0, 1);
      test_sum_check<T>(report, count, where, 100, 1);
      test_sum_check<T>(report, count, where, -100, -1);
      test_sum_check<T>(report, count, where, nan, 1);
    }
  }
}

void test_statistics(Report& report) {
  using bench::percentile;
  report.check(percentile({1, 2, 4}, 50) == 2, "median of three");
  report.check(percentile({1, 2, 4, 5}, 50) == 3, "median of four");
  std::vector<double> to_200;
  for (int i = 1; i <= 200; ++i) to_200.push_back(i);
  report.check(percentile(to_200, 90) == 180 && percentile(to_200, 99) == 198, "percentiles");
  report.check(percentile({3}, 99) == 3, "percentile of one");
  report.check(close(bench::bus_bandwidth(1000, 4, 2), 750, 1e-12), "bus bandwidth");

  // Rank i takes i + 1, 2(i + 1) and 6(i + 1) seconds.
  const double mine = rank_of(MPI_COMM_WORLD) + 1, ranks = size_of(MPI_COMM_WORLD);
  const bench::Latency latency = bench::summarize({mine, 6 * mine, 2 * mine}, MPI_COMM_WORLD);
  if (rank_of(MPI_COMM_WORLD) != 0) return;
  report.check(close(latency.minimum, 3e6, 1e-9), "minimum");
  report.check(close(latency.maximum, 3e6 * ranks, 1e-9), "maximum");
  report.check(close(latency.average, 3e6 * (ranks + 1) / 2, 1e-9), "average");
  report.check(close(latency.median, 2e6 * ranks, 1e-9), "median");
}

// The options, or what the message says.
Options good(Report& report, const std::vector<std::string>& arguments) {
  std::string message;
  int status = 0;
  const auto options = bench::parse_options(arguments, message, status);
  report.check(options.has_value(), "refused: " + message);
  return options.value_or(Options{});
}

void bad(Report& report, const std::vector<std::string>& arguments, const std::string& expected) {
  std::string message;
  int status = 0;
  const auto options = bench::parse_options(arguments, message, status);
  report.check(!options && status == 2, "taken: " + arguments.back());
  report.check(message.find(expected) != std::string::npos,
               "message '" + message + "' does not have '" + expected + "'");
}

void test_command_line(Report& report) {
  Options options = good(report, {});
  report.check(options.min_bytes == 4 && options.max_bytes == 1 << 20, "default sizes");
  report.check(options.iterations_of(8192) == 1000 && options.iterations_of(8193) == 100,
               "default iterations");
  report.check(options.warmup_of(8192) == 200 && options.warmup_of(8193) == 10, "default warm-up");
  options = good(report, {"-m", "16:64", "-i", "7", "-x", "0", "-f", "-T", "mpi_double,mpi_float"});
  report.check(options.min_bytes == 16 && options.max_bytes == 64, "sizes");
  report.check(options.iterations_of(4) == 7 && options.warmup_of(4) == 0, "iterations, warm-up");
  report.check(options.full && !options.validate && options.types.size() == 2, "flags, types");
  report.check(options.types.front() == bench::DataType::kDouble, "order of types");
  options = good(report, {"-m", "64:", "-c", "-T", "mpi_float", "-T", "mpi_float"});
  report.check(options.min_bytes == 64 && options.max_bytes == 1 << 20, "least size alone");
  report.check(options.warmup_of(4) == 5 && options.types.size() == 1, "with validation");
  report.check(good(report, {"-c", "-x", "3"}).warmup_of(4) == 3, "-c -x");
  report.check(good(report, {"-c", "-x", "3", "-u", "1"}).warmup_of(4) == 1, "-c -x -u");

  bad(report, {"-m", "64:16"}, "at most MAX");
  bad(report, {"-m", "1k"}, "number of bytes");
  bad(report, {"-m", "0"}, "number of bytes");
  bad(report, {"-m", "99999999999"}, "at most 8589934588 bytes");
  bad(report, {"-T", "mpi_int"}, "mpi_float, mpi_double or all");
  bad(report, {"-T", "mpi_double", "-m", "4:4"}, "MPI_DOUBLE");
  bad(report, {"-i", "0"}, "whole number from 1");
  bad(report, {"-x", "-1"}, "whole number from 0");
  bad(report, {"-c", "--tolerance", "small"}, "number from 0");
  bad(report, {"--unknown"}, "--unknown");
}

}  // namespace
}  // namespace cerar::mpi_test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    using namespace cerar::mpi_test;
    Report report;
    test_gaussian(report);
    test_sum_checks<float>(report);
    test_sum_checks<double>(report);
    test_statistics(report);
    test_command_line(report);
    status = report.finish("parts of cerar_allreduce");
  }
  MPI_Finalize();
  return status;
}
