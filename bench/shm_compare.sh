#!/usr/bin/env bash
# All-reduce on shared memory: Open MPI's own choice beside CERAR, exact with c = N components. Configurations take turns, so
# that what the machine does besides hits them alike.
#
#   bench/shm_compare.sh [OPTION...]
#     --build DIR         build directory (the one we are in); its component is used, or else an installed one
#     --ranks LIST        numbers of ranks ("4 2")
#     --bytes BYTES       size of the vector of float (67108864)
#     --iterations N      timed calls a run, after two that are not; a run gives their median (11)
#     --repetitions N     runs of each configuration; the table has the median of their medians (3)
#     --transports LIST   ("ucx pml")
#
# The table: milliseconds (median, least and greatest of the runs); time over that of Open MPI's own choice; relative error and
# spread between ranks of one more, checked run; MB a call that rank 0's transport counted.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/compare_lib.sh
. "$here/compare_lib.sh"

build='' ranks='4 2' bytes=67108864 iterations=11 repetitions=3 transports='ucx pml'
read_options "build ranks bytes iterations repetitions transports" "$@"
for n in $ranks; do whole --ranks "$n" 2; done
whole --bytes "$bytes" 4
whole --iterations "$iterations" 1
whole --repetitions "$repetitions" 1
for t in $transports; do [[ $t == ucx || $t == pml ]] || die "--transports: got '$t', expected ucx or pml"; done

use_build "$build"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

names=() arguments=()
for n in $ranks; do
  names+=("$n ranks|Open MPI's choice")
  arguments+=("-n $n --oversubscribe")
  for transport in $transports; do
    names+=("$n ranks|cerar c=$n $transport")
    arguments+=("-n $n --oversubscribe $(cerar_arguments "$n" "$transport")")
  done
done

run() { # CONFIGURATION PROGRAM-ARGUMENTS
  local k=$1
  shift
  # shellcheck disable=SC2086 # a list
  run_program mpirun ${arguments[k]} -- -m "$bytes:$bytes" "$@"
}

for ((k = 0; k < ${#names[@]}; k++)); do
  echo "checking ${names[k]/|/, }" >&2
  run "$k" -i 1 -c -u 0 --tolerance 1 |
    awk -v k="$k" -v name="${names[k]}" '{print k "|" name "|" $5 "|" $6}' >>"$scratch/checks"
done
for ((r = 1; r <= repetitions; r++)); do
  for ((k = 0; k < ${#names[@]}; k++)); do
    echo "repetition $r of $repetitions: ${names[k]/|/, }" >&2
    run "$k" -i "$iterations" -x 2 |
      awk -v k="$k" '{print k, $3 / 1e3, ($6 > 0 ? $5 / $6 / 1e6 : 0)}' >>"$scratch/times"
  done
done

describe_machine
echo "# $bytes bytes of float, $repetitions runs of $iterations calls"
awk "$awk_statistics"'
  FNR == NR {n[$1]++; time[$1, n[$1]] = $2; counted[$1] = $3; next}
  FNR == 1 {
    printf "%-8s %-20s %9s %19s %10s %10s %10s %9s\n", "#", "configuration", "ms", "(least-greatest)", "of choice",
      "rel error", "spread", "MB sent"
  }
  {
    split($0, f, "|"); k = f[1]
    for (i = 1; i <= n[k]; ++i) x[i] = time[k, i]
    middle = median(x, n[k])
    if (f[3] ~ /choice/) choice = middle
    printf "%-8s %-20s %9.2f %19s %10.3f %10s %10s %9s\n", f[2], f[3], middle, sprintf("(%.2f-%.2f)", x[1], x[n[k]]),
      middle / choice, f[4], f[5], (counted[k] > 0 ? sprintf("%.2f", counted[k]) : "-")
  }' "$scratch/times" "$scratch/checks"
