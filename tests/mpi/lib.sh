# Shared by the test scripts of this directory, which source it. They run in the build directory.
#
# The component is the one just built: Open MPI finds it by mca_base_component_path.
set -u
. ./tests/mpi/settings.sh || exit 99 # mpirun, ompi_info, component_dir, ompi_components, have_ucx, have_cuda

passed=0
failed=0
case_failed=0
case_name=
out=
shown=yes

[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export LD_LIBRARY_PATH=$PWD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0} # Open MPI's own are many
# Nothing that the user has set for other programs.
for name in $(env | sed -n 's/^\(OMPI_MCA_[^=]*\)=.*/\1/p'); do unset "$name"; done
export OMPI_MCA_mca_base_component_path=$component_dir:$ompi_components
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_btl_base_warn_component_unused=0
# What Open MPI takes on one node by itself, after it has looked for every network there could be.
export OMPI_MCA_pml=ob1
# All ranks are on one node, and what most tests are of is the codes for slow links: topology.sh.
export OMPI_MCA_coll_cerar_topology=always
# Copies between processes are forbidden in many containers, and Open MPI complains.
export OMPI_MCA_btl_vader_single_copy_mechanism=none
# The same for Open MPI 5.0 and later, whose mpirun is PRRTE's and whose vader is sm.
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_smsc=^cma

# All of a run may be repeated: CERAR_TEST_SEED=… make check.
seed=${CERAR_TEST_SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$((seed % 32768))

begin() {
    end_case
    case_name=$1
    case_failed=0
}

end_case() {
    [ -n "$case_name" ] || return 0
    if [ $case_failed = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# The output of a run is shown once, and not more than its first lines.
fail() {
    case_failed=1
    echo "FAIL: $case_name: $*"
    if [ $shown = no ]; then
        printf '%s\n' "$out" | head -n 40 | sed 's/^/    | /'
        shown=yes
    fi
}

# Runs mpirun with these arguments, never longer than two minutes. Sets out and status.
mpi() {
    out=$(timeout -k 10 "${time_limit:-120}" "$mpirun" "$@" 2>&1)
    status=$?
    shown=no
    [ $status != 124 ] && [ $status != 137 ] || fail "still running after ${time_limit:-120} s"
}

# The same, and it has to end well and without complaints.
mpi_ok() {
    mpi "$@"
    [ $status = 0 ] || fail "exit status $status"
    no_line 'UCX +(WARN|ERROR)|ORTE_ERROR_LOG|Segmentation|AddressSanitizer|runtime error'
}

# Whether a line of the output matches.
has_line() { printf '%s\n' "$out" | grep -Eq -- "$1"; }
line() { has_line "$1" || fail "no line like: $1"; }
no_line() { ! has_line "$1" || fail "a line like: $1"; }
lines() { # NUMBER PATTERN
    local found
    found=$(printf '%s\n' "$out" | grep -Ec -- "$2")
    [ "$found" = "$1" ] || fail "$found lines instead of $1 like: $2"
}

# One number of the line that coll_cerar_stats prints for a communicator: counter NAME FIELD.
counter() { printf '%s\n' "$out" | sed -n "s/^cerar: $1 .*\\<$2=\\([^ ]*\\).*/\\1/p"; }

equal() { [ "$2" = "$3" ] || fail "$1 is $2, not $3"; }

# transports: those that this build has.
transports() { if [ "$have_ucx" = yes ]; then echo ucx pml; else echo pml; fi; }

# CERAR on, for all sizes or from MIN_BYTES. mpirun wants no parameter twice.
on() { # [MIN_BYTES]
    echo --mca coll_cerar_enable 1 --mca coll_cerar_min_bytes "${1:-0}" --mca coll_cerar_stats 1
}

# A mode of a program of tests/mpi/sums.hpp, exact: as many components as ranks.
exact_mode() { # PROGRAM MODE RANKS TRANSPORT OPTION…
    local program=$1 mode=$2 ranks=$3 transport=$4
    shift 4
    mpi_ok -n "$ranks" $(on) --mca coll_cerar_components "$ranks" --mca coll_cerar_transport "$transport" \
        "tests/mpi/$program" "$mode" --seed "$seed" "$@"
    lines 1 "^ok: $mode"
}

# The last line is what scripts/count_tests.sh reads.
finish() {
    end_case
    [ $failed = 0 ] || echo "again: CERAR_TEST_SEED=$seed"
    echo "$passed passed, $failed failed"
    [ $failed = 0 ]
    exit
}
