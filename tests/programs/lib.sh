# Shared by the checks of this directory, which source it in the build directory: a program under mpirun as it is, with other
# all-reduces of Open MPI, and with CERAR.
. "$srcdir/tests/mpi/lib.sh" || exit 99
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

here=$srcdir/tests/programs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The arguments of mpirun for a way to run.
arguments() {
    local cerar="--mca coll cerar,tuned,libnbc,basic,inter,self,sm,sync --mca coll_cerar_stats 1"
    local forced="--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm"
    case $1 in
        plain | again) ;;
        # As exact as Open MPI's own choice, but sums are taken in another order.
        linear) echo "$forced" 1 ;;
        nonoverlapping) echo "$forced" 2 ;;
        ring) echo "$forced" 4 ;;
        thresholds) echo "$cerar" --mca coll_cerar_tolerance 0 ;;
        always) echo "$cerar" --mca coll_cerar_tolerance 0 --mca coll_cerar_min_bytes 1 --mca coll_cerar_min_ranks 2 ;;
        approximate) echo "$cerar" --mca coll_cerar_components 8 --mca coll_cerar_min_bytes 1 ;;
    esac
}

# Runs a program on four ranks in a directory of its own, $work/NAME/WAY.
run_program() { # NAME WAY PROGRAM…
    local way=$2
    directory=$work/$1/$way
    shift 2
    mkdir -p "$directory"
    # shellcheck disable=SC2046 # a list
    mpi -n 4 -wdir "$directory" $(arguments "$way") "$@"
    printf '%s\n' "$out" >"$directory/output"
}

# All-reduces that CERAR ran, on all communicators.
calls() { printf '%s\n' "$out" | sed -n 's/^cerar: .* calls=\([0-9]*\) .*/\1/p' | awk '{ all += $1 } END { print all + 0 }'; }

is_at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 <= b + 0) }'; }
greater_of() { awk -v a="$1" -v b="$2" 'BEGIN { print(a + 0 > b + 0 ? a : b) }'; }
