#!/bin/bash
# MPI_Iallreduce.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

run() { exact_mode nonblocking "$@"; }

# Calls that set CERAR up themselves, and that come while it is set up, are CERAR's like all others.
modes() { # TRANSPORT COLD
    local transport=$1 cold=$2 warm=$((1 - $2)) how
    if [ "$cold" = 1 ]; then how="$transport, cold"; else how=$transport; fi
    for n in 2 4 7; do
        begin "many under way, N = $n, $how"
        run many "$n" "$transport" --cases 60 --cold "$cold"
        equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 0
        [ "$(counter MPI_COMM_WORLD calls)" -ge $((60 + warm)) ] || fail "CERAR ran $(counter MPI_COMM_WORLD calls)"
    done
    begin "a burst, $how"
    run burst 4 "$transport" --cases 60 --cold "$cold"
    equal calls "$(counter MPI_COMM_WORLD calls)" $((60 + warm))
    begin "ranks that come late, $how"
    run late 4 "$transport" --cases 20 --cold "$cold"
    equal calls "$(counter MPI_COMM_WORLD calls)" $((20 + warm))
    begin "a window of calls, $how"
    run window 4 "$transport" --cases 40 --cold "$cold"
    equal calls "$(counter MPI_COMM_WORLD calls)" $((280 + warm))
    begin "other collectives between, $how"
    run others 5 "$transport" --cases 100 --cold "$cold"
    begin "communicators freed, $how"
    run freed 3 "$transport" --cases 10 --cold "$cold"
    begin "a program that does not wait for its requests, $how"
    mpi -n 3 $(on) --mca coll_cerar_components 3 --mca coll_cerar_transport "$transport" \
        tests/mpi/nonblocking unfinished --cases 12 --seed "$seed" --cold "$cold"
    line '^ok: unfinished' # and mpi has seen it end
}

for transport in $(transports); do
    modes "$transport" 0
    modes "$transport" 1
    begin "hints, $transport"
    run hinted 4 "$transport" --cases 40
    begin "threads, $transport"
    run threads 3 "$transport" --cases 30
done

begin "one after the other"
run first 3 pml --cases 4
equal calls "$(counter MPI_COMM_WORLD calls)" 4
equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 0

# What was kept waiting goes to libnbc then, in step with what was called meanwhile.
for n in 2 5 8; do
    begin "aside after calls had to wait, N = $n"
    mpi_ok -n $n $(on) --mca coll_cerar_topology slow-links tests/mpi/nonblocking others --cold 1 --cases 200 --seed "$seed"
    lines 1 '^ok: others'
    equal calls "$(counter MPI_COMM_WORLD calls)" 0
    [ "$(counter MPI_COMM_WORLD fallbacks)" -ge 60 ] || fail "$(counter MPI_COMM_WORLD fallbacks) were passed on"
done

# Whose non-blocking collectives are in flight, at different points on each rank, when CERAR is set up.
for transport in $(transports); do
    begin "a communicator that is being duplicated, $transport"
    run idup 4 "$transport" --cases 100
done

begin "a request that may not be freed yet"
run kept 3 pml --cold 1

begin "a rank that has no memory to set CERAR up with ends the program"
mpi -n 3 $(on) tests/mpi/nonblocking no_thread --seed "$seed"
[ $status != 0 ] || fail "it ended well"
line 'CERAR, the approximate all-reduce,'
line 'memory'
no_line '^ok|^FAIL'

begin "a set-up that failed is told to calls after it"
mpi -n 3 $(on) tests/mpi/nonblocking no_send --seed "$seed"
equal "exit status" $status 33
no_line '^ok|^FAIL'

# Whoever does not run CERAR does not wait for who does.
for differs in coll_cerar_enable=0 coll_cerar_tolerance=0.1 coll_cerar_min_ranks=4 coll_cerar_priority=0 coll=^cerar; do
    begin "one rank has $differs"
    same="-x OMPI_MCA_coll_cerar_min_bytes=0 -x OMPI_MCA_coll_cerar_stats=1"
    own="-x OMPI_MCA_${differs%=*}=${differs#*=}"
    [ "$differs" = coll_cerar_enable=0 ] || own="$own -x OMPI_MCA_coll_cerar_enable=1"
    mpi_ok -n 2 $same -x OMPI_MCA_coll_cerar_enable=1 tests/mpi/nonblocking others --cold 1 --cases 60 --seed "$seed" : \
        -n 1 $same $own tests/mpi/nonblocking others --cold 1 --cases 60 --seed "$seed"
    lines 1 '^ok: others'
    equal calls "$(counter MPI_COMM_WORLD calls)" 0
done

begin "several threads may call, so only a blocking sum sets CERAR up"
mpi_ok -n 3 $(on) tests/mpi/nonblocking threads --cold 1 --cases 10 --seed "$seed"
lines 1 '^ok: threads'

begin "on by hint alone, only a blocking sum sets CERAR up"
mpi_ok -n 3 --mca coll_cerar_min_bytes 0 --mca coll_cerar_stats 1 --mca coll_cerar_hints 1 --mca coll_cerar_components 3 \
    --mca coll_cerar_verbose 2 tests/mpi/nonblocking hinted --cases 6 --seed "$seed"
lines 1 '^ok: hinted'
line 'not blocking, and no blocking one has set CERAR up'

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
