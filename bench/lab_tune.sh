#!/usr/bin/env bash
# Rules of cerar_tune over slow links: are they at every size as fast as the best of what could be chosen for all sizes? On a
# lab of one rank a host. Needs root.
#
#   bench/lab_tune.sh [OPTION...]
#     --build DIR         build directory (the one we are in); its component is used, or else an installed one
#     --hosts N           hosts (8)
#     --rate RATE         rate of each link (200mbit)
#     --min BYTES         least size (65536); sizes double
#     --max BYTES         greatest size (16777216)
#     --tolerance X       relative error allowed (1e-3)
#     --seconds N         time for cerar_tune (300)
#     --iterations N      timed calls a size and run, after one that is not; a run gives their median (5)
#     --repetitions N     runs of each configuration; what is compared is the median of their medians (3)
#
# Prints the rules, then for float, one line a size: seconds with the rules, with Open MPI's own choice and with each c that keeps
# the tolerance (with the segments that the component takes by itself); and the first over the least of the others. The last line
# has the greatest of these. Configurations take turns.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/compare_lib.sh
. "$here/compare_lib.sh"

build='' hosts=8 rate=200mbit min=65536 max=16777216 tolerance=1e-3 seconds=300 iterations=5 repetitions=3
read_options "build hosts rate min max tolerance seconds iterations repetitions" "$@"
whole --hosts "$hosts" 2
whole --min "$min" 1024
whole --max "$max" "$min"
whole --iterations "$iterations" 1
whole --repetitions "$repetitions" 1

use_build "$build"
tune=$(dirname "$program")/../cerar_tune
plan=$(dirname "$program")/../cerar_plan
lab=$here/lab
own_lab "$lab" tune "$hosts" "$rate"
scratch=$(mktemp -d)
trap '"$lab" down; rm -rf "$scratch"' EXIT

"$lab" mpirun "$tune" --tolerance "$tolerance" --min-bytes "$min" --max-bytes "$max" --seconds "$seconds" \
  --output "$scratch/rules" --plot "${PLOT:-$scratch/plot.svg}"

cerar="--mca coll_cerar_enable 1 --mca coll_cerar_min_bytes 0"
names=(rules own) arguments=("$cerar --mca coll_cerar_rules_file $scratch/rules" '')
# Those that keep the tolerance: no x at the beginning of their line.
for c in $("$plan" --ranks "$hosts" --tolerance "$tolerance" | awk '{sub(/^\*/, "")} $1 ~ /^(exact|epsilon)$/ {print $2}'); do
  names+=("c=$c")
  arguments+=("$cerar --mca coll_cerar_tolerance 1 --mca coll_cerar_components $c")
done

for ((r = 1; r <= repetitions; r++)); do
  for ((k = 0; k < ${#names[@]}; k++)); do
    echo "repetition $r of $repetitions: ${names[k]}" >&2
    # shellcheck disable=SC2086 # a list
    "$lab" mpirun ${arguments[k]} "$program" -m "$min:$max" -i "$iterations" -x 1 >"$scratch/output" 2>&1 || {
      cat "$scratch/output" >&2
      die "failed: ${names[k]}"
    }
    awk -v k="$k" '/^[0-9]+ +[0-9.]+ / {print k, $1, $3 / 1e6}' "$scratch/output" >>"$scratch/times"
  done
done

describe_machine
"$lab" status | sed -n '1s,^,# ,p'
cat "$scratch/rules"
echo "# $repetitions runs of $iterations calls"
awk -v names="${names[*]}" "$awk_statistics"'
  {n[$1, $2]++; time[$1, $2, n[$1, $2]] = $3; if (!($2 in seen)) {seen[$2] = 1; size[++sizes] = $2}}
  function seconds(k, bytes,   i) {
    for (i = 1; i <= n[k, bytes]; ++i) x[i] = time[k, bytes, i]
    return median(x, n[k, bytes])
  }
  END {
    columns = split(names, name, " ")
    printf "%-10s", "# bytes"
    for (k = 1; k <= columns; ++k) printf " %9s", name[k]
    printf " %9s\n", "over best"
    for (s = 1; s <= sizes; ++s) {
      least = 0
      printf "%-10d", size[s]
      for (k = 1; k <= columns; ++k) {
        now = seconds(k - 1, size[s])
        printf " %9.5f", now
        if (k == 1) rules = now
        else if (least == 0 || now < least) least = now
      }
      printf " %9.3f\n", rules / least
      if (rules / least > worst) worst = rules / least
    }
    printf "# at worst the rules take %.3f times as long as the best single choice\n", worst
  }' "$scratch/times"
