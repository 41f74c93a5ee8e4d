# design_study: what a code can gain over evenly spaced nodes under a bound on the condition.
noinst_PROGRAMS += bench/design_study
bench_design_study_SOURCES = bench/design_study.cpp
bench_design_study_CPPFLAGS = $(AM_CPPFLAGS) $(NLOPT_CFLAGS)
bench_design_study_LDADD = $(NLOPT_LIBS)
