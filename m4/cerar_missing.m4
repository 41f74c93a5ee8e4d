# CERAR_MISSING(WHAT, DEBIAN-PACKAGE, [HOW-TO-DO-WITHOUT])
# Ends configure: names what is missing, where Debian has it and, if it can be done without, how.
AC_DEFUN([CERAR_MISSING], [
  AC_MSG_ERROR([$1 is missing.
    Debian's package: $2 (all of them at once: scripts/dependencies.sh)m4_ifval([$3], [
    Without it: $3])])
])
