# CERAR_DISTCHECK
# Sets DISTCHECK_FLAGS: the options that `make distcheck` configures its own build with, as this one was.
AC_DEFUN([CERAR_DISTCHECK], [
  DISTCHECK_FLAGS="--with-ompi=$with_ompi --with-ucx=$with_ucx --with-cuda=$with_cuda --with-boost=$with_boost"
  DISTCHECK_FLAGS="$DISTCHECK_FLAGS --enable-tests=$enable_tests --enable-benchmarks=$enable_benchmarks"
  DISTCHECK_FLAGS="$DISTCHECK_FLAGS --enable-tools=$enable_tools"
  DISTCHECK_FLAGS="$DISTCHECK_FLAGS --enable-werror=$enable_werror --enable-sanitizers=$enable_sanitizers"
  AC_SUBST([DISTCHECK_FLAGS])
])
