check_PROGRAMS += tests/mpi/waiting
tests_mpi_waiting_SOURCES = tests/mpi/waiting.cpp $(mpi_headers)
tests_mpi_waiting_CPPFLAGS = $(mpi_cppflags)
tests_mpi_waiting_LDADD = $(MPI_LIBS)
dist_check_SCRIPTS += tests/mpi/waiting.sh
TESTS += tests/mpi/waiting.sh
