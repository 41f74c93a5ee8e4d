// How long the first choice for a request takes: what a rank waits for in the first call of a size.
// The limit is 10 ms for up to 1024 ranks. Every iteration begins with nothing known.
#include <benchmark/benchmark.h>

#include <cmath>

#include "core/plan/planner.hpp"

namespace {

using cerar::plan::Design;

void first_choice(benchmark::State& state, Design design, cerar_type_t type) {
  cerar::plan::Request request;
  request.ranks = static_cast<int>(state.range(0));
  request.tolerance = std::pow(10.0, -static_cast<double>(state.range(1)));
  request.type = type;
  request.design = design;
  // So long that sending less counts, however many ranks.
  request.bytes = (std::size_t{8} << 20) * request.ranks;
  int components = 0;
  for (auto _ : state) {
    cerar::plan::Planner planner;
    components = planner.choose(request).spec.components;
  }
  state.counters["c"] = components;
}

// Ranks from few to many, those that no component number divides among them; tolerances by their
// negative logarithm. The smaller the tolerance, the more codes are looked at before one keeps it.
void requests(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"N", "digits"})->Unit(benchmark::kMillisecond);
  benchmark->ArgsProduct({{2, 8, 17, 64, 1000, 1021, 1024}, {1, 2, 3, 6, 12}});
}

BENCHMARK_CAPTURE(first_choice, float, Design::automatic, CERAR_FLOAT)->Apply(requests);
BENCHMARK_CAPTURE(first_choice, double, Design::automatic, CERAR_DOUBLE)->Apply(requests);
BENCHMARK_CAPTURE(first_choice, vandermonde, Design::vandermonde, CERAR_DOUBLE)->Apply(requests);

}  // namespace

BENCHMARK_MAIN();
