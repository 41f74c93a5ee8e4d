#!/usr/bin/env bash
# Counts the test cases of the last `make check` from its logs: those of GoogleTest, and those of programs that end with
# a line "N passed, M failed".
#   scripts/count_tests.sh BUILD-DIRECTORY [TEST…]   these tests; all of the configuration if not said
# Names what failed or was skipped, prints "N passed, M failed" and fails unless M is 0 and N is not. A skipped case counts as
# nothing; a test that broke off, did not run or counted nothing is one failure.
set -euo pipefail
cd "$1"
shift

passed=0
failed=0

complain() {
  failed=$((failed + 1))
  echo "FAILED $1: $2"
}

count_program() {
  local test=$1 log=${1%.test}.log trs=${1%.test}.trs
  if [[ ! -e $log || ! -e $trs ]]; then
    complain "$test" "did not run"
    return
  fi
  local result cases
  result=$(sed -n 's/^:test-result: *//p' "$trs")
  # shellcheck disable=SC2016 # $1… are awk's
  cases=$(awk '
    /^\[       OK \] .*\([0-9]+ ms\)$/ { passed++ }
    /^\[  FAILED  \] .*\([0-9]+ ms\)$/ { failed++; print "FAILED " program ": " $4 >"/dev/stderr" }
    /^\[  SKIPPED \] .*\([0-9]+ ms\)$/ { skipped++; print "skipped " program ": " $4 >"/dev/stderr" }
    /^[0-9]+ passed, [0-9]+ failed$/   { passed += $1; failed += $3 }
    END { print passed + 0, failed + 0, skipped + 0 }' program="$test" "$log")
  local good bad skipped
  read -r good bad skipped <<<"$cases"
  passed=$((passed + good))
  failed=$((failed + bad))
  case $result in
    PASS) ((good + bad + skipped)) || complain "$test" "counted no cases" ;;
    SKIP) echo "skipped $test" ;;
    *) ((bad)) || complain "$test" "broke off ($result), see $PWD/$log" ;;
  esac
}

(($#)) || mapfile -t tests < <(make --silent --no-print-directory list-tests)
for test in "${tests[@]:-$@}"; do
  count_program "$test"
done

echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
