# CERAR_TRY_CXX_FLAGS(FLAGS, [IF-ACCEPTED], [IF-NOT], [PROGRAM])
AC_DEFUN([CERAR_TRY_CXX_FLAGS], [
  AC_LANG_PUSH([C++])
  cerar_saved_cxxflags=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS $1"
  AC_LINK_IFELSE([m4_default([$4], [AC_LANG_PROGRAM])], [cerar_accepted=yes], [cerar_accepted=no])
  CXXFLAGS=$cerar_saved_cxxflags
  AC_LANG_POP([C++])
  AS_IF([test $cerar_accepted = yes], [$2], [$3])
])

# CERAR_COMPILER
# Sets STD_CXXFLAGS, VISIBILITY_FLAGS, WARN_FLAGS, SANITIZE_FLAGS, X86_64_V3_CXXFLAGS and the conditionals
# HAVE_X86_64_V3 and SANITIZE.
AC_DEFUN([CERAR_COMPILER], [
  AC_MSG_CHECKING([whether $CXX takes C++20])
  CERAR_TRY_CXX_FLAGS([-std=c++20],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     CERAR_MISSING([a compiler for C++20], [g++ (12 or newer)])],
    [AC_LANG_PROGRAM([[#include <concepts>
                       #include <span>
                       template <std::floating_point T> T twice(std::span<const T> x) { return x[0] * 2; }]],
                     [[const float x[1] = {0}; return static_cast<int>(twice<float>(x));]])])
  STD_CXXFLAGS=-std=c++20

  VISIBILITY_FLAGS=
  AC_MSG_CHECKING([for -fvisibility=hidden])
  CERAR_TRY_CXX_FLAGS([-fvisibility=hidden -Werror],
    [AC_MSG_RESULT([yes])
     VISIBILITY_FLAGS=-fvisibility=hidden],
    [AC_MSG_RESULT([no])])

  AC_MSG_CHECKING([for -march=x86-64-v3])
  CERAR_TRY_CXX_FLAGS([-march=x86-64-v3 -Werror],
    [cerar_x86_64_v3=yes], [cerar_x86_64_v3=no],
    [AC_LANG_PROGRAM([[#include <immintrin.h>]],
                     [[__m256 x = _mm256_setzero_ps();
                       x = _mm256_fmadd_ps(x, x, x);
                       return static_cast<int>(_mm256_cvtss_f32(x));]])])
  AC_MSG_RESULT([$cerar_x86_64_v3])
  X86_64_V3_CXXFLAGS=
  AS_IF([test $cerar_x86_64_v3 = yes],
    [X86_64_V3_CXXFLAGS=-march=x86-64-v3
     AC_DEFINE([HAVE_X86_64_V3], [1], [Define to 1 if kernels for x86-64-v3 are built.])])
  AM_CONDITIONAL([HAVE_X86_64_V3], [test $cerar_x86_64_v3 = yes])

  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [take compiler warnings for errors])],
    [], [enable_werror=no])
  WARN_FLAGS="-Wall -Wextra"
  AS_IF([test "$enable_werror" != no], [WARN_FLAGS="$WARN_FLAGS -Werror"])

  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers], [build with the address and undefined-behaviour sanitizers])],
    [], [enable_sanitizers=no])
  SANITIZE_FLAGS=
  AS_IF([test "$enable_sanitizers" != no],
    [# Enumerations come from C, where any number may be in one: the library checks them itself.
     SANITIZE_FLAGS="-fsanitize=address,undefined -fno-sanitize=enum -fno-sanitize-recover=all -fno-omit-frame-pointer"
     AC_MSG_CHECKING([whether the sanitizers work])
     CERAR_TRY_CXX_FLAGS([$SANITIZE_FLAGS],
       [AC_MSG_RESULT([yes])],
       [AC_MSG_RESULT([no])
        CERAR_MISSING([the sanitizers' run-time library], [libgcc-12-dev])])])
  AM_CONDITIONAL([SANITIZE], [test "$enable_sanitizers" != no])

  AC_SUBST([STD_CXXFLAGS])
  AC_SUBST([VISIBILITY_FLAGS])
  AC_SUBST([WARN_FLAGS])
  AC_SUBST([SANITIZE_FLAGS])
  AC_SUBST([X86_64_V3_CXXFLAGS])
])
