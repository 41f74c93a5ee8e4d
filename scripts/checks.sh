# Shared by the scripts that check something in steps, which source it. They set work, a directory of their own, and end with
# finish: "N passed, M failed".

passed=0
failed=0

# Runs a command; its output is in $work/log-NAME, and its end is shown if it fails.
check() { # NAME COMMAND…
  local name=$1 log
  log="$work/log-$(tr -c 'A-Za-z0-9\n' - <<<"$name")"
  shift
  SECONDS=0
  if "$@" >"$log" 2>&1; then
    passed=$((passed + 1))
    echo "passed: $name (${SECONDS} s)"
  else
    failed=$((failed + 1))
    echo "FAILED: $name (${SECONDS} s)"
    tail -n 40 "$log" | sed 's/^/    | /'
  fi
}

# The same, and nothing can follow if it fails.
step() { # NAME COMMAND…
  check "$@"
  ((failed == 0)) || finish
}

# Adds what a program counts in its last line, which is shown with the rest.
count() { # NAME COMMAND…
  local name=$1 log="$work/log-$1" last
  shift
  echo "=== $name"
  "$@" 2>&1 | tee "$log" || true # counted below
  last=$(tail -n 1 "$log")
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] && ((BASH_REMATCH[1] + BASH_REMATCH[2])); then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1))
    echo "FAILED: $name broke off"
  fi
}

finish() {
  echo "$passed passed, $failed failed"
  ((failed == 0 && passed > 0))
  exit
}
