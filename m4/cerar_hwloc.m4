# CERAR_HWLOC
# Sets HWLOC_CFLAGS, HWLOC_LIBS.
AC_DEFUN([CERAR_HWLOC], [
  PKG_CHECK_MODULES([HWLOC], [hwloc >= 2.5], [], [CERAR_MISSING([hwloc 2.5], [libhwloc-dev])])
])
