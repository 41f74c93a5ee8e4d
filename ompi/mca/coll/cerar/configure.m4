# Inside Open MPI's source tree, as ompi/mca/coll/cerar: finds an installed libcerar. CERAR's own build does not use it.
#
# MCA_ompi_coll_cerar_CONFIG([action-if-found], [action-if-not-found])
AC_DEFUN([MCA_ompi_coll_cerar_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/coll/cerar/Makefile])
    AC_ARG_WITH([cerar],
        [AS_HELP_STRING([--with-cerar(=DIR)],
                        [Build CERAR, the approximate all-reduce, with the libcerar installed in DIR (default: the one that pkg-config finds)])])
    coll_cerar_happy=no
    AS_IF([test "$with_cerar" != no],
        [MCA_ompi_coll_cerar_FIND
         AS_IF([test $coll_cerar_happy = no && test -n "$with_cerar"],
             [AC_MSG_ERROR([libcerar.pc is missing: --with-cerar=DIR needs a DIR where CERAR is installed])])])
    AC_SUBST([coll_cerar_CPPFLAGS])
    AC_SUBST([coll_cerar_LDFLAGS])
    AC_SUBST([coll_cerar_LIBS])
    AS_IF([test $coll_cerar_happy = yes], [$1], [$2])
])

AC_DEFUN([MCA_ompi_coll_cerar_FIND], [
    AC_PATH_PROG([coll_cerar_pkg_config], [pkg-config], [false])
    AC_MSG_CHECKING([for libcerar])
    # By the name of its file, so that no other is taken in its place.
    coll_cerar_pc=libcerar
    AS_CASE([$with_cerar], [''|yes], [],
        [coll_cerar_pc=`ls "$with_cerar"/lib*/pkgconfig/libcerar.pc "$with_cerar"/lib/*/pkgconfig/libcerar.pc 2>/dev/null | sed 1q`])
    AS_IF([test -n "$coll_cerar_pc" && $coll_cerar_pkg_config --exists "$coll_cerar_pc"],
        [coll_cerar_happy=yes
         coll_cerar_CPPFLAGS=`$coll_cerar_pkg_config --cflags "$coll_cerar_pc"`
         coll_cerar_LDFLAGS=`$coll_cerar_pkg_config --libs-only-L "$coll_cerar_pc"`
         coll_cerar_LIBS=`$coll_cerar_pkg_config --libs-only-l "$coll_cerar_pc"`
         coll_cerar_WRAPPER_EXTRA_LDFLAGS=$coll_cerar_LDFLAGS
         coll_cerar_WRAPPER_EXTRA_LIBS=$coll_cerar_LIBS
         AC_MSG_RESULT([`$coll_cerar_pkg_config --modversion "$coll_cerar_pc"`])],
        [AC_MSG_RESULT([no])])
])
