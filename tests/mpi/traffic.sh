#!/bin/bash
# The user's messages and non-blocking collectives around CERAR's calls, with c = N: exact sums.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

check() { # TRANSPORT N OPTION…
    local transport=$1 n=$2
    shift 2
    begin "$transport, $n ranks $*"
    mpi_ok -n "$n" $(on) --mca coll_cerar_transport "$transport" --mca coll_cerar_components "$n" \
        "$@" tests/mpi/traffic --calls 20 --seed $((seed + n))
    line '^ok: 20 calls among other traffic'
    # 20 and every third once more; none is passed on but those of other types.
    equal calls "$(counter MPI_COMM_WORLD calls)" 27
}

for transport in $(transports); do
    check "$transport" 2
    check "$transport" 4
done
check pml 3 --mca pml ob1 --mca btl tcp,self
finish
