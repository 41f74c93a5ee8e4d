#!/usr/bin/env bash
# The library's unit tests with the address and undefined-behaviour sanitizers, then under valgrind; ends with
# "N passed, M failed".
#   scripts/check-sanitizers.sh [sanitizers|valgrind]   one of the two; both if not said
# Builds in _build/sanitizers and _build/valgrind.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly what=${1:-all}
passed=0
failed=0

check() { # BUILD-DIRECTORY [MAKE-ARGUMENT…]
  local build=$1 counts
  shift
  make --silent -C "$build" check -k "$@" >"$build/check.log" 2>&1 ||
    grep -hE '^(FAIL|ERROR):|ERROR: |runtime error:|^==[0-9]+== [A-Z]|make.*\*\*\*' "$build/check.log" \
      "$build"/tests/unit/*.log | head -n 60 || true
  counts=$(scripts/count_tests.sh "$build" | tee /dev/stderr | tail -n 1) || true
  passed=$((passed + ${counts%% *}))
  counts=${counts#*, }
  failed=$((failed + ${counts%% *}))
}

# Neither tool can look through another process's or a device's memory, so UCX keeps to what they see, and installs no hooks.
export UCX_TLS=self,tcp UCX_MEM_EVENTS=no

if [[ $what != valgrind ]]; then
  echo "Address and undefined-behaviour sanitizers"
  scripts/build.sh _build/sanitizers --enable-sanitizers --without-ompi --disable-benchmarks CXXFLAGS='-g -O1' >/dev/null
  export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
  check _build/sanitizers
fi

if [[ $what != sanitizers ]]; then
  echo "Valgrind"
  scripts/build.sh _build/valgrind --without-ompi --disable-benchmarks >/dev/null
  suppressions=$PWD/tests/unit/valgrind.supp
  check _build/valgrind LOG_COMPILER="valgrind --quiet --error-exitcode=99 --leak-check=full \
    --errors-for-leak-kinds=definite --suppressions=$suppressions"
fi

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
