# CERAR_UCX
# --with-ucx[=DIR], --without-ucx. Sets UCX_CFLAGS, UCX_LIBS, the conditional and define HAVE_UCX.
AC_DEFUN([CERAR_UCX], [
  AC_ARG_WITH([ucx],
    [AS_HELP_STRING([--with-ucx@<:@=DIR@:>@], [UCX, 1.13 or newer, installed in DIR @<:@found by pkg-config@:>@])
AS_HELP_STRING([--without-ucx], [leave the UCX transport out])],
    [], [with_ucx=yes])
  cerar_ucx=no
  UCX_VERSION=
  AS_CASE([$with_ucx],
    [no], [],
    [AS_IF([test "$with_ucx" != yes],
       [for cerar_dir in "$with_ucx"/lib "$with_ucx"/lib64 "$with_ucx"/lib/*/; do
          AS_IF([test -f "$cerar_dir/pkgconfig/ucx.pc"],
            [PKG_CONFIG_PATH="$cerar_dir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"])
        done
        export PKG_CONFIG_PATH
        AS_IF([test ! -f "$with_ucx/include/ucp/api/ucp.h"],
          [CERAR_MISSING([UCX in $with_ucx (include/ucp/api/ucp.h)], [libucx-dev], [--without-ucx])])])
     PKG_CHECK_MODULES([UCX], [ucx >= 1.13], [cerar_ucx=yes],
       [CERAR_MISSING([UCX 1.13], [libucx-dev], [--without-ucx])])
     UCX_VERSION=`$PKG_CONFIG --modversion ucx`
     AC_DEFINE([HAVE_UCX], [1], [Define to 1 if the UCX transport is built.])])
  AC_SUBST([UCX_CFLAGS])
  AC_SUBST([UCX_LIBS])
  AC_SUBST([UCX_REQUIRES], [`test $cerar_ucx = no || echo ucx`])
  AM_CONDITIONAL([HAVE_UCX], [test $cerar_ucx = yes])
])
