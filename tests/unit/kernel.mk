check_PROGRAMS += tests/unit/kernel_test
TESTS += tests/unit/kernel_test
tests_unit_kernel_test_SOURCES = tests/unit/kernel_test.cpp
tests_unit_kernel_test_CPPFLAGS = $(unit_cppflags)
tests_unit_kernel_test_LDADD = $(unit_libs)
