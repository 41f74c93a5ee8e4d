#!/bin/bash
# MPI_T: performance variables that count what happened on a communicator, control variables that may be
# written while the program runs.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

for transport in $(transports); do
    begin "performance variables, $transport"
    mpi_ok -n 4 --mca coll_cerar_enable 1 --mca coll_cerar_components 8 --mca coll_cerar_transport "$transport" \
        tests/mpi/mpit pvars
    lines 1 '^ok: performance variables'
    lines 16 '^pvar '
done

begin "ompi_info shows them"
out=$("$ompi_info" --param coll cerar --level 9 2>&1)
lines 16 'performance "coll_cerar_'

writes() { # RESULTS NAME=VALUE…
    local expected=$1
    shift
    mpi_ok -n 4 $options tests/mpi/mpit "${mode:-cvars}" "$@"
    equal results "$(printf '%s\n' "$out" | sed -n 's/^result: //p' | tr '\n' ' ')" "$expected "
}
# Approximate unless the tolerance forbids it: between nodes, as the planner sees it, 4 MB are enough.
options="--mca coll_cerar_enable 1 --mca coll_cerar_design epsilon"

begin "the tolerance, for communicators to come"
writes "approximate exact approximate" coll_cerar_tolerance=0 coll_cerar_tolerance=1e-2
lines 2 'written$'
no_line 'approximate all-reduce'

begin "the tolerance, for communicators that MPI_Iallreduce has not set up yet"
mode=nonblocking writes "approximate exact approximate" coll_cerar_tolerance=0 coll_cerar_tolerance=1e-2
lines 2 'written$'

begin "a bad tolerance"
writes "approximate approximate approximate" coll_cerar_tolerance=abc coll_cerar_tolerance=7
lines 2 'written$'
lines 4 'Value: +abc$' # each rank has been given it
lines 4 'Value: +7$'
lines 8 'Parameter: +coll_cerar_tolerance$'
lines 8 'Range: +0 to 1$'
lines 8 'It stays: +0\.001$'

begin "stats and verbose"
writes "approximate approximate approximate approximate" coll_cerar_stats=1 coll_cerar_verbose=1 coll_cerar_stats=0
lines 2 '^cerar: '
lines 4 'coll:cerar: .*: (4 ranks|c=)'

begin "what may not be written"
writes "approximate approximate approximate" coll_cerar_min_bytes=1 coll_cerar_enable=0
lines 2 'never$'

begin "why a call is passed on"
mpi_ok -n 4 --mca coll_cerar_enable 1 --mca coll_cerar_verbose 2 --mca coll_cerar_components 8 tests/mpi/mpit pvars
lines 4 'a call is passed on: not MPI_SUM'
lines 5 'a call is passed on: neither float nor double'
lines 6 'a call is passed on: less than coll_cerar_min_bytes'
finish
