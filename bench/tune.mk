# cerar_tune, and apart from what talks to others its parts, for tests too.
noinst_LTLIBRARIES += bench/libtune.la
bench_libtune_la_SOURCES = \
  bench/tune_candidates.cpp bench/tune_candidates.hpp \
  bench/tune_chart.cpp bench/tune_chart.hpp \
  bench/tune_configuration.hpp \
  bench/tune_options.cpp bench/tune_options.hpp \
  bench/tune_progress.cpp bench/tune_progress.hpp \
  bench/tune_rules.cpp bench/tune_rules.hpp \
  bench/tune_search.cpp bench/tune_search.hpp
bench_libtune_la_CPPFLAGS = $(AM_CPPFLAGS) $(CLI11_CFLAGS)

bin_PROGRAMS += cerar_tune
cerar_tune_SOURCES = \
  bench/cerar_tune.cpp \
  bench/gaussian.hpp bench/mpi_session.hpp \
  bench/tune_calls.cpp bench/tune_calls.hpp
cerar_tune_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)
cerar_tune_LDADD = bench/libtune.la core/plan/libcommand.la libcerar_all.la $(MPI_LIBS)
cerar_tune_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed
