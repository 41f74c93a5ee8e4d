#!/usr/bin/env bash
# Debian's LAMMPS, HPC Challenge and the test suite of mpi4py, as they are, on four ranks: the same results with CERAR, exact, as
# without it. Ends with "N passed, M failed". Takes half an hour or more; not part of `make check`.
#   scripts/check-programs.sh [CONFIGURE-OPTION…]
# The build is in _build/test, or where BUILD_DIR says. PROGRAMS="lammps hpcc mpi4py": these alone. MPI4PY_SOURCE: the directory
# of mpi4py's unpacked source package; else apt-get gets it.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${BUILD_DIR:-_build/test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. scripts/checks.sh
scripts/dependencies.sh programs
scripts/build.sh "$build" --enable-werror "$@"
make --silent -C "$build" tests/mpi/settings.sh

in_build() { # SCRIPT
  (cd "$build" && bash "$srcdir/tests/programs/$1.sh")
}

get_mpi4py() {
  scripts/debian_source.sh mpi4py "$work/mpi4py"
}

export srcdir=$PWD MPI4PY_SOURCE
for program in ${PROGRAMS:-lammps hpcc mpi4py}; do
  if [[ $program == mpi4py && -z ${MPI4PY_SOURCE:-} ]]; then
    check "the sources of mpi4py" get_mpi4py
    MPI4PY_SOURCE=$work/mpi4py/source
    [[ -d $MPI4PY_SOURCE ]] || continue
  fi
  count "$program" in_build "$program"
done
finish
