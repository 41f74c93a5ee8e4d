# The parts of cerar_tune that need no MPI.
check_PROGRAMS += tests/unit/tune_test
TESTS += tests/unit/tune_test
tests_unit_tune_test_SOURCES = tests/unit/tune_test.cpp
tests_unit_tune_test_CPPFLAGS = $(unit_cppflags)
tests_unit_tune_test_LDADD = bench/libtune.la core/plan/libcommand.la $(unit_libs)
