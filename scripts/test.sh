#!/usr/bin/env bash
# Installs what is missing, builds, runs all tests; ends with "N passed, M failed".
#   scripts/test.sh [CONFIGURE-OPTION…]
# The build is in _build/test, or where BUILD_DIR says.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${BUILD_DIR:-_build/test}
scripts/dependencies.sh test
scripts/build.sh "$build" --enable-werror "$@"

echo "Building the tests"
if ! make --silent -C "$build" -j"$(nproc)" check TESTS= >"$build/check.log" 2>&1; then
  grep -E 'error:|\*\*\*' "$build/check.log" || cat "$build/check.log"
  exit 1
fi

echo "Testing"
# One test at a time: those under mpirun use all processors. The counts tell what failed.
make --silent -C "$build" check -k >"$build/check.log" 2>&1 || status=$?
grep -E '^(PASS|FAIL|SKIP|XPASS|ERROR):' "$build/check.log" || cat "$build/check.log"
if ((${status:-0})); then
  find "$build/tests" -name '*.trs' -exec grep -lE '^:test-result: (FAIL|ERROR)' {} + | while read -r trs; do
    echo "--- the end of ${trs%.trs}.log"
    tail -n 60 "${trs%.trs}.log"
  done
fi
scripts/count_tests.sh "$build"
