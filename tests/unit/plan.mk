check_PROGRAMS += tests/unit/plan_test
TESTS += tests/unit/plan_test
tests_unit_plan_test_SOURCES = \
  tests/unit/code_simulation.hpp \
  tests/unit/plan_duration_test.cpp \
  tests/unit/plan_law_test.cpp \
  tests/unit/plan_planner_test.cpp \
  tests/unit/plan_test.cpp
tests_unit_plan_test_CPPFLAGS = $(unit_cppflags)
tests_unit_plan_test_LDADD = $(unit_libs)
