# CERAR_CUDA
# --with-cuda[=DIR], --without-cuda; without either, CUDA is used if there is an nvcc. Sets
#   NVCC FATBINARY  the programs
#   CUDA_ARCHS      what kernels are compiled for: those of 80 90 100 that nvcc knows, if it knows C++20
#   CUDA_CPPFLAGS   where cuda.h is: for tests alone
# the conditionals HAVE_CUDA and HAVE_CUDA_H.

# CERAR_CUDA_H
# Where nvcc has its headers only it knows: it may be a script that calls the real one.
# A compiler without headers can still make the kernels, so that only a test is lost without them.
AC_DEFUN([CERAR_CUDA_H], [
  AC_MSG_CHECKING([where cuda.h is])
  cerar_cuda_h=
  echo >conftest.cu
  cerar_told=`"$NVCC" --dryrun conftest.cu 2>&1 | $SED -n 's/^#\$ INCLUDES="-I\(@<:@^"@:>@*\)".*/\1/p'`
  rm -f conftest.cu
  AS_IF([test -f "$cerar_told/cuda.h"], [cerar_cuda_h=$cerar_told])
  AC_MSG_RESULT([${cerar_cuda_h:-not found}])
  AS_IF([test -n "$cerar_cuda_h"], [CUDA_CPPFLAGS="-isystem $cerar_cuda_h"])
])

AC_DEFUN([CERAR_CUDA], [
  AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@], [build for CUDA, whose toolkit is in DIR @<:@if there is an nvcc@:>@])
AS_HELP_STRING([--without-cuda], [without kernels: the host computes on what is in device memory])],
    [], [with_cuda=check])
  AS_CASE([$with_cuda],
    [no], [cerar_path=],
    [yes|check], [cerar_path=$PATH:/usr/local/cuda/bin],
    [cerar_path=$with_cuda/bin])
  NVCC=no
  FATBINARY=no
  AS_IF([test -n "$cerar_path"],
    [AC_PATH_PROG([NVCC], [nvcc], [no], [$cerar_path])
     # It looks for its own parts beside the name that it is called by.
     AS_IF([test "$NVCC" != no], [NVCC=`readlink -f "$NVCC"`])
     AC_PATH_PROG([FATBINARY], [fatbinary], [no], [$cerar_path:`AS_DIRNAME(["$NVCC"])`])])
  cerar_cuda=no
  CUDA_ARCHS=
  CUDA_CPPFLAGS=
  cerar_cuda_h=
  CUDA_VERSION=
  AS_IF([test "$NVCC" != no && test "$FATBINARY" != no],
    [AC_MSG_CHECKING([what $NVCC compiles C++20 for])
     for cerar_arch in 80 90 100; do
       AS_IF(["$NVCC" --list-gpu-code 2>/dev/null | $GREP "^sm_$cerar_arch\$" >/dev/null],
         [AS_VAR_APPEND([CUDA_ARCHS], [" $cerar_arch"])])
     done
     # CUDA 11 has no C++20, and later ones not with every host compiler.
     echo >conftest.cu
     AS_IF(["$NVCC" -std=c++20 -cubin -o conftest.cubin conftest.cu >&AS_MESSAGE_LOG_FD 2>&1], [], [CUDA_ARCHS=])
     rm -f conftest.cu conftest.cubin
     AC_MSG_RESULT([${CUDA_ARCHS:-nothing of use}])])
  AS_IF([test -n "$CUDA_ARCHS"],
    [cerar_cuda=yes
     CUDA_VERSION=`"$NVCC" --version | $SED -n 's/.*release \(@<:@0-9.@:>@*\).*/\1/p'`
     CERAR_CUDA_H],
    [test "$with_cuda" != no && test "$with_cuda" != check],
    [AC_MSG_ERROR([--with-cuda: no nvcc in $cerar_path that compiles C++20 for sm_80 or newer.
    Debian's package: nvidia-cuda-toolkit (non-free), or NVIDIA's own CUDA toolkit
    Without it: --without-cuda])])
  AC_SUBST([CUDA_ARCHS])
  AC_SUBST([CUDA_CPPFLAGS])
  AM_CONDITIONAL([HAVE_CUDA], [test $cerar_cuda = yes])
  AM_CONDITIONAL([HAVE_CUDA_H], [test -n "$cerar_cuda_h"])
])
