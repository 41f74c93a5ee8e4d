#!/usr/bin/env bash
# All-reduce over slow links: Open MPI's own choice, its ring, and CERAR with different numbers of components, on a lab of
# one rank a host. Configurations take turns, so that what the machine does besides hits them alike. Needs root.
#
#   bench/lab_compare.sh [OPTION...]
#     --build DIR         build directory (the one we are in); its component is used, or else an installed one
#     --hosts N           hosts (8)
#     --rate RATE         rate of each link (200mbit)
#     --bytes BYTES       size of the vector of float (16777216)
#     --iterations N      timed calls a run, after one that is not; a run gives their median (5)
#     --repetitions N     runs of each configuration; the table has the median of their medians (3)
#     --components LIST   numbers of components ("8 16 32")
#     --transports LIST   ("ucx pml")
#
# The table: seconds (median, least and greatest of the runs); time over that of the ring; the link limit over the time; relative
# error and spread between ranks of one more, checked run; MB a call that rank 0's transport counted; MB a call that left
# the busiest host, with all headers and the wire-up. The link limit is what the payload of the algorithm's packets
# takes at the rate that the links leave to TCP's payload with the lab's frames.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/compare_lib.sh
. "$here/compare_lib.sh"

build='' hosts=8 rate=200mbit bytes=16777216 iterations=5 repetitions=3
components='8 16 32' transports='ucx pml'
read_options "build hosts rate bytes iterations repetitions components transports" "$@"
whole --hosts "$hosts" 2
whole --bytes "$bytes" 4
whole --iterations "$iterations" 1
whole --repetitions "$repetitions" 1
for c in $components; do whole --components "$c" 1; done
for t in $transports; do [[ $t == ucx || $t == pml ]] || die "--transports: got '$t', expected ucx or pml"; done

use_build "$build"
lab=$here/lab
own_lab "$lab" compare "$hosts" "$rate"
scratch=$(mktemp -d)
trap '"$lab" down; rm -rf "$scratch"' EXIT

names=("Open MPI's choice" 'ring')
arguments=('' '--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 4')
rounds=('' "$hosts $((2 * (hosts - 1)))") # c and L of those that send packets of 1/c in L rounds
for c in $components; do
  for transport in $transports; do
    names+=("cerar c=$c $transport")
    arguments+=("$(cerar_arguments "$c" "$transport")")
    rounds+=("$c $((c + hosts - 2))")
  done
done

busiest_host() { # MB that left it since `lab bytes reset`
  "$lab" bytes | awk '!/^#/ && $2 > most {most = $2} END {printf "%.3f", most / 1e6}'
}

# One run: appends CONFIGURATION SECONDS MB-COUNTED MB-LEFT to the file of times.
time_once() { # CONFIGURATION
  local line
  "$lab" bytes reset
  # shellcheck disable=SC2086 # a list
  line=$(run_program "$lab" mpirun ${arguments[$1]} -- \
    -m "$bytes:$bytes" -i "$iterations" -x 1)
  awk -v k="$1" -v left="$(busiest_host)" -v n=$((iterations + 1)) \
    '{print k, $3 / 1e6, ($6 > 0 ? $5 / $6 / 1e6 : 0), left / n}' <<<"$line" >>"$scratch/times"
}

check_once() { # CONFIGURATION: appends its name, c, L, error and spread to the file of checks
  local line
  # shellcheck disable=SC2086 # a list
  line=$(run_program "$lab" mpirun ${arguments[$1]} -- \
    -m "$bytes:$bytes" -i 1 -c -u 0 --tolerance 1)
  awk -v k="$1" -v name="${names[$1]}" -v rounds="${rounds[$1]:-0 0}" \
    '{print k "|" name "|" rounds "|" $5 "|" $6}' <<<"$line" >>"$scratch/checks"
}

for ((k = 0; k < ${#names[@]}; k++)); do
  echo "checking ${names[k]}" >&2
  check_once "$k"
done
for ((r = 1; r <= repetitions; r++)); do
  for ((k = 0; k < ${#names[@]}; k++)); do
    echo "repetition $r of $repetitions: ${names[k]}" >&2
    time_once "$k"
  done
done

describe_machine
"$lab" status | sed -n '1s,^,# ,p'
echo "# $bytes bytes of float, $repetitions runs of $iterations calls"
mtu=1500
awk -v rate="$rate" -v bytes="$bytes" -v mtu=$mtu "$awk_statistics"'
  BEGIN {
    unit = substr(rate, length(rate) - 3, 1)
    bits = (rate + 0) * (unit == "g" ? 1e9 : unit == "m" ? 1e6 : 1e3)
    payload = bits / 8 * (mtu - 52) / (mtu + 14)  # IP and TCP with time stamps; Ethernet
    printf "# the links leave %.2f MB/s to the payload\n", payload / 1e6
  }
  FNR == NR {n[$1]++; time[$1, n[$1]] = $2; counted[$1] = $3; left[$1] = left[$1] > $4 ? left[$1] : $4; next}
  {
    split($0, f, "|"); split(f[3], packet, " "); k = f[1]
    for (i = 1; i <= n[k]; ++i) x[i] = time[k, i]
    middle = median(x, n[k])
    if (f[2] == "ring") ring = middle
    limit = packet[1] ? packet[2] * bytes / packet[1] / payload : 0
    row[++rows] = f[2] "|" middle "|" x[1] "|" x[n[k]] "|" limit "|" f[4] "|" f[5] "|" counted[k] "|" left[k]
  }
  END {
    printf "%-20s %8s %17s %8s %9s %10s %10s %9s %9s\n", "# configuration", "seconds", "(least-greatest)", "of ring",
      "of limit", "rel error", "spread", "MB sent", "MB left"
    for (r = 1; r <= rows; ++r) {
      split(row[r], f, "|")
      printf "%-20s %8.3f %17s %8.3f %9s %10s %10s %9s %9.2f\n", f[1], f[2], sprintf("(%.3f-%.3f)", f[3], f[4]),
        f[2] / ring, (f[5] > 0 ? sprintf("%.1f%%", 100 * f[5] / f[2]) : "-"), f[6], f[7],
        (f[8] > 0 ? sprintf("%.2f", f[8]) : "-"), f[9]
    }
  }' "$scratch/times" "$scratch/checks"
