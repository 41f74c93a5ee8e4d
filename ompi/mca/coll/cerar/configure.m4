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
    coll_cerar_path=$PKG_CONFIG_PATH
    AS_CASE([$with_cerar], [''|yes], [],
        [coll_cerar_path=
         for coll_cerar_dir in "$with_cerar"/lib "$with_cerar"/lib64 "$with_cerar"/lib/*; do
             coll_cerar_path="$coll_cerar_path:$coll_cerar_dir/pkgconfig"
         done])
    coll_cerar_ask="env PKG_CONFIG_PATH=$coll_cerar_path $coll_cerar_pkg_config"
    AS_IF([$coll_cerar_ask --exists libcerar],
        [coll_cerar_happy=yes
         coll_cerar_CPPFLAGS=`$coll_cerar_ask --cflags libcerar`
         coll_cerar_LDFLAGS=`$coll_cerar_ask --libs-only-L libcerar`
         coll_cerar_LIBS=`$coll_cerar_ask --libs-only-l libcerar`
         coll_cerar_WRAPPER_EXTRA_LDFLAGS=$coll_cerar_LDFLAGS
         coll_cerar_WRAPPER_EXTRA_LIBS=$coll_cerar_LIBS
         AC_MSG_RESULT([`$coll_cerar_ask --modversion libcerar`])],
        [AC_MSG_RESULT([no])])
])
