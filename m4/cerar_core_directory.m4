# CERAR_CORE_DIRECTORY
# At its end configure removes core dumps with `rm -f core …`, and stumbles over a directory of that name: takes the word
# out of the commands that it runs then.
AC_DEFUN([CERAR_CORE_DIRECTORY], [
  AC_REQUIRE([AC_PROG_SED])
  trap >conftest.trap
  $SED 's/rm -f core \*/rm -f */' conftest.trap >conftest.sh
  . ./conftest.sh
])
