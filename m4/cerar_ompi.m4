# CERAR_OMPI
# --with-ompi=DIR, --without-ompi, --with-mca-dir=DIR, and those of CERAR_OMPI_TREES. Asks Open MPI's compiler wrapper for
# everything. Sets
#   MPICC MPICXX MPIRUN   the programs
#   MPI_CPPFLAGS MPI_LIBS what an MPI program in C or C++ needs
#   OMPI_CPPFLAGS         MPI_CPPFLAGS and the directories of Open MPI's development headers
#   OMPI_LIBS             MPI_LIBS and the library of what the component uses below MPI
#   OMPI_VERSION OMPI_PKGLIBDIR mcadir
# and the conditional and define HAVE_OMPI.
AC_DEFUN([CERAR_OMPI], [
  AC_ARG_WITH([ompi],
    [AS_HELP_STRING([--with-ompi=DIR], [Open MPI with its development headers, installed in DIR @<:@found by mpicc@:>@])
AS_HELP_STRING([--without-ompi], [build libcerar only])],
    [], [with_ompi=yes])
  AC_ARG_WITH([mca-dir],
    [AS_HELP_STRING([--with-mca-dir=DIR], [install mca_coll_cerar.so in DIR @<:@LIBDIR/openmpi@:>@])],
    [], [with_mca_dir=])
  AS_CASE([$with_mca_dir],
    [yes|no], [AC_MSG_ERROR([--with-mca-dir needs a directory])],
    [''], [mcadir='${libdir}/openmpi'],
    [/*], [mcadir=$with_mca_dir],
    [AC_MSG_ERROR([--with-mca-dir=$with_mca_dir: not an absolute path])])
  AC_SUBST([mcadir])

  cerar_ompi=no
  AS_IF([test "$with_ompi" != no], [
    AS_IF([test "$with_ompi" = yes], [cerar_path=$PATH], [cerar_path=$with_ompi/bin])
    AC_PATH_PROGS([MPICC], [mpicc.openmpi mpicc], [], [$cerar_path])
    AC_PATH_PROGS([MPICXX], [mpicxx.openmpi mpicxx], [], [$cerar_path])
    AC_PATH_PROGS([MPIRUN], [mpirun.openmpi mpirun], [], [$cerar_path])
    AC_PATH_PROG([OMPI_INFO], [ompi_info], [], [$cerar_path])
    AS_IF([test -z "$MPICC"],
      [CERAR_MISSING([Open MPI (mpicc in $cerar_path)], [libopenmpi-dev], [--without-ompi (libcerar only)])])
    AS_IF([test -z "$MPIRUN" || test -z "$OMPI_INFO"],
      [CERAR_MISSING([Open MPI's mpirun and ompi_info (in $cerar_path)], [openmpi-bin], [--without-ompi (libcerar only)])])

    AC_MSG_CHECKING([for Open MPI's version])
    OMPI_VERSION=`$MPICC -showme:version 2>/dev/null | $SED -n 's/.*Open MPI \(@<:@0-9@:>@@<:@0-9.@:>@*\).*/\1/p'`
    AS_IF([test -z "$OMPI_VERSION"],
      [AC_MSG_RESULT([none])
       CERAR_MISSING([Open MPI ($MPICC belongs to another MPI; say --with-ompi=DIR)], [libopenmpi-dev],
                     [--without-ompi (libcerar only)])])
    AC_MSG_RESULT([$OMPI_VERSION])
    CERAR_OMPI_TREES

    MPI_CPPFLAGS=-DOMPI_SKIP_MPICXX
    OMPI_CPPFLAGS=
    for cerar_dir in `$MPICC -showme:incdirs`; do
      AS_IF([test -f "$cerar_dir/mpi.h"], [MPI_CPPFLAGS="$MPI_CPPFLAGS -I$cerar_dir"])
      # The trees come in place of what is installed: the same header twice is one too many.
      AS_IF([test -n "$OMPI_SOURCE"], [continue])
      # As system directories: warnings in Open MPI's own headers are not ours.
      for cerar_internal in "$cerar_dir" "$cerar_dir/openmpi"; do
        AS_IF([test -f "$cerar_internal/ompi_config.h"],
          [AS_CASE([" $OMPI_CPPFLAGS "],
             [*" -isystem $cerar_internal "*], [],
             [OMPI_CPPFLAGS="$OMPI_CPPFLAGS -isystem $cerar_internal"])])
      done
    done
    CERAR_OMPI_TREE_CPPFLAGS
    OMPI_CPPFLAGS="$MPI_CPPFLAGS$OMPI_CPPFLAGS"
    MPI_LIBS=`$MPICC -showme:link`
    OMPI_LIBS="$MPI_LIBS -lopen-pal"
    OMPI_PKGLIBDIR=`$OMPI_INFO --parsable --path pkglibdir | $SED -n 's/^path:pkglibdir://p'`

    AC_MSG_CHECKING([for Open MPI's development headers])
    AC_LANG_PUSH([C])
    cerar_saved_cppflags=$CPPFLAGS
    cerar_saved_libs=$LIBS
    CPPFLAGS="$CPPFLAGS $OMPI_CPPFLAGS"
    LIBS="$OMPI_LIBS $LIBS"
    AC_LINK_IFELSE(
      [AC_LANG_PROGRAM([[#include <ompi_config.h>
                         #include <ompi/communicator/communicator.h>
                         #include <ompi/mca/coll/coll.h>
                         #include <opal/runtime/opal_progress.h>]],
                       [[mca_coll_base_module_t module; (void)module; opal_progress(); return 0;]])],
      [cerar_ompi=yes])
    CPPFLAGS=$cerar_saved_cppflags
    LIBS=$cerar_saved_libs
    AC_LANG_POP([C])
    AC_MSG_RESULT([$cerar_ompi])
    AS_IF([test $cerar_ompi = no],
      [CERAR_MISSING([a part of Open MPI $OMPI_VERSION that a component needs (config.log has the compiler's words; where installed headers are not enough, as in 5.0, say --with-ompi-source=DIR --with-ompi-build=DIR)],
                     [libopenmpi-dev], [--without-ompi (libcerar only)])])
    AC_DEFINE([HAVE_OMPI], [1], [Define to 1 if the Open MPI component is built.])
    AC_DEFINE_UNQUOTED([CERAR_OMPI_VERSION], ["$OMPI_VERSION"], [The version of Open MPI that the component is for.])
  ])
  AM_CONDITIONAL([HAVE_OMPI], [test $cerar_ompi = yes])
  AC_SUBST([MPI_CPPFLAGS])
  AC_SUBST([MPI_LIBS])
  AC_SUBST([OMPI_CPPFLAGS])
  AC_SUBST([OMPI_LIBS])
  AC_SUBST([OMPI_VERSION])
  AC_SUBST([OMPI_PKGLIBDIR])
])
