# The error model against the engine. In make check with few random cases, in make check-accuracy with many.
check_PROGRAMS += tests/unit/accuracy_test
TESTS += tests/unit/accuracy_test
tests_unit_accuracy_test_SOURCES = \
  tests/unit/error_law.hpp \
  tests/unit/accuracy_bound_test.cpp \
  tests/unit/accuracy_reference.hpp \
  tests/unit/accuracy_reversal_test.cpp \
  tests/unit/accuracy_wire_test.cpp \
  tests/unit/ring_harness.hpp
tests_unit_accuracy_test_CPPFLAGS = $(unit_cppflags)
tests_unit_accuracy_test_LDADD = libcerar_inproc.la $(unit_libs)

check-accuracy: tests/unit/accuracy_test
	CERAR_ACCURACY_CASES=10000 tests/unit/accuracy_test
