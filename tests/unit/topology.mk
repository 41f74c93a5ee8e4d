check_PROGRAMS += tests/unit/topology_test
TESTS += tests/unit/topology_test
tests_unit_topology_test_SOURCES = tests/unit/topology_test.cpp
tests_unit_topology_test_CPPFLAGS = $(unit_cppflags) -DTEST_DATA='"$(abs_srcdir)/tests/unit/data"'
tests_unit_topology_test_LDADD = $(unit_libs) $(HWLOC_LIBS)
EXTRA_DIST += tests/unit/data/two_switches.xml
