# shellcheck shell=bash
# What the comparison scripts share; they source it. A *configuration* is a name and the mpirun arguments that make it.

die() {
  echo "${0##*/}: $*" >&2
  exit 2
}

# The comment at the top of the script, which is its help text.
usage() {
  awk 'NR > 1 && !/^#/ {exit} NR > 1 {sub(/^# ?/, ""); print}' "$0"
}

# Sets the shell variables that the options name. NAMES: the options, without their dashes, that take a value.
read_options() { # NAMES ARGUMENT...
  local names=" $1 "
  shift
  while (($#)); do
    [[ $1 != -h && $1 != --help ]] || { usage; exit; }
    [[ $1 == --* && $names == *" ${1#--} "* ]] || die "unknown option '$1'; see --help"
    (($# > 1)) || die "$1 needs a value"
    declare -g "${1#--}=$2"
    shift 2
  done
}

whole() { # OPTION VALUE MIN: checks an option's value
  if ! [[ $2 =~ ^[0-9]{1,12}$ ]] || ((10#$2 < $3)); then
    die "$1: got '$2', expected a whole number from $3"
  fi
}

# Sets program, and the environment in which Open MPI finds the component of that build directory.
# DIRECTORY, or nothing for the one that we are in. If it has no component, the installed one is meant.
use_build() {
  local build
  build=$(cd "${1:-.}" 2>/dev/null && pwd) || die "--build: no directory '$1'"
  program=$build/bench/cerar_allreduce
  [[ -x $program ]] || die "no bench/cerar_allreduce in $build; build CERAR there, or say --build DIRECTORY"
  command -v mpirun >/dev/null || die "mpirun not found (Debian package: openmpi-bin)"
  ((EUID != 0)) || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  if [[ -e $build/component/mca_coll_cerar.so ]]; then
    export OMPI_MCA_mca_base_component_path=$build/component:SYSTEM_DEFAULT
    export LD_LIBRARY_PATH=$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  fi
  ompi_info --param coll cerar --level 9 | grep -q coll_cerar_enable ||
    die "Open MPI finds no component cerar, neither in $build/component nor installed"
}

# Puts up the script's own lab; one that an earlier run left, because it was killed, goes.
own_lab() { # LAB NAME HOSTS RATE
  export LAB_NAME=$2
  ! "$1" status 2>/dev/null | grep -Eq ' [1-9][0-9]* process' || die "another run is using the lab '$2'"
  "$1" down 2>/dev/null
  "$1" up "$3" "$4"
}

cerar_arguments() { # C TRANSPORT: c is what is compared, whatever its error
  echo --mca coll_cerar_enable 1 --mca coll_cerar_tolerance 1 --mca coll_cerar_components "$1" --mca coll_cerar_transport "$2" \
    --mca coll_cerar_topology always --mca coll_cerar_stats 1
}

# Runs the program under mpirun. Prints the fields of its only line of numbers, then bytes_sent, calls and c of cerar's
# line of counters, 0 0 0 where it has none. Fails, and shows all, unless there is exactly one such line.
run_program() { # LAUNCHER... -- PROGRAM-ARGUMENTS
  local launch=() output
  while [[ $1 != -- ]]; do
    launch+=("$1")
    shift
  done
  shift
  output=$("${launch[@]}" "$program" "$@" 2>&1) || {
    printf '%s\n' "$output" >&2
    die "failed: ${launch[*]} $program $*"
  }
  awk '
    /^[0-9]+ +[0-9.]+ / {line = $0; ++lines}
    /^cerar: MPI_COMM_WORLD / {
      for (i = 3; i <= NF; ++i) {split($i, field, "="); value[field[1]] = field[2]}
      if (value["fallbacks"] != 0) exit 1
    }
    END {
      if (lines != 1) exit 1
      print line, value["bytes_sent"] + 0, value["calls"] + 0, value["c"] + 0
    }' <<<"$output" || {
    printf '%s\n' "$output" >&2
    die "not the output expected of: ${launch[*]} $program $*"
  }
}

# Functions for awk: the median, least and greatest of x[1…n].
# shellcheck disable=SC2034,SC2016 # used by the scripts; $ is none of the shell's
awk_statistics='
  function sort(x, n,   i, j, t) {
    for (i = 2; i <= n; ++i) for (j = i; j > 1 && x[j - 1] > x[j]; --j) {t = x[j]; x[j] = x[j - 1]; x[j - 1] = t}
  }
  function median(x, n) {sort(x, n); return n % 2 ? x[(n + 1) / 2] : (x[n / 2] + x[n / 2 + 1]) / 2}
'

describe_machine() {
  echo "# $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg), Open MPI $(mpirun --version | sed -n '1s/.* //p'), $(date -u +%FT%RZ)"
}
