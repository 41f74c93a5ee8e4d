#!/bin/bash
# A call's last data reach the neighbour while the rank waits inside MPI.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

if [ "$have_ucx" != yes ]; then
    echo "skipped: a build without UCX has no queue of its own"
    exit 77
fi

# Small messages, which UCX copies, through connections that are soon full: a call ends while some are still queued.
export UCX_TLS=tcp,self UCX_TCP_SNDBUF=32k UCX_TCP_RCVBUF=32k
for round in 1 2 3; do
    begin "round $round"
    mpi_ok -n 4 $(on) --mca coll_cerar_transport ucx --mca coll_cerar_components 4 \
        --mca coll_cerar_segment_bytes 4096 tests/mpi/waiting --calls 250 --seed $((seed + round))
    line '^ok: 250 calls'
    line "^cerar: MPI_COMM_WORLD .* calls=250 fallbacks=0 .* transport=ucx memory=host\$"
done
finish
