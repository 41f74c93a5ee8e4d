// How close combine and decode come to plain loops over the same bytes, in and out of cache.
//
// Three things a case: kernel; plain, a loop with as many contiguous streams; triad, a = b + s·c
// over as many bytes in all. They take turns, call by call, so that what else the machine does
// meets all of them, and what counts is the median of the quotients of their processor times.
// CERAR_KERNEL=portable measures the portable version, and so on.
//
// What is asked of a kernel is at most 1.25 of the triad's time for vectors in memory (128MiB). In
// cache (256KiB) it cannot always be had. Decode of many lanes is bound by its multiply-adds: for
// each cache line read or written it does lanes/2 of them on vectors of a line, with the own
// contribution 2/3·lanes. Where a processor starts two a cycle (AVX-512) and a triad moves 45 bytes
// a cycle, 1.25 is out of reach from 8 and 6 lanes on; with vectors of half a line (AVX2), from 4
// and 3 on. 8 lanes with the own contribution take 1.9 and 3.8 times the triad at best. Combine
// does less than one multiply-add a line; it is bound by its loads, up to 1.7: it reads a lane in
// runs of 128 elements, and as large vectors from malloc do not begin at a line, nor do these here,
// a load of a line's length takes two lines.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
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
    4096 + 256;                               // keeps equal indices of streams out of one cache set
constexpr int kTurns = 9;                     // of a repetition
constexpr std::size_t kTurnBytes = 16 << 20;  // a turn is as many calls as this needs

// Memory for all: the pages are the same for what is compared.
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

using Call = std::function<void()>;

struct Case {
  Call kernel;
  Call plain;
  Call triad;
  std::size_t bytes;
};

// Processor time of `calls` calls, in s.
double time(const Call& call, int calls) {
  const auto now = [] {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = now();
  for (int i = 0; i < calls; ++i) {
    call();
    benchmark::ClobberMemory();
  }
  return now() - start;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void compare(benchmark::State& state, const Case& with) {
  const int calls = static_cast<int>(std::max<std::size_t>(1, kTurnBytes / with.bytes));
  std::vector<double> over_plain, over_triad;
  for (const Call* call : {&with.triad, &with.plain, &with.kernel}) time(*call, calls);
  for (auto _ : state) {
    const double kernel = time(with.kernel, calls);
    over_plain.push_back(kernel / time(with.plain, calls));
    over_triad.push_back(kernel / time(with.triad, calls));
    state.SetIterationTime(kernel);
  }
  state.SetBytesProcessed(state.iterations() * calls * static_cast<std::int64_t>(with.bytes));
  state.counters["over_plain"] = median(over_plain);
  state.counters["over_triad"] = median(over_triad);
}

template <class T>
Call triad(std::size_t bytes) {
  Streams<T> streams;
  const std::size_t n = bytes / (3 * sizeof(T));
  T* to = streams.next(n);
  const T* b = streams.next(n);
  const T* c = streams.next(n);
  return [=] {
    T* const tos[] = {to};
    const T* const from[] = {b, c};
    plain_sum<2, 1>(tos, from, T{0.5}, n);
  };
}

// Elements of each stream if `streams` streams of whole tiles make up a call's bytes.
template <class T>
std::size_t stream_elements(std::size_t bytes, std::size_t streams) {
  return bytes / (streams * sizeof(T)) / kWidth * kWidth;
}

// As in a ring with `Terms` lanes: all of a vector's lanes go into the packet, and where it is
// stored that is into a lane of another vector, whose pages and other lanes `vector` is for.
template <class T, int Terms, int Writes>
Call combine(std::size_t n, std::vector<T>& vector) {
  Streams<T> streams;
  kernel::Combine<T> args;
  args.in = streams.next(n);
  args.out = streams.next(n);
  const T* lanes = streams.next(n * Terms);
  for (int k = 0; k < Terms; ++k) {
    args.x[k] = lanes + k * kWidth;
    args.alpha[k] = T{0.5};
  }
  if (Writes == 2) {
    vector.resize(n * Terms);
    args.store = vector.data();
  }
  args.terms = Terms;
  args.width = kWidth;
  args.tiles = n / kWidth;
  args.stride = Terms * kWidth;
  return [=] { kernel::combine(args); };
}

template <class T, int Terms, int Writes>
Call plain_combine(std::size_t n) {
  struct {
    T* to[Writes];
    const T* from[1 + Terms];
  } at;
  Streams<T> streams;
  for (T*& stream : at.to) stream = streams.next(n);
  for (const T*& stream : at.from) stream = streams.next(n);
  return [=] { plain_sum<1 + Terms, Writes>(at.to, at.from, T{0.5}, n); };
}

template <class T, int Terms, int Writes>
void compare_combine(benchmark::State& state, std::size_t bytes) {
  const std::size_t n = stream_elements<T>(bytes, 1 + Terms + Writes);
  const std::size_t moved = n * sizeof(T) * (1 + Terms + Writes);
  std::vector<T> vector;
  compare(state, {combine<T, Terms, Writes>(n, vector), plain_combine<T, Terms, Writes>(n),
                  triad<T>(moved), moved});
}

// In place, as the ring engine does it; the matrices keep the values bounded, and from becoming
// denormal.
template <class T>
Call decode(std::size_t n, int lanes, bool own, std::vector<T>& matrix) {
  Streams<T> streams;
  matrix.assign(lanes * lanes, T{1} / static_cast<T>(lanes * (own ? 2 : 1)));
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
  args.tiles = n / (lanes * kWidth);
  return [=] { kernel::decode(args); };
}

template <class T>
Call plain_decode(std::size_t n, bool own) {
  Streams<T> streams;
  T* y = streams.next(n);
  if (!own) return [=] { plain_scale(y, T{1}, n); };
  const T* g = streams.next(n);
  return [=] { plain_update(y, g, T{0.5}, n); };
}

template <class T>
void compare_decode(benchmark::State& state, std::size_t bytes, int lanes, bool own) {
  const std::size_t streams = own ? 3 : 2;
  const std::size_t n = stream_elements<T>(bytes, streams) / lanes / kWidth * lanes * kWidth;
  const std::size_t moved = n * sizeof(T) * streams;
  std::vector<T> matrix;
  compare(state,
          {decode<T>(n, lanes, own, matrix), plain_decode<T>(n, own), triad<T>(moved), moved});
}

template <class Function>
void add(const std::string& name, Function function) {
  benchmark::RegisterBenchmark(name.c_str(), function)->UseManualTime()->Iterations(kTurns);
}

template <class T, int Terms, int Writes>
void add_combine(const std::string& where, std::size_t bytes) {
  const std::string name =
      "combine/" + where + "/terms:" + std::to_string(Terms) + (Writes == 2 ? "/and_store" : "");
  add(name, [=](benchmark::State& s) { compare_combine<T, Terms, Writes>(s, bytes); });
}

template <class T>
void add_decode(const std::string& where, std::size_t bytes, int lanes, bool own) {
  const std::string name =
      "decode/" + where + "/lanes:" + std::to_string(lanes) + (own ? "/and_own" : "");
  add(name, [=](benchmark::State& s) { compare_decode<T>(s, bytes, lanes, own); });
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
  std::vector<std::string> words = {argv[0], "--benchmark_repetitions=5"};
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
