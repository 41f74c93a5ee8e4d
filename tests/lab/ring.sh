#!/usr/bin/env bash
# The order of the ring on hosts with two ranks each: by topology each host's link carries what one rank sends and no
# more, whatever the placement. Skipped where network namespaces do not work. Ends with "N passed, M failed".
set -u
. ./tests/mpi/settings.sh || exit 99

# shellcheck disable=SC2154 # of settings.sh
export OMPI_MCA_mca_base_component_path=$component_dir:$ompi_components
export LD_LIBRARY_PATH=$PWD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export LAB_NAME=ringtest
lab=${srcdir:-.}/bench/lab
bytes=4000000 calls=4 hosts=3 ranks=6
passed=0
failed=0

if ! reason=$("$lab" check 2>&1); then
  echo "skipped: $reason"
  exit 77
fi
"$lab" down 2>/dev/null
"$lab" up $hosts 200mbit 2 || exit 99
trap '"$lab" down 2>/dev/null' EXIT

# What the busiest host sends in a call, in packets' worth of one rank: L·bytes/c.
run() { # PLACEMENT RING TRANSPORT: sets crossings
  local output
  "$lab" bytes reset
  output=$(timeout 120 "$lab" mpirun -n $ranks --map-by "$1" --mca coll_cerar_enable 1 --mca coll_cerar_stats 1 \
    --mca coll_cerar_components $ranks --mca coll_cerar_ring "$2" --mca coll_cerar_transport "$3" \
    tests/mpi/exactness --count $((bytes / 4)) --calls $calls 2>&1) || {
    echo "$output"
    crossings="none: exit status $?"
    return
  }
  crossings=$("$lab" bytes | awk -v payload=$((calls * bytes * (2 * ranks - 2) / ranks)) '
    !/^#/ && $2 > most {most = $2}
    END {printf "%.2f", most / payload}')
}

# A link carries headers, MPI's own messages and the wire-up besides.
expect() { # PLACEMENT RING TRANSPORT CROSSINGS
  run "$1" "$2" "$3"
  if awk -v got="$crossings" -v want="$4" 'BEGIN {exit !(got >= want && got < want * 1.1)}'; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: --map-by $1, ring $2, $3: the busiest host sends $crossings times what a rank does, not $4"
  fi
}

expect node topology pml 1
expect slot topology pml 1
expect node rank pml 2 # what the order is for
# shellcheck disable=SC2154 # of settings.sh
[[ $have_ucx != yes ]] || expect node topology ucx 1

echo "$passed passed, $failed failed"
((failed == 0))
