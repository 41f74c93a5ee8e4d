# CERAR_FMT
# Sets FMT_CFLAGS, FMT_LIBS.
AC_DEFUN([CERAR_FMT], [
  PKG_CHECK_MODULES([FMT], [fmt >= 9], [], [CERAR_MISSING([fmt 9], [libfmt-dev])])
])
