# CERAR_NLOPT
# For the study of designs in bench/; to be called after CERAR_BENCHMARK. Sets NLOPT_CFLAGS and NLOPT_LIBS.
AC_DEFUN([CERAR_NLOPT], [
  AS_IF([test "$enable_benchmarks" != no],
    [PKG_CHECK_MODULES([NLOPT], [nlopt_cxx >= 2.7], [],
       [CERAR_MISSING([NLopt 2.7 for C++], [libnlopt-cxx-dev], [--disable-benchmarks])])])
])
