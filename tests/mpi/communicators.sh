#!/bin/bash
# Communicators made and freed in any number and order.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

for transport in $(transports); do
    for n in 2 5; do
        begin "$transport, $n ranks"
        mpi_ok -n $n $(on) --mca coll_cerar_transport "$transport" tests/mpi/communicators \
            --seed $((seed + n)) --rounds 60
        line '^ok: 60 communicators'
        line "^cerar: MPI COMM[A-Z]* .* calls=[1-9].* transport=$transport memory=host\$"
        no_line '^cerar: MPI COMM[A-Z]* .* fallbacks=[1-9]'
    done
done

begin "communicators that never run CERAR"
mpi_ok -n 4 $(on 1M) tests/mpi/communicators --seed "$seed"
line '^ok: '
no_line '^cerar: .* transport=(ucx|pml)'
finish
