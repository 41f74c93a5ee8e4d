check_PROGRAMS += tests/unit/transport_test
TESTS += tests/unit/transport_test
tests_unit_transport_test_SOURCES = \
  tests/unit/transport_conformance.hpp \
  tests/unit/transport_exchange.hpp \
  tests/unit/transport_test_error.cpp \
  tests/unit/transport_test_external.cpp \
  tests/unit/transport_test_inproc.cpp
tests_unit_transport_test_CPPFLAGS = $(unit_cppflags)
tests_unit_transport_test_LDADD = libcerar_inproc.la $(unit_libs)

ucx_test_sources = \
  tests/unit/transport_oob.hpp \
  tests/unit/transport_test_channels.cpp \
  tests/unit/transport_test_ucx.cpp
if HAVE_UCX
tests_unit_transport_test_SOURCES += $(ucx_test_sources)
else
EXTRA_DIST += $(ucx_test_sources)
endif
