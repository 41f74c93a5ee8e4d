# CERAR_TOOLS
# --disable-tools. Sets CLI11_CFLAGS, JSON_CFLAGS and the conditional HAVE_TOOLS.
AC_DEFUN([CERAR_TOOLS], [
  AC_ARG_ENABLE([tools],
    [AS_HELP_STRING([--disable-tools], [do without the commands cerar_plan and cerar_tune, CLI11 and nlohmann-json])],
    [], [enable_tools=yes])
  AS_IF([test "$enable_tools" != no],
    [PKG_CHECK_MODULES([CLI11], [CLI11 >= 2.1], [],
       [CERAR_MISSING([CLI11 2.1], [libcli11-dev], [--disable-tools])])
     PKG_CHECK_MODULES([JSON], [nlohmann_json >= 3.9], [],
       [CERAR_MISSING([nlohmann-json 3.9], [nlohmann-json3-dev], [--disable-tools])])])
  AM_CONDITIONAL([HAVE_TOOLS], [test "$enable_tools" != no])
])
