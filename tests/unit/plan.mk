check_PROGRAMS += tests/unit/plan_test
TESTS += tests/unit/plan_test
tests_unit_plan_test_SOURCES = \
  tests/unit/error_law.hpp \
  tests/unit/code_simulation.hpp \
  tests/unit/plan_duration_test.cpp \
  tests/unit/plan_law_test.cpp \
  tests/unit/plan_named_test.cpp \
  tests/unit/plan_planner_test.cpp \
  tests/unit/plan_rules_test.cpp
tests_unit_plan_test_CPPFLAGS = $(unit_cppflags)
tests_unit_plan_test_LDADD = $(unit_libs)

# The command cerar_plan, which it runs from the directory that tests run in.
if HAVE_TOOLS
check_PROGRAMS += tests/unit/plan_command_test
TESTS += tests/unit/plan_command_test
tests_unit_plan_command_test_SOURCES = \
  tests/unit/plan_command_test.cpp \
  tests/unit/plan_units_test.cpp
tests_unit_plan_command_test_CPPFLAGS = $(unit_cppflags) $(JSON_CFLAGS)
tests_unit_plan_command_test_LDADD = core/plan/libcommand.la $(unit_libs)
endif
