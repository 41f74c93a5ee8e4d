#!/usr/bin/env bash
# The lab: hosts are apart, links are shaped and counted, names and addresses do not collide, and nothing stays behind.
# Skipped where network namespaces do not work. Ends with "N passed, M failed".
set -u

lab=${srcdir:-.}/bench/lab
export LAB_NAME=labtest
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
passed=0
failed=0

expect() { # WHAT COMMAND...: a case; it passes if the command succeeds
  local what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: $what"
  fi
}

equal() { # GOT WANTED
  [[ $1 == "$2" ]] || {
    echo "  | got '$1', not '$2'"
    return 1
  }
}

refused() { # PATTERN COMMAND...: a case; the command fails and says so
  local pattern=$1 said
  shift
  if said=$("$@" 2>&1); then
    expect "'$*' is refused" false
  else
    expect "'$*' says '$said', not '$pattern'" grep -Eq -- "$pattern" <<<"$said"
  fi
}

outside() { # what a lab must leave as it is; another test's lab may come and go
  cat /etc/hosts
  ip -o link | sort
  ip netns list | grep '^labtest' || true
}

as_nobody() { setpriv --reuid 65534 --clear-groups "$@"; }
second_lab() { LAB_NAME=labtwo "$lab" "$@"; }

if ! reason=$("$lab" check 2>&1); then
  echo "skipped: $reason"
  exit 77
fi
"$lab" down 2>/dev/null
second_lab down 2>/dev/null
scratch=$(mktemp -d)
trap '"$lab" down 2>/dev/null; second_lab down 2>/dev/null; rm -rf "$scratch"' EXIT
before=$(outside)

refused 'HOSTS is .0.' "$lab" up 0 10mbit
refused 'RATE is .fast.' "$lab" up 2 fast
refused 'RANKS is .x.' "$lab" up 2 10mbit x
refused 'no lab .labtest. is up' "$lab" status
refused 'LAB_TCP is .none.' env LAB_TCP=none "$lab" up 2 10mbit
refused 'LAB_NAME is .Lab-1.' env LAB_NAME=Lab-1 "$lab" up 2 10mbit
refused 'network namespaces need root' as_nobody "$lab" up 2 10mbit
ip netns add labtest1
refused 'namespace labtest1 that is no lab' "$lab" up 2 10mbit
ip netns del labtest1
expect "a refused 'up' leaves nothing behind" equal "$(outside)" "$before"

expect "up" "$lab" up 3 20mbit 2
refused 'is up already' "$lab" up 2 10mbit
expect "a second lab beside the first" second_lab up 2 10mbit
expect "status" grep -q "'labtest': 3 hosts at 20mbit, 2 rank(s) a host" <<<"$("$lab" status)"
refused 'HOST is .3.' "$lab" run 3 true
expect "a host's name" equal "$("$lab" run 1 hostname)" labtest1
expect "arguments are kept whole" equal "$("$lab" run 2 printf '%s|' a 'b c' "d'\$e")" "a|b c|d'\$e|"
names=$(timeout 60 "$lab" mpirun hostname | sort | tr '\n' ' ')
expect "ranks of mpirun" equal "$names" "labtest0 labtest0 labtest1 labtest1 labtest2 labtest2 "

# A stream over one link: what is counted, where, and how fast it can have been at most.
"$lab" bytes reset
head -c 1000000 /dev/zero >"$scratch/sent"
# shellcheck disable=SC2016 # for the shell on the host
"$lab" run 0 bash -c 'for i in $(seq 100); do exec 3<>/dev/tcp/10.77.0.2/7000 && break; sleep 0.1; done 2>/dev/null
  date +%s%N; cat >&3' <"$scratch/sent" >"$scratch/start" &
sender=$!
# shellcheck disable=SC2016 # $… are perl's
received=$(timeout 60 "$lab" run 1 perl -MIO::Socket::INET -e '
  my $l = IO::Socket::INET->new(LocalPort => 7000, Listen => 1, ReuseAddr => 1) or die;
  my $s = $l->accept; my $n = 0; while (my $got = sysread($s, my $x, 65536)) { $n += $got } print $n')
took=$(($(date +%s%N) - $(cat "$scratch/start")))
wait "$sender"
expect "a stream between two hosts" equal "$received" 1000000
# 20 Mbit/s: 0.4 s, less what the bucket (128 KiB) lets through at once. No machine is too slow for that.
expect "1 MB at 20 Mbit/s took $took ns" test "$took" -gt 300000000
counted=$("$lab" bytes | awk '
  $1 == "labtest0" && $2 >= 1000000 && $2 < 1200000 {++good}
  $1 == "labtest1" && $3 >= 1000000 && $3 < 1200000 {++good}
  $1 == "labtest2" && $2 < 50000 {++good}
  END {print good}')
expect "bytes are counted where they went" equal "$counted" 3

"$lab" run 0 sleep 1000 2>/dev/null &
sleeper=$!
for _ in {1..100}; do [[ -z $(ip netns pids labtest0) ]] || break; sleep 0.1; done
expect "down" "$lab" down
{ wait "$sleeper"; } 2>/dev/null
expect "a process on a host ends with the lab" equal "$?" 137
expect "'down' leaves nothing behind" equal "$(outside)" "$before"
expect "the second lab is still up" second_lab run 1 true

echo "$passed passed, $failed failed"
((failed == 0))
