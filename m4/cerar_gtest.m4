# CERAR_GTEST
# --disable-tests. Sets GTEST_CFLAGS, GTEST_LIBS (with its main) and the conditional HAVE_GTEST.
AC_DEFUN([CERAR_GTEST], [
  AC_ARG_ENABLE([tests],
    [AS_HELP_STRING([--disable-tests], [do without GoogleTest; make check then fails])],
    [], [enable_tests=yes])
  AS_IF([test "$enable_tests" != no],
    [PKG_CHECK_MODULES([GTEST], [gtest_main >= 1.12], [],
       [CERAR_MISSING([GoogleTest 1.12], [libgtest-dev], [--disable-tests])])])
  AM_CONDITIONAL([HAVE_GTEST], [test "$enable_tests" != no])
])
