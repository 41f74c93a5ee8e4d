// Latency of MPI_Allreduce, by the options and in the columns of the OSU benchmarks. It is a plain
// MPI program: it measures whatever all-reduce the MPI library runs.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "bench/allreduce_check.hpp"
#include "bench/allreduce_options.hpp"
#include "bench/allreduce_report.hpp"
#include "bench/device_memory.hpp"
#include "bench/gaussian.hpp"
#include "bench/mpi_session.hpp"

namespace cerar::bench {
namespace {

// One rank's vector, where its sum goes, and the calls on them.
template <class T>
class Workload {
 public:
  Workload(const Options& options, std::size_t count, int rank)
      : in_place_(options.in_place),
        send_(count),
        receive_(count),
        from_(options.memory, send_.data(), count * sizeof(T)),
        to_(options.memory, receive_.data(), count * sizeof(T)) {
    Gaussian(options.seed, static_cast<std::uint64_t>(rank)).fill(send_.data(), 0, count);
    from_.upload();
    to_.upload();
  }

  // Before a call: what an earlier call has left must not pass for this one's result. So the input
  // changes its sign every time (the sum does too, and nothing else), and the output is no number.
  void prepare() {
    sign_ = -sign_;
    for (T& x : send_) x = -x;
    if (in_place_) {
      std::copy(send_.begin(), send_.end(), receive_.begin());
    } else {
      std::fill(receive_.begin(), receive_.end(), std::numeric_limits<T>::quiet_NaN());
    }
    from_.upload();
    to_.upload();
  }

  // Seconds in the call.
  double call() {
    const void* from = in_place_ ? MPI_IN_PLACE : from_.data();
    const MPI_Datatype type = std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Allreduce(from, to_.data(), static_cast<int>(send_.size()), type, MPI_SUM, MPI_COMM_WORLD);
    return MPI_Wtime() - start;
  }

  const T* result() {
    to_.download();
    return receive_.data();
  }
  int sign() const { return sign_; }

 private:
  bool in_place_;
  int sign_ = 1;
  std::vector<T> send_, receive_;
  Mirrored from_, to_;
};

double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

// One line of the table. Whether it passed.
template <class T>
bool measure(const Options& options, std::size_t bytes, int rank, int ranks) {
  const std::size_t count = bytes / sizeof(T);
  Workload<T> workload(options, count, rank);
  std::optional<SumCheck<T>> check;
  std::optional<Deviation> worst;
  if (options.validate) check.emplace(MPI_COMM_WORLD, count, options.seed);

  // In place, input must be put back each time; else there is nothing to prepare unless results are
  // looked at.
  const bool prepare = options.validate || options.in_place;
  std::vector<double> seconds;
  const int warmup = options.warmup_of(bytes), iterations = options.iterations_of(bytes);
  for (int i = -warmup; i < iterations; ++i) {
    if (prepare) workload.prepare();
    const double time = workload.call();
    if (i < 0) continue;
    seconds.push_back(time);
    if (!check) continue;
    const Deviation now = check->deviation(workload.result(), workload.sign());
    const Deviation before = worst.value_or(now);
    worst = Deviation{worse(now.error, before.error), worse(now.spread, before.spread)};
  }
  const Latency latency = summarize(seconds, MPI_COMM_WORLD);
  if (rank == 0) print_line(options, count * sizeof(T), ranks, latency, worst);
  return !worst || passes(options, *worst);
}

bool measure_all(const Options& options) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool passed = true;
  for (DataType type : options.types) {
    if (rank == 0) print_header(options, type, ranks);
    std::size_t bytes = std::max(options.min_bytes, size_of(type));
    for (; bytes <= options.max_bytes; bytes *= 2) {
      const bool good = type == DataType::kFloat ? measure<float>(options, bytes, rank, ranks)
                                                 : measure<double>(options, bytes, rank, ranks);
      passed = passed && good;
    }
  }
  return passed;
}

}  // namespace
}  // namespace cerar::bench

// 0: measured, and valid where -c asked. 1: a result was not valid. 2: wrong command line.
int main(int argc, char** argv) {
  const cerar::bench::MpiSession session(argc, argv);
  int exit_status = 0;
  const auto options = cerar::bench::parse_options(argc, argv, MPI_COMM_WORLD, exit_status);
  if (!options) return exit_status;
  return cerar::bench::measure_all(*options) ? 0 : 1;
}
