#!/bin/bash
# Persistent all-reduces: each request has a team of its own, from MPI_Allreduce_init until it is freed.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

run() { exact_mode persistent "$@"; }

for transport in $(transports); do
    begin "started again and again, $transport"
    run again 4 "$transport" --cases 200
    # Nothing but persistent calls, each start one.
    line "^cerar: MPI_COMM_WORLD ranks=4 calls=200 fallbacks=0 .* c=4 epsilon=0 transport=$transport memory=host\$"
    [ "$(counter MPI_COMM_WORLD bytes_sent)" -gt 0 ] || fail "no bytes sent"
    begin "memory is given back, $transport"
    run remade 3 "$transport" --cases 1
    equal calls "$(counter MPI_COMM_WORLD calls)" 1
    equal c "$(counter MPI_COMM_WORLD c)" 3 # of the last call, not of the request that made none
    least=$(counter MPI_COMM_WORLD scratch_bytes) # of the communicator, and one request
    run remade 3 "$transport" --cases 10
    equal calls "$(counter MPI_COMM_WORLD calls)" 10
    equal scratch_bytes "$(counter MPI_COMM_WORLD scratch_bytes)" "$least"
    begin "in different orders, $transport"
    run orders 3 "$transport" --cases 8
    equal calls "$(counter MPI_COMM_WORLD calls)" 96
    equal scratch_bytes "$(counter MPI_COMM_WORLD scratch_bytes)" $((13 * least / 2))
    begin "among other calls, $transport"
    run mixed 4 "$transport" --cases 25
    equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 0
    begin "communicators freed, $transport"
    run freed 3 "$transport" --cases 8
    lines 8 '^cerar: MPI COMM[A-Z]* .* calls=2 ' # each ends with its last request
    for mode in unfreed unended; do
        begin "requests $mode, $transport"
        mpi -n 3 $(on) --mca coll_cerar_components 3 --mca coll_cerar_transport "$transport" \
            tests/mpi/persistent $mode --seed "$seed"
        line "^ok: $mode" # and mpi has seen it end
        no_line 'Segmentation|AddressSanitizer|Signal: '
    done
    begin "threads, $transport"
    run threads 3 "$transport" --cases 8
    begin "approximate, $transport"
    mpi_ok -n 2 $(on) --mca coll_cerar_components 4 --mca coll_cerar_transport "$transport" \
        tests/mpi/persistent tolerance --cases 3 --seed "$seed"
    lines 1 '^ok: tolerance'
done

begin "whole numbers and greatest ones are passed on"
run passed 3 pml --cases 3
equal calls "$(counter MPI_COMM_WORLD calls)" 3
equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 2

begin "small ones are"
mpi_ok -n 3 $(on 100M) --mca coll_cerar_verbose 2 tests/mpi/persistent passed --cases 3 --seed "$seed"
lines 1 '^ok: passed'
equal calls "$(counter MPI_COMM_WORLD calls)" 0
equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 5
lines 3 'a call is passed on: less than coll_cerar_min_bytes'

begin "not enabled on one rank"
mpi_ok -n 2 $(on) tests/mpi/persistent orders --cases 2 --seed "$seed" : \
    -n 1 -x OMPI_MCA_coll_cerar_enable=0 tests/mpi/persistent orders --cases 2 --seed "$seed"
lines 1 '^ok: orders'
no_line ' calls=[1-9]'

begin "not asked for"
mpi_ok -n 3 tests/mpi/persistent orders --seed "$seed" --cases 2
lines 1 '^ok: orders'

begin "what was chosen"
mpi_ok -n 2 $(on) --mca coll_cerar_components 2 --mca coll_cerar_verbose 2 --mca coll_cerar_transport pml \
    tests/mpi/persistent remade --cases 2 --seed "$seed"
lines 1 'coll:cerar: MPI_COMM_WORLD: 2 ranks, transport pml'
lines 3 'coll:cerar: MPI_COMM_WORLD: a persistent request: 2 ranks, transport pml'
lines 1 'coll:cerar: MPI_COMM_WORLD: c=2 '
finish
