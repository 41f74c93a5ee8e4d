// How close combine and decode come to plain loops over the same bytes, in and out of cache.
//
// Three benchmarks a case: kernel; plain, a loop with as many contiguous streams; triad, a = b +
// s·c over as many bytes in all. The table at the end gives the ratios of the median processor
// times. CERAR_KERNEL=portable
// measures the portable version, and so on.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/plain_loops.hpp"
#include "bench/ratio_reporter.hpp"
#include "core/kernel/kernel.hpp"
#include "core/kernel/table.hpp"

namespace cerar::bench {
namespace {

constexpr std::size_t kWidth = 128;  // elements of a lane, as the ring engine has them
constexpr std::size_t kSizes[] = {256 << 10, 128 << 20};  // bytes that a call reads and writes
constexpr std::size_t kStreamGap =
    4096 + 256;  // keeps equal indices of streams out of one cache set

// Memory for all cases: the pages are the same for what is compared. Writing to it once makes them
// the process's own.
template <class T>
T* memory() {
  constexpr std::size_t kBytes = (128 << 20) + 16 * kStreamGap + (1 << 20);
  static const std::unique_ptr<std::byte[]> all(new std::byte[kBytes]());
  return reinterpret_cast<T*>(all.get());
}

// Hands out consecutive streams of memory().
template <class T>
class Streams {
 public:
  T* next(std::size_t elements) {
    T* stream = memory<T>() + used_;
    used_ += elements + kStreamGap / sizeof(T);
    for (std::size_t i = 0; i < elements; ++i) stream[i] = static_cast<T>(i % 7);
    return stream;
  }

