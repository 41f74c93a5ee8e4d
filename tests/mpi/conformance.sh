#!/bin/bash
# The transports' own suite, between processes.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

time_limit=300 # ranks that share a processor with others take long to turn up

check() { # TRANSPORT N OPTION…
    local transport=$1 n=$2
    shift 2
    begin "$transport, $n ranks $*"
    mpi_ok -n "$n" "$@" tests/mpi/transport_conformance --transport "$transport" \
        --seed $((seed + n)) --max-bytes $((1 << 20))
    line "^ok: transport $transport"
}

for transport in $(transports); do
    check "$transport" 2
    check "$transport" 4
done
check pml 3 --mca pml ob1 --mca btl tcp,self
finish
