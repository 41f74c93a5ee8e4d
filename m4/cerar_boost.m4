# CERAR_BOOST
# Boost.Multiprecision, headers only. Sets BOOST_CPPFLAGS from --with-boost=DIR.
AC_DEFUN([CERAR_BOOST], [
  AC_ARG_WITH([boost],
    [AS_HELP_STRING([--with-boost=DIR], [Boost's headers are in DIR/include])],
    [], [with_boost=yes])
  BOOST_CPPFLAGS=
  AS_CASE([$with_boost],
    [no], [AC_MSG_ERROR([--without-boost: Boost.Multiprecision cannot be done without])],
    [yes], [],
    [BOOST_CPPFLAGS="-isystem $with_boost/include"])
  AC_LANG_PUSH([C++])
  cerar_saved_cppflags=$CPPFLAGS
  cerar_saved_cxxflags=$CXXFLAGS
  CPPFLAGS="$CPPFLAGS $BOOST_CPPFLAGS"
  CXXFLAGS="$CXXFLAGS $STD_CXXFLAGS"
  AC_CHECK_HEADER([boost/multiprecision/cpp_bin_float.hpp], [],
    [CERAR_MISSING([Boost.Multiprecision], [libboost-dev])])
  CPPFLAGS=$cerar_saved_cppflags
  CXXFLAGS=$cerar_saved_cxxflags
  AC_LANG_POP([C++])
  AC_SUBST([BOOST_CPPFLAGS])
])
