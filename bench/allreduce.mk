# cerar_allreduce: a plain MPI program, linked to MPI alone.
noinst_PROGRAMS += bench/cerar_allreduce
bench_cerar_allreduce_SOURCES = \
  bench/allreduce_check.cpp bench/allreduce_check.hpp \
  bench/allreduce_options.cpp bench/allreduce_options.hpp \
  bench/allreduce_report.cpp bench/allreduce_report.hpp \
  bench/cerar_allreduce.cpp bench/gaussian.hpp
bench_cerar_allreduce_CPPFLAGS = -I$(top_srcdir) $(MPI_CPPFLAGS) $(CLI11_CFLAGS)
bench_cerar_allreduce_LDADD = $(MPI_LIBS)
