check_PROGRAMS += tests/unit/coroutine_test
TESTS += tests/unit/coroutine_test
tests_unit_coroutine_test_SOURCES = \
  ompi/mca/coll/cerar/coll_cerar_coroutine.c \
  ompi/mca/coll/cerar/coll_cerar_coroutine.h \
  tests/unit/coroutine_test.cpp
tests_unit_coroutine_test_CPPFLAGS = $(unit_cppflags)
tests_unit_coroutine_test_LDADD = $(unit_libs)
