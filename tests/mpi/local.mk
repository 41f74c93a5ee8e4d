# Programs under mpirun, and the scripts that run them.
mpi_programs = \
  tests/mpi/communicators \
  tests/mpi/device_calls \
  tests/mpi/exactness \
  tests/mpi/hints \
  tests/mpi/mpit \
  tests/mpi/nonblocking \
  tests/mpi/passed_on \
  tests/mpi/persistent \
  tests/mpi/random_cases \
  tests/mpi/range \
  tests/mpi/threads \
  tests/mpi/traffic \
  tests/mpi/waiting
check_PROGRAMS += $(mpi_programs) tests/mpi/transport_conformance

mpi_headers = bench/device_memory.hpp tests/mpi/limits.hpp tests/mpi/mpi_test.hpp
mpi_cppflags = $(AM_CPPFLAGS) $(MPI_CPPFLAGS)

tests_mpi_communicators_SOURCES = tests/mpi/communicators.cpp $(mpi_headers)
tests_mpi_communicators_CPPFLAGS = $(mpi_cppflags)
tests_mpi_communicators_LDADD = $(MPI_LIBS)
tests_mpi_device_calls_SOURCES = tests/mpi/device_calls.cpp $(mpi_headers)
tests_mpi_device_calls_CPPFLAGS = $(mpi_cppflags)
tests_mpi_device_calls_LDADD = $(MPI_LIBS)
tests_mpi_exactness_SOURCES = tests/mpi/exactness.cpp $(mpi_headers)
tests_mpi_exactness_CPPFLAGS = $(mpi_cppflags)
tests_mpi_exactness_LDADD = $(MPI_LIBS)
tests_mpi_hints_SOURCES = tests/mpi/hints.cpp $(mpi_headers)
tests_mpi_hints_CPPFLAGS = $(mpi_cppflags)
tests_mpi_hints_LDADD = $(MPI_LIBS)
tests_mpi_mpit_SOURCES = tests/mpi/mpit.cpp $(mpi_headers)
tests_mpi_mpit_CPPFLAGS = $(mpi_cppflags)
tests_mpi_mpit_LDADD = $(MPI_LIBS)
tests_mpi_nonblocking_SOURCES = tests/mpi/nonblocking.cpp tests/mpi/fail_send.c tests/mpi/fail_send.h \
  tests/mpi/sums.hpp $(mpi_headers)
tests_mpi_nonblocking_CPPFLAGS = $(AM_CPPFLAGS) $(OMPI_CPPFLAGS)
tests_mpi_nonblocking_LDADD = $(MPI_LIBS)
tests_mpi_passed_on_SOURCES = tests/mpi/passed_on.cpp $(mpi_headers)
tests_mpi_passed_on_CPPFLAGS = $(mpi_cppflags)
tests_mpi_passed_on_LDADD = $(MPI_LIBS)
tests_mpi_persistent_SOURCES = tests/mpi/persistent.cpp tests/mpi/sums.hpp $(mpi_headers)
tests_mpi_persistent_CPPFLAGS = $(mpi_cppflags)
tests_mpi_persistent_LDADD = $(MPI_LIBS)
tests_mpi_random_cases_SOURCES = tests/mpi/random_cases.cpp $(mpi_headers)
tests_mpi_random_cases_CPPFLAGS = $(mpi_cppflags)
tests_mpi_random_cases_LDADD = $(MPI_LIBS)
tests_mpi_range_SOURCES = tests/mpi/range.cpp $(mpi_headers)
tests_mpi_range_CPPFLAGS = $(mpi_cppflags)
tests_mpi_range_LDADD = $(MPI_LIBS)
tests_mpi_threads_SOURCES = tests/mpi/threads.cpp $(mpi_headers)
tests_mpi_threads_CPPFLAGS = $(mpi_cppflags)
tests_mpi_threads_LDADD = $(MPI_LIBS)
tests_mpi_traffic_SOURCES = tests/mpi/traffic.cpp $(mpi_headers)
tests_mpi_traffic_CPPFLAGS = $(mpi_cppflags)
tests_mpi_traffic_LDADD = $(MPI_LIBS)
tests_mpi_waiting_SOURCES = tests/mpi/waiting.cpp $(mpi_headers)
tests_mpi_waiting_CPPFLAGS = $(mpi_cppflags)
tests_mpi_waiting_LDADD = $(MPI_LIBS)

tests_mpi_transport_conformance_SOURCES = \
  ompi/mca/coll/cerar/coll_cerar_coroutine.c \
  ompi/mca/coll/cerar/coll_cerar_exchange.c \
  ompi/mca/coll/cerar/coll_cerar_pml.c \
  ompi/mca/coll/cerar/coll_cerar_pml.h \
  tests/mpi/transport_conformance.cpp \
  $(mpi_headers)
tests_mpi_transport_conformance_CPPFLAGS = $(component_cppflags)
tests_mpi_transport_conformance_LDADD = libcerar_all.la $(OMPI_LIBS)

mpi_scripts = \
  tests/mpi/accuracy.sh \
  tests/mpi/communicators.sh \
  tests/mpi/conformance.sh \
  tests/mpi/hints.sh \
  tests/mpi/mpit.sh \
  tests/mpi/nonblocking.sh \
  tests/mpi/parameters.sh \
  tests/mpi/parameters_page.sh \
  tests/mpi/passed_on.sh \
  tests/mpi/persistent.sh \
  tests/mpi/random.sh \
  tests/mpi/range.sh \
  tests/mpi/rules.sh \
  tests/mpi/selection.sh \
  tests/mpi/stats.sh \
  tests/mpi/threads.sh \
  tests/mpi/tolerance.sh \
  tests/mpi/topology.sh \
  tests/mpi/traffic.sh \
  tests/mpi/waiting.sh
dist_check_SCRIPTS += $(mpi_scripts)
TESTS += $(mpi_scripts)
# Buffers in device memory, on the driver's stand-in of tests/gpu.
dist_check_SCRIPTS += tests/mpi/device.sh
TESTS += tests/mpi/device.sh
if HAVE_TOOLS
dist_check_SCRIPTS += tests/mpi/tune.sh
TESTS += tests/mpi/tune.sh
else
EXTRA_DIST += tests/mpi/tune.sh
endif
EXTRA_DIST += tests/mpi/lib.sh

if HAVE_UCX
mpi_have_ucx = yes
else
mpi_have_ucx = no
endif
if HAVE_CUDA
mpi_have_cuda = yes
else
mpi_have_cuda = no
endif

# What the scripts need to know of the build.
check_DATA = tests/mpi/settings.sh
CLEANFILES += tests/mpi/settings.sh tests/mpi/no_help/mca_coll_cerar.so
tests/mpi/settings.sh: Makefile
	$(AM_V_GEN)$(MKDIR_P) tests/mpi && printf '%s=%s\n' \
	  mpirun '$(MPIRUN)' \
	  ompi_info '$(OMPI_INFO)' \
	  ompi_components '$(OMPI_PKGLIBDIR)' \
	  component_dir '$(abs_top_builddir)/component' \
	  have_ucx $(mpi_have_ucx) \
	  have_cuda $(mpi_have_cuda) > $@