 private:
  std::size_t used_ = 0;
};

void count_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

template <class T>
void triad(benchmark::State& state, std::size_t bytes) {
  Streams<T> streams;
  const std::size_t n = bytes / (3 * sizeof(T));
  T* to[] = {streams.next(n)};
  const T* from[] = {streams.next(n), streams.next(n)};
  for (auto _ : state) {
    plain_sum<2, 1>(to, from, T{0.5}, n);
    benchmark::ClobberMemory();
  }
  count_bytes(state, 3 * n * sizeof(T));
}

// Elements of each stream if `streams` streams of whole tiles make up a call's bytes.
template <class T>
std::size_t stream_elements(std::size_t bytes, std::size_t streams) {
  return bytes / (streams * sizeof(T)) / kWidth * kWidth;
}

// As in a ring with `Terms` lanes: all of a vector's lanes go into the packet, and where it is
// stored that is into a lane of another vector.
template <class T, int Terms, int Writes>
void combine(benchmark::State& state, std::size_t bytes) {
  Streams<T> streams;
  const std::size_t n = stream_elements<T>(bytes, 1 + Terms + Writes);
  kernel::Combine<T> args;
  args.in = streams.next(n);
  args.out = streams.next(n);
  const T* lanes = streams.next(n * Terms);
  for (int k = 0; k < Terms; ++k) {
    args.x[k] = lanes + k * kWidth;
    args.alpha[k] = T{0.5};
  }
  // The lanes that are not stored to lie between: as far apart as in a vector, but not part of the
  // bytes moved.
  std::vector<T> vector(Writes == 2 ? n * Terms : 0);
  if (Writes == 2) args.store = vector.data();
  args.terms = Terms;
  args.width = kWidth;
  args.tiles = n / kWidth;
  args.stride = Terms * kWidth;
  for (auto _ : state) {
    kernel::combine(args);
    benchmark::ClobberMemory();
  }
  count_bytes(state, n * sizeof(T) * (1 + Terms + Writes));
}

template <class T, int Terms, int Writes>
void plain_combine(benchmark::State& state, std::size_t bytes) {
  Streams<T> streams;
  const std::size_t n = stream_elements<T>(bytes, 1 + Terms + Writes);
  T* to[Writes];
  for (T*& stream : to) stream = streams.next(n);
  const T* from[1 + Terms];
  for (const T*& stream : from) stream = streams.next(n);
  for (auto _ : state) {
    plain_sum<1 + Terms, Writes>(to, from, T{0.5}, n);
    benchmark::ClobberMemory();
  }
  count_bytes(state, n * sizeof(T) * (1 + Terms + Writes));
}

// In place, as the ring engine does it; the matrices keep the values bounded.
template <class T>
void decode(benchmark::State& state, std::size_t bytes, int lanes, bool own) {
  Streams<T> streams;
  const std::size_t tile = lanes * kWidth;
  const std::size_t n = bytes / (own ? 3 : 2) / sizeof(T) / tile * tile;
  const std::vector<T> matrix(lanes * lanes, T{0.5} / static_cast<T>(lanes));
  kernel::Decode<T> args;
  T* y = streams.next(n);
  args.out = y;
  args.y = y;
  args.w = matrix.data();
  if (own) {
    args.g = streams.next(n);
    args.own = matrix.data();
  }
  args.lanes = lanes;
  args.width = kWidth;
  args.tiles = n / tile;
  for (auto _ : state) {
    kernel::decode(args);
    benchmark::ClobberMemory();
  }
  count_bytes(state, n * sizeof(T) * (own ? 3 : 2));
}

template <class T>
void plain_decode(benchmark::State& state, std::size_t bytes, int lanes, bool own) {
  Streams<T> streams;
  const std::size_t tile = lanes * kWidth;
  const std::size_t n = bytes / (own ? 3 : 2) / sizeof(T) / tile * tile;
  T* y = streams.next(n);
  const T* g = own ? streams.next(n) : nullptr;
  for (auto _ : state) {
    own ? plain_update(y, g, T{0.5}, n) : plain_scale(y, T{1}, n);
    benchmark::ClobberMemory();
  }
  count_bytes(state, n * sizeof(T) * (own ? 3 : 2));
}

template <class Function>
void add(const std::string& name, Function function) {
  benchmark::RegisterBenchmark(name.c_str(), function);
}

template <class T, int Terms, int Writes>
void add_combine(const std::string& where, std::size_t bytes) {
  const std::string name =
      "combine/" + where + "/terms:" + std::to_string(Terms) + (Writes == 2 ? "/and_store" : "");
  add(name + "/kernel", [=](benchmark::State& s) { combine<T, Terms, Writes>(s, bytes); });
  add(name + "/plain", [=](benchmark::State& s) { plain_combine<T, Terms, Writes>(s, bytes); });
  add(name + "/triad", [=](benchmark::State& s) { triad<T>(s, bytes); });
}

template <class T>
void add_decode(const std::string& where, std::size_t bytes, int lanes, bool own) {
  const std::string name =
      "decode/" + where + "/lanes:" + std::to_string(lanes) + (own ? "/and_own" : "");
  add(name + "/kernel", [=](benchmark::State& s) { decode<T>(s, bytes, lanes, own); });
  add(name + "/plain", [=](benchmark::State& s) { plain_decode<T>(s, bytes, lanes, own); });
  add(name + "/triad", [=](benchmark::State& s) { triad<T>(s, bytes); });
}

template <class T, int... I>
void add_all(std::integer_sequence<int, I...>) {
  for (const std::size_t bytes : kSizes) {
    const std::string where = std::string(std::is_same_v<T, float> ? "float" : "double") +
                              (bytes < (1 << 20) ? "/256KiB" : "/128MiB");
    (add_combine<T, I + 1, 1>(where, bytes), ...);
    (add_combine<T, I + 1, 2>(where, bytes), ...);
    for (const bool own : {false, true}) (add_decode<T>(where, bytes, I + 1, own), ...);
  }
}

// The plain loops are compiled for x86-64-v3 where the compiler knows it.
bool can_run_plain_loops() {
#if defined(__AVX2__)
  return kernel::available_versions().size() > 1;
#else
  return true;
#endif
}

int run(int argc, char** argv) {
  if (!can_run_plain_loops()) {
    std::fputs("kernel_benchmark: built for x86-64-v3, which this processor is not\n", stderr);
    return EXIT_FAILURE;
  }
  // What comes later wins, so these are defaults.
  std::vector<std::string> words = {
      argv[0], "--benchmark_repetitions=9", "--benchmark_enable_random_interleaving=true",
      "--benchmark_report_aggregates_only=true", "--benchmark_min_time=0.02"};
  words.insert(words.end(), argv + 1, argv + argc);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return EXIT_FAILURE;
  const auto terms = std::make_integer_sequence<int, kernel::kMaxTerms>{};
  add_all<float>(terms);
  add_all<double>(terms);
  std::printf("kernels: %s\n", kernel::version());
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace cerar::bench

int main(int argc, char** argv) { return cerar::bench::run(argc, argv); }
