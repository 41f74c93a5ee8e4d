#!/usr/bin/env bash
# Shows what CERAR does to an MPI program that has never heard of it: installs what is missing, builds, and runs the
# benchmark bench/cerar_allreduce on 4 ranks, the same file each time, with Open MPI's own choice and with CERAR.
#
# Twice: in this machine's shared memory, and, where it may be made (root, network namespaces), on a cluster of four hosts
# with slow links, which is what CERAR is for.
#
#   DEMO_BYTES   bytes a vector in shared memory (16 MiB)
#   DEMO_RATE    of the slow links (200mbit)
set -euo pipefail
cd "$(dirname "$0")/.."

readonly ranks=4
readonly bytes=${DEMO_BYTES:-$((16 << 20))}
readonly lab_bytes=$((4 << 20))
readonly rate=${DEMO_RATE:-200mbit}
readonly build=$PWD/_build/demo
# shellcheck source=bench/compare_lib.sh
. bench/compare_lib.sh
log=$(mktemp)

finish() {
  local status=$?
  [[ -z ${lab_up:-} ]] || bench/lab down || true
  if ((status)); then
    echo "The demo ended early. The end of its log:" >&2
    tail -n 30 "$log" >&2
  fi
  rm -f "$log"
}
trap finish EXIT

scripts/dependencies.sh build
scripts/build.sh "$build" --disable-tests

# Within a node CERAR would take its exact code whatever the tolerance: it is the fastest there.
launch_here() { mpirun --oversubscribe --mca coll_cerar_topology always "$@"; }
launch_lab() { bench/lab mpirun "$@"; }
((EUID == 0)) && export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# The component where the build left it, beside Open MPI's own.
components=$build/component:$(ompi_info --parsable --path pkglibdir | sed -n 's/^path:pkglibdir://p')

run() { # LAUNCHER BYTES ITERATIONS NAME MPIRUN-OPTION…
  local launcher=$1 size=$2 iterations=$3 name=$4 line
  shift 4
  line=$("$launcher" -n "$ranks" --mca mca_base_component_path "$components" "$@" \
    "$build/bench/cerar_allreduce" -m "$size:$size" -i "$iterations" -x 2 -c 2>>"$log" |
    tee -a "$log" | grep -E "^$size ")
  # shellcheck disable=SC2086 # columns
  set -- $line
  own=${own:-$3}
  awk -v name="$name" -v own="$own" -v median="$3" -v error="$5" -v spread="$6" 'BEGIN {
    printf "  %-36s %10.1f ms %8.2f %12s %12s\n", name, median / 1000, own / median, error, spread
  }'
}

table() { # LAUNCHER BYTES ITERATIONS
  own=
  printf '  %-36s %13s %8s %12s %12s\n' "" median speed "rel. error" spread
  run "$@" "Open MPI's own choice"
  run "$@" "CERAR, tolerance 0 (exact)" --mca coll_cerar_enable 1 --mca coll_cerar_tolerance 0
  run "$@" "CERAR, tolerance 1e-3 (its default)" --mca coll_cerar_enable 1
  run "$@" "CERAR, tolerance 2e-2" --mca coll_cerar_enable 1 --mca coll_cerar_tolerance 2e-2
}

echo
echo "Sum of $((bytes >> 20)) MiB of float on $ranks ranks, in shared memory (where CERAR steps aside by itself;"
echo "here coll_cerar_topology is always)"
table launch_here "$bytes" 11

echo
if bench/lab check 2>>"$log"; then
  own_lab bench/lab demo $ranks "$rate" 2>>"$log"
  lab_up=yes
  echo "Sum of $((lab_bytes >> 20)) MiB of float on $ranks hosts, links at ${rate%bit}bit/s"
  table launch_lab "$lab_bytes" 5
else
  echo "No cluster of slow links can be made here:"
  bench/lab check 2>&1 | sed 's/^/  /' || true
fi
cat <<'TEXT'

speed: times as fast as Open MPI's own choice. rel. error: the largest over ranks, against a sum in double. spread: how far
the ranks' results are apart, relative too.
TEXT
