#!/usr/bin/env bash
# The library's own tests, those that need no mpirun: with the address and undefined-behaviour sanitizers, and under valgrind.
# Ends with "N passed, M failed".
#   scripts/check-sanitizers.sh [quick|sanitizers|valgrind]
# quick: what moves data (engine, transports, C face), with the sanitizers, without rings of 64 ranks: minutes. Otherwise all
# programs, with one of the two; both if not said: valgrind takes an hour or more (rings of 64 ranks and devices' most of it).
# Under valgrind a long double is no more precise than a double: a case that needs more is skipped there, and named.
# Builds in _build/sanitizers, and for valgrind in _build/test, as scripts/test.sh does.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly what=${1:-all}
passed=0
failed=0

check() { # BUILD-DIRECTORY TESTS [MAKE-ARGUMENT…]
  local build=$1 tests=$2 counts
  shift 2
  # shellcheck disable=SC2086 # a list
  make --silent -C "$build" -k -j"$(nproc)" $tests >"$build/check.log" 2>&1 || true # counted below
  # Without the programs of other tests, which check-TESTS would build too.
  make --silent -C "$build" -k -j"$(nproc)" check-TESTS check_PROGRAMS= check_LTLIBRARIES= TESTS="$tests" "$@" >>"$build/check.log" 2>&1 ||
    show_findings "$build" "$tests"
  # shellcheck disable=SC2086 # a list
  counts=$(scripts/count_tests.sh "$build" $tests | tee /dev/stderr | tail -n 1) || true
  [[ $counts =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || { echo "no counts from $build" >&2; exit 1; }
  passed=$((passed + BASH_REMATCH[1]))
  failed=$((failed + BASH_REMATCH[2]))
}

tests_of() { # BUILD-DIRECTORY
  if [[ $what == quick ]]; then
    echo tests/unit/c_face_test tests/unit/ring_test tests/unit/transport_test
  else
    make --silent --no-print-directory -C "$1" list-tests | grep -E '^tests/(unit|gpu)/' | tr '\n' ' '
  fi
}

show_findings() { # BUILD-DIRECTORY TESTS
  grep -E '\*\*\*|error:' "$1/check.log" | head -n 20 || true
  local test
  for test in $2; do
    grep -H -A 12 -E '^==[0-9]+== ?(ERROR|[A-Z])|runtime error:|^\[  FAILED' "$1/$test.log" | head -n 60 || true
  done
}

# Neither tool can look through another process's memory, and UCX's hooks of memory functions confuse both.
export UCX_TLS=self,tcp UCX_MEM_EVENTS=no
# libpciaccess, within hwloc's plugin, does not free all.
export HWLOC_PLUGINS_BLACKLIST=hwloc_pci.so

if [[ $what != valgrind ]]; then
  echo "Address and undefined-behaviour sanitizers"
  # Expensive optimizations: without them GCC does not fuse multiplications and additions, which shows in rounding.
  # Not --enable-werror: with the sanitizers' checks in it GCC sees uninitialised variables that are none.
  # What quick runs wants neither CUDA nor the commands.
  parts=()
  [[ $what != quick ]] || parts=(--without-cuda --disable-tools)
  scripts/build.sh _build/sanitizers --enable-sanitizers --without-ompi --disable-benchmarks "${parts[@]}" CXXFLAGS='-g -O1 -fexpensive-optimizations'
  # A test of device memory wants to end by the signal itself, which ASan and UCX would catch.
  export ASAN_OPTIONS=detect_stack_use_after_return=1:handle_segv=0 UCX_HANDLE_ERRORS=none
  export UBSAN_OPTIONS=print_stacktrace=1
  if [[ $what == quick ]]; then export GTEST_FILTER='-*64Ranks*:Ranks/*/3'; fi
  check _build/sanitizers "$(tests_of _build/sanitizers)"
fi

if [[ $what == all || $what == valgrind ]]; then
  echo "Valgrind"
  scripts/build.sh _build/test --enable-werror
  check _build/test "$(tests_of _build/test)" LOG_COMPILER="./libtool --silent --mode=execute valgrind --quiet --error-exitcode=99 --leak-check=full \
--errors-for-leak-kinds=definite --suppressions=$PWD/tests/unit/valgrind.supp"
fi

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
