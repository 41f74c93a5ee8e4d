#!/bin/bash
# CERAR is off unless asked for, and then on; what ompi_info says of it.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

# Those of these that this version of Open MPI has: an unknown name ends a program there.
others=$("$ompi_info" | sed -n 's/^ *MCA coll: \([a-z]*\) .*/\1/p' |
    grep -Ex 'basic|libnbc|self|tuned|inter|sm' | paste -sd,)
# So small a vector is faster exactly: more components than ranks, which the planner would not take.
always="--mca coll_cerar_stats 1 --mca coll_cerar_min_bytes 0 --mca coll_cerar_components 8"

runs_cerar() {
    begin "on: $*"
    mpi_ok -n 4 $always "$@" tests/mpi/exactness
    line '^result: approximate'
    equal calls "$(counter MPI_COMM_WORLD calls)" 1
}
is_off() {
    begin "off: $*"
    mpi_ok -n 4 $always "$@" tests/mpi/exactness
    line '^result: exact'
    no_line '^cerar: '
}

begin "not asked for, it is unloaded"
mpi_ok -n 2 --mca coll_base_verbose 10 tests/mpi/exactness
lines 2 'component cerar is not available'

is_off
is_off --mca coll_cerar_enable 0
is_off --mca coll ^sync
is_off --mca coll "^sync,cerar"
is_off --mca coll_cerar_enable 1 --mca coll ^cerar
is_off --mca coll_cerar_enable 1 --mca coll $others
runs_cerar --mca coll_cerar_enable 1
runs_cerar --mca coll_cerar_enable yes
runs_cerar --mca coll cerar,$others
runs_cerar --mca coll $others,cerar
runs_cerar --mca coll cerar,$others --mca coll_cerar_enable 0
runs_cerar --mca coll ^sync --mca coll_cerar_enable 1

begin "a priority below the others'"
mpi_ok -n 4 $(on) --mca coll_cerar_priority 1 tests/mpi/exactness
line '^result: exact'
no_line "^cerar: "

begin "coll_cerar_verbose"
mpi_ok -n 4 $(on) --mca coll_cerar_verbose 1 tests/mpi/exactness --calls 3
lines 1 'coll:cerar: MPI_COMM_WORLD: 4 ranks, transport'
lines 1 'coll:cerar: MPI_COMM_WORLD: c=[0-9]+ \([a-z]+\), epsilon=[-.e0-9]+, predicted relative error [-.e0-9]+ of 0.001 allowed'

begin "ompi_info"
out=$("$ompi_info" --param coll cerar --level 9 2>&1)
for name in enable priority min_bytes min_ranks tolerance design components epsilon max_condition \
    segment_bytes transport verbose stats; do
    line "parameter \"coll_cerar_$name\""
done
line 'parameter "coll_cerar_tolerance" \(current value: "1e-3"' # parameters.sh walks over all
for range in '0 or 1' '0 to 10000' 'a number of bytes from 0' '2 or more' '0 to 1' \
    'auto, exact, epsilon, vandermonde or constrained' '1 or more, or 0' '1 to 8 times the number' 'between 0 and 1' \
    '512 to 16777216' 'auto, ucx or pml' '0 to 100'; do
    printf '%s\n' "$out" | tr -s ' \n' '  ' | grep -q "Range: $range" || fail "no range like $range"
done
finish
