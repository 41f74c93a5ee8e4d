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
scripts/dependencies.sh programs
scripts/build.sh "$build" --enable-werror "$@"
make --silent -C "$build" tests/mpi/settings.sh

# Debian's source package of mpi4py, by a configuration of apt's of its own.
get_mpi4py() {
  mkdir -p "$work/apt/lists/partial" "$work/apt/parts"
  echo "deb-src http://deb.debian.org/debian bookworm main" >"$work/apt/sources.list"
  local options=(-o "Dir::Etc::SourceList=$work/apt/sources.list" -o "Dir::Etc::SourceParts=$work/apt/parts"
    -o "Dir::State::Lists=$work/apt/lists" -o APT::Sandbox::User=root)
  (cd "$work" && apt-get "${options[@]}" update -qq && apt-get "${options[@]}" source -qq mpi4py) >"$work/apt/log" 2>&1 || {
    cat "$work/apt/log" >&2
    return 1
  }
  MPI4PY_SOURCE=$(echo "$work"/mpi4py-*/)
}

passed=0
failed=0

check() { # PROGRAM
  local log=$work/$1.log last
  echo "=== $1"
  (cd "$build" && bash "$srcdir/tests/programs/$1.sh") 2>&1 | tee "$log" || true # counted below
  last=$(tail -n 1 "$log")
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] && ((BASH_REMATCH[1] + BASH_REMATCH[2])); then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1))
    echo "FAILED: $1 broke off"
  fi
}

export srcdir=$PWD MPI4PY_SOURCE
for program in ${PROGRAMS:-lammps hpcc mpi4py}; do
  if [[ $program == mpi4py && -z ${MPI4PY_SOURCE:-} ]] && ! get_mpi4py; then
    failed=$((failed + 1))
    echo "FAILED: no source package of mpi4py"
    continue
  fi
  check "$program"
done
echo "$passed passed, $failed failed"
((failed == 0))
