#!/bin/bash
# Threads on communicators of their own, with c = N: exact sums.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

for transport in $(transports); do
    for n in 2 4; do
        begin "$transport, $n ranks"
        mpi_ok -n $n $(on) --mca coll_cerar_transport "$transport" --mca coll_cerar_components $n \
            tests/mpi/threads --threads 3 --calls 15 --seed $((seed + n))
        line '^ok: 3 threads'
        lines 3 "^cerar: MPI COMM[A-Z]* .* calls=15 fallbacks=0 .* transport=$transport memory=host\$"
    done
done
finish
