#!/bin/bash
# MPI_Iallreduce.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

run() { exact_mode nonblocking "$@"; }

for transport in $(transports); do
    for n in 2 4 7; do
        begin "many under way, N = $n, $transport"
        run many "$n" "$transport" --cases 60
        equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 0
        [ "$(counter MPI_COMM_WORLD calls)" -ge 61 ] || fail "CERAR ran $(counter MPI_COMM_WORLD calls)"
    done
    begin "a burst, $transport"
    run burst 4 "$transport" --cases 60
    equal calls "$(counter MPI_COMM_WORLD calls)" 61
    begin "ranks that come late, $transport"
    run late 4 "$transport" --cases 20
    equal calls "$(counter MPI_COMM_WORLD calls)" 21
    begin "a window of calls, $transport"
    run window 4 "$transport" --cases 40
    equal calls "$(counter MPI_COMM_WORLD calls)" 281
    begin "communicators freed, $transport"
    run freed 3 "$transport" --cases 10
    begin "a program that does not wait for its requests, $transport"
    mpi -n 3 $(on) --mca coll_cerar_components 3 --mca coll_cerar_transport "$transport" \
        tests/mpi/nonblocking unfinished --cases 12 --seed "$seed"
    line '^ok: unfinished' # and mpi has seen it end
    begin "threads, $transport"
    run threads 3 "$transport" --cases 30
done

begin "before CERAR is set up"
run first 3 pml --cases 4
equal calls "$(counter MPI_COMM_WORLD calls)" 0
equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 4

begin "below min_bytes"
mpi_ok -n 3 $(on 100M) tests/mpi/nonblocking many --seed "$seed" --cases 20
lines 1 '^ok: many'
equal calls "$(counter MPI_COMM_WORLD calls)" 0

begin "not asked for"
mpi_ok -n 3 tests/mpi/nonblocking first --seed "$seed" --cases 3
lines 1 '^ok: first'

begin "with more components than ranks they are approximate"
mpi -n 2 $(on) --mca coll_cerar_components 4 --mca coll_cerar_tolerance 1 tests/mpi/nonblocking many --cases 2
line '^FAIL rank 0: element .* is [0-9.]+, not' # of whole numbers, which only exact codes get right
finish
