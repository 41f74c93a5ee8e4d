# kernel_benchmark: the kernels against plain loops.
noinst_PROGRAMS += bench/kernel_benchmark
bench_kernel_benchmark_SOURCES = \
  bench/kernel_benchmark.cpp bench/plain_loops.hpp \
  bench/ratio_reporter.cpp bench/ratio_reporter.hpp
bench_kernel_benchmark_CPPFLAGS = $(AM_CPPFLAGS) $(BENCHMARK_CFLAGS)
bench_kernel_benchmark_CXXFLAGS = $(AM_CXXFLAGS) $(X86_64_V3_CXXFLAGS)
bench_kernel_benchmark_LDADD = libcerar_all.la $(BENCHMARK_LIBS)
