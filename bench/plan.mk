# plan_benchmark: how long a first choice takes.
noinst_PROGRAMS += bench/plan_benchmark
bench_plan_benchmark_SOURCES = bench/plan_benchmark.cpp
bench_plan_benchmark_CPPFLAGS = $(AM_CPPFLAGS) $(BENCHMARK_CFLAGS)
bench_plan_benchmark_LDADD = libcerar_all.la $(BENCHMARK_LIBS)
