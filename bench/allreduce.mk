# cerar_allreduce: a plain MPI program, linked to MPI alone. And the scripts that run it.
noinst_PROGRAMS += bench/cerar_allreduce
bench_allreduce_parts = \
  bench/allreduce_check.cpp bench/allreduce_check.hpp \
  bench/allreduce_options.cpp bench/allreduce_options.hpp \
  bench/allreduce_report.cpp bench/allreduce_report.hpp \
  bench/device_memory.hpp \
  bench/gaussian.hpp
bench_allreduce_cppflags = -I$(top_srcdir) $(MPI_CPPFLAGS) $(CLI11_CFLAGS)

bench_cerar_allreduce_SOURCES = bench/cerar_allreduce.cpp bench/mpi_session.hpp $(bench_allreduce_parts)
bench_cerar_allreduce_CPPFLAGS = $(bench_allreduce_cppflags)
bench_cerar_allreduce_LDADD = $(MPI_LIBS)

dist_noinst_SCRIPTS = bench/lab bench/lab_compare.sh bench/lab_tolerance.sh bench/lab_tune.sh bench/shm_compare.sh
EXTRA_DIST += bench/compare_lib.sh

if HAVE_GTEST
check_PROGRAMS += tests/mpi/bench_parts
tests_mpi_bench_parts_SOURCES = \
  tests/mpi/bench_parts.cpp tests/mpi/mpi_test.hpp $(bench_allreduce_parts)
tests_mpi_bench_parts_CPPFLAGS = $(bench_allreduce_cppflags)
tests_mpi_bench_parts_LDADD = $(MPI_LIBS)

bench_tests = tests/mpi/bench.sh tests/lab/lab.sh tests/lab/ring.sh
dist_check_SCRIPTS += $(bench_tests)
TESTS += $(bench_tests)
endif
