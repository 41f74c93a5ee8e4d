#!/usr/bin/env bash
# Tolerances over slow links: does the measured error keep what the user allows, and is the chosen code the fastest that
# does? On a lab of one rank a host. Needs root.
#
#   bench/lab_tolerance.sh [OPTION...]
#     --build DIR         build directory (the one we are in); its component is used, or else an installed one
#     --hosts N           hosts (8)
#     --rate RATE         rate of each link (200mbit)
#     --bytes BYTES       size of the vector (16777216)
#     --iterations N      timed calls a run, after one that is not; a run gives their median (3)
#     --repetitions N     runs of each; the tables have the median of their medians (3)
#     --float LIST        tolerances for float ("1e-2 1e-3 1e-4 1e-6")
#     --double LIST       tolerances for double ("1e-2 1e-3 1e-4 1e-6 1e-8 1e-10 1e-12")
#
# First table: the candidates, c = N, 2N … 8N: seconds and relative error on Gaussian data. Second table: for each tolerance
# the c that CERAR chose, its error, its seconds, and these over those of the fastest candidate whose error keeps the
# tolerance. All take turns. Ends with status 1 if an error exceeds its tolerance.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/compare_lib.sh
. "$here/compare_lib.sh"

build='' hosts=8 rate=200mbit bytes=16777216 iterations=3 repetitions=3
float='1e-2 1e-3 1e-4 1e-6' double='1e-2 1e-3 1e-4 1e-6 1e-8 1e-10 1e-12'
read_options "build hosts rate bytes iterations repetitions float double" "$@"
whole --hosts "$hosts" 2
whole --bytes "$bytes" 4
whole --iterations "$iterations" 1
whole --repetitions "$repetitions" 1

use_build "$build"
lab=$here/lab
own_lab "$lab" allowed "$hosts" "$rate"
scratch=$(mktemp -d)
trap '"$lab" down; rm -rf "$scratch"' EXIT

types=() kinds=() arguments=()
add() { # TYPE KIND MCA-ARGUMENTS: kind is "c" for a candidate, or the tolerance
  types+=("$1") kinds+=("$2")
  arguments+=("--mca coll_cerar_enable 1 --mca coll_cerar_stats 1 $3")
}
for type in float double; do
  for ((c = hosts; c <= 8 * hosts; c += hosts)); do
    add $type c "--mca coll_cerar_tolerance 1 --mca coll_cerar_components $c"
  done
  for tolerance in ${!type}; do add $type "$tolerance" "--mca coll_cerar_tolerance $tolerance"; done
done

run() { # INDEX PROGRAM-ARGUMENTS
  local k=$1
  shift
  # shellcheck disable=SC2086 # a list
  run_program "$lab" mpirun ${arguments[k]} -- -m "$bytes:$bytes" -T "mpi_${types[k]}" "$@"
}

for ((k = 0; k < ${#types[@]}; k++)); do
  echo "checking ${types[k]} ${arguments[k]##*cerar_}" >&2
  run "$k" -i 1 -c -u 0 --tolerance 1 |
    awk -v k="$k" -v type="${types[k]}" -v kind="${kinds[k]}" '{print k, type, kind, $NF, $5}' >>"$scratch/checks"
done
for ((r = 1; r <= repetitions; r++)); do
  for ((k = 0; k < ${#types[@]}; k++)); do
    echo "repetition $r of $repetitions: ${types[k]} ${arguments[k]##*cerar_}" >&2
    run "$k" -i "$iterations" -x 1 | awk -v k="$k" '{print k, $3 / 1e6}' >>"$scratch/times"
  done
done

describe_machine
"$lab" status | sed -n '1s,^,# ,p'
echo "# $bytes bytes, $repetitions runs of $iterations calls"
awk "$awk_statistics"'
  FNR == NR {n[$1]++; time[$1, n[$1]] = $2; next}
  {
    for (i = 1; i <= n[$1]; ++i) x[i] = time[$1, i]
    type[FNR] = $2; kind[FNR] = $3; c[FNR] = $4; error[FNR] = $5; seconds[FNR] = median(x, n[$1]); rows = FNR
  }
  function fastest(row,   k, least) {
    least = seconds[row]
    for (k = 1; k <= rows; ++k) {
      if (kind[k] == "c" && type[k] == type[row] && error[k] <= kind[row] && seconds[k] < least) least = seconds[k]
    }
    return least
  }
  END {
    printf "%-8s %10s %10s %10s\n", "# type", "c", "rel error", "seconds"
    for (k = 1; k <= rows; ++k) {
      if (kind[k] == "c") printf "%-8s %10d %10.1e %10.3f\n", type[k], c[k], error[k], seconds[k]
    }
    printf "%-8s %10s %10s %10s %10s %18s\n", "# type", "tolerance", "chosen c", "rel error", "seconds", "over the fastest"
    for (k = 1; k <= rows; ++k) {
      if (kind[k] == "c") continue
      printf "%-8s %10s %10d %10.1e %10.3f %18.3f\n", type[k], kind[k], c[k], error[k], seconds[k], seconds[k] / fastest(k)
      if (error[k] > kind[k]) broken = 1
    }
    exit broken
  }' "$scratch/times" "$scratch/checks"
