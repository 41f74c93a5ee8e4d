check_PROGRAMS += tests/unit/code_test
TESTS += tests/unit/code_test
tests_unit_code_test_SOURCES = \
  tests/unit/error_law.hpp \
  tests/unit/extended_precision.hpp \
  tests/unit/code_design_test.cpp \
  tests/unit/code_error_test.cpp \
  tests/unit/code_reversal_test.cpp \
  tests/unit/code_rows_test.cpp \
  tests/unit/code_simulation.hpp \
  tests/unit/code_test.cpp \
  tests/unit/code_vandermonde_test.cpp
tests_unit_code_test_CPPFLAGS = $(unit_cppflags)
tests_unit_code_test_LDADD = $(unit_libs)
