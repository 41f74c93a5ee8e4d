check_PROGRAMS += tests/unit/ring_test
TESTS += tests/unit/ring_test
tests_unit_ring_test_SOURCES = \
  tests/unit/layout_test.cpp \
  tests/unit/range_test.cpp \
  tests/unit/ring_fault_test.cpp \
  tests/unit/ring_harness.hpp \
  tests/unit/ring_rules_test.cpp \
  tests/unit/ring_test.cpp
tests_unit_ring_test_CPPFLAGS = $(unit_cppflags)
tests_unit_ring_test_LDADD = libcerar_inproc.la $(unit_libs)

check_PROGRAMS += tests/unit/c_face_test
TESTS += tests/unit/c_face_test
tests_unit_c_face_test_SOURCES = tests/unit/c_face_test.cpp
tests_unit_c_face_test_CPPFLAGS = $(unit_cppflags)
tests_unit_c_face_test_LDADD = libcerar_inproc.la $(unit_libs)
