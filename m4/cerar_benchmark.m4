# CERAR_BENCHMARK
# --disable-benchmarks. Sets BENCHMARK_CFLAGS, BENCHMARK_LIBS, CLI11_CFLAGS and the conditional HAVE_BENCHMARK.
AC_DEFUN([CERAR_BENCHMARK], [
  AC_ARG_ENABLE([benchmarks],
    [AS_HELP_STRING([--disable-benchmarks], [do without bench/, Google Benchmark and CLI11])],
    [], [enable_benchmarks=yes])
  AS_IF([test "$enable_benchmarks" != no],
    [PKG_CHECK_MODULES([BENCHMARK], [benchmark >= 1.7], [],
       [CERAR_MISSING([Google Benchmark 1.7], [libbenchmark-dev], [--disable-benchmarks])])
     PKG_CHECK_MODULES([CLI11], [CLI11 >= 2.1], [],
       [CERAR_MISSING([CLI11 2.1], [libcli11-dev], [--disable-benchmarks])])])
  AM_CONDITIONAL([HAVE_BENCHMARK], [test "$enable_benchmarks" != no])
])
