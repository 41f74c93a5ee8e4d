# CERAR_EIGEN
# Sets EIGEN_CFLAGS. As a system directory: warnings in its headers are not ours.
AC_DEFUN([CERAR_EIGEN], [
  PKG_CHECK_MODULES([EIGEN], [eigen3 >= 3.4], [], [CERAR_MISSING([Eigen 3.4], [libeigen3-dev])])
  EIGEN_CFLAGS=`AS_ECHO(["$EIGEN_CFLAGS"]) | $SED 's/-I */-isystem /g'`
])
