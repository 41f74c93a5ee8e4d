# CERAR_SUMMARY
# What was found, and where things go.
AC_DEFUN([CERAR_SUMMARY], [
  AS_ECHO([""])
  AS_ECHO(["cerar $PACKAGE_VERSION"])
  AS_ECHO(["  compiler       $CXX $STD_CXXFLAGS $CXXFLAGS"])
  AS_ECHO(["  sanitizers     $enable_sanitizers"])
  AS_ECHO(["  warnings fatal $enable_werror"])
  AS_ECHO(["  host kernels   portable`test $cerar_x86_64_v3 = no || echo ', x86-64-v3'`"])
  AS_ECHO(["  Open MPI       ${OMPI_VERSION:-no: libcerar only}${MPICC:+ ($MPICC)}"])
  AS_IF([test -n "$OMPI_SOURCE"], [AS_ECHO(["                 (sources $OMPI_SOURCE, built in $OMPI_BUILD)"])])
  AS_ECHO(["  UCX            ${UCX_VERSION:-no}"])
  AS_ECHO(["  CUDA           ${CUDA_VERSION:-no}`test $cerar_cuda = no || AS_ECHO([" ($NVCC, sm:$CUDA_ARCHS)"])`"])
  AS_ECHO(["  tools          $enable_tools"])
  AS_ECHO(["  tests          $enable_tests"])
  AS_ECHO(["  benchmarks     $enable_benchmarks"])
  AS_ECHO(["  libcerar in    $libdir"])
  AS_IF([test $cerar_ompi = yes],
    [AS_ECHO(["  component in   $mcadir"])
     AS_ECHO(["                 (Open MPI looks in $OMPI_PKGLIBDIR and \$HOME/.openmpi/components)"])])
  AS_ECHO([""])
])
