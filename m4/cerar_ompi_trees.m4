# CERAR_OMPI_TREES
# --with-ompi-source=DIR, --with-ompi-build=DIR: for an Open MPI that installs too few headers. Checks that both are of
# version OMPI_VERSION. Sets
#   OMPI_SOURCE OMPI_BUILD  the directories, absolute; empty: the installed headers do
AC_DEFUN([CERAR_OMPI_TREES], [
  AC_ARG_WITH([ompi-source],
    [AS_HELP_STRING([--with-ompi-source=DIR],
                    [sources of that Open MPI, where its installed headers are not enough (5.0 and later)])],
    [], [with_ompi_source=])
  AC_ARG_WITH([ompi-build],
    [AS_HELP_STRING([--with-ompi-build=DIR], [the directory it was built in @<:@that of its sources@:>@])],
    [], [with_ompi_build=$with_ompi_source])
  OMPI_SOURCE=
  OMPI_BUILD=
  AS_IF([test -n "$with_ompi_source$with_ompi_build"], [
    AS_IF([test -z "$with_ompi_source"], [AC_MSG_ERROR([--with-ompi-build needs --with-ompi-source])])
    CERAR_OMPI_TREE([OMPI_SOURCE], [--with-ompi-source], [$with_ompi_source], [ompi/mca/coll/coll.h], [VERSION],
                    [s/^\(major\|minor\|release\)=//p])
    CERAR_OMPI_TREE([OMPI_BUILD], [--with-ompi-build], [$with_ompi_build], [opal/include/opal_config.h],
                    [ompi/include/ompi/version.h], [s/^.define OMPI_\(MAJOR\|MINOR\|RELEASE\)_VERSION //p])
  ])
])

# CERAR_OMPI_TREE(VARIABLE, OPTION, DIR, HEADER, FILE-WITH-VERSION, SED-SCRIPT)
# The script prints the version's three parts, a line each.
AC_DEFUN([CERAR_OMPI_TREE], [
  AS_CASE([$3], [yes|no], [AC_MSG_ERROR([$2 needs a directory])])
  AC_MSG_CHECKING([for Open MPI $OMPI_VERSION in $3])
  AS_IF([test ! -f "$3/$4"],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$2=$3: $4 is not there])])
  cerar_tree_version=`$SED -n '$6' "$3/$5" | tr '\n' . | $SED 's/.$//'`
  AC_MSG_RESULT([$cerar_tree_version])
  AS_IF([test "$cerar_tree_version" != "$OMPI_VERSION"],
    [AC_MSG_ERROR([$2=$3 is Open MPI $cerar_tree_version, but $MPICC belongs to $OMPI_VERSION.
    Another one: --with-ompi=DIR])])
  $1=`cd "$3" && pwd`
])

# CERAR_OMPI_TREE_CPPFLAGS
# Appends the header directories of both trees, and those that were configured in, to OMPI_CPPFLAGS, as system
# directories: warnings in Open MPI's own headers are not ours.
AC_DEFUN([CERAR_OMPI_TREE_CPPFLAGS], [
  AS_IF([test -n "$OMPI_SOURCE"], [
    for cerar_dir in "$OMPI_SOURCE" "$OMPI_BUILD"; do
      for cerar_internal in "$cerar_dir" "$cerar_dir"/opal/include "$cerar_dir"/ompi/include \
                            "$cerar_dir"/3rd-party/*/include; do
        AS_IF([test -d "$cerar_internal"], [OMPI_CPPFLAGS="$OMPI_CPPFLAGS -isystem $cerar_internal"])
      done
    done
    for cerar_flag in `$SED -n 's/^CPPFLAGS = //p' "$OMPI_BUILD/Makefile"`; do
      AS_CASE([$cerar_flag], [-I/*], [OMPI_CPPFLAGS="$OMPI_CPPFLAGS -isystem `AS_ECHO(["$cerar_flag"]) | $SED 's/^-I//'`"])
    done
  ])
])
