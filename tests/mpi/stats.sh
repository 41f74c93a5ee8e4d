#!/bin/bash
# coll_cerar_stats: rank 0 sends L·(bytes/c) a call, L = c + N − 2, up to the rounding of blocks.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

sent() { # N C COUNT TRANSPORT
    local n=$1 c=$2 count=$3 transport=$4 calls=3
    begin "N = $n, c = $c, $count floats, $transport"
    mpi_ok -n "$n" $(on) --mca coll_cerar_components "$c" --mca coll_cerar_transport "$transport" \
        tests/mpi/exactness --count "$count" --calls $calls
    lines 1 '^cerar: MPI_COMM_WORLD '
    line "^cerar: MPI_COMM_WORLD ranks=$n calls=3 fallbacks=0 bytes_sent=[0-9]+ scratch_bytes=[0-9]+ c=$c epsilon=[-.e0-9]+ transport=$transport memory=host\$"
    local bytes rounds=$((c + n - 2))
    bytes=$(counter MPI_COMM_WORLD bytes_sent)
    # A packet is cut to whole elements twice: regions, then lanes.
    local least=$((calls * rounds * (4 * count / c - 8))) most=$((calls * rounds * (4 * count / c + 8)))
    { [ "${bytes:-0}" -ge $least ] && [ "${bytes:-0}" -le $most ]; } ||
        fail "bytes_sent is $bytes, not between $least and $most"
    if [ $((count % (128 * c))) = 0 ]; then
        equal bytes_sent "$bytes" $((calls * rounds * 4 * (count / c)))
    fi
}

for transport in $(transports); do
    sent 4 4 100000 "$transport"
    sent 4 8 $((128 * 8 * 50)) "$transport"
    sent 3 9 100001 "$transport"
done
sent 2 4 $((128 * 4 * 33)) pml
sent 4 2 65536 pml
sent 4 6 $((128 * 6 * 10)) pml
sent 5 20 300007 pml

begin "epsilon and scratch_bytes"
mpi_ok -n 4 $(on) --mca coll_cerar_components 8 --mca coll_cerar_epsilon 0.0078125 tests/mpi/exactness --count 1000000
equal epsilon "$(counter MPI_COMM_WORLD epsilon)" 0.0078125
[ "$(counter MPI_COMM_WORLD scratch_bytes)" -le 8000000 ] || fail "scratch_bytes is more than two vectors"
mpi_ok -n 4 $(on) --mca coll_cerar_components 4 tests/mpi/exactness
equal epsilon "$(counter MPI_COMM_WORLD epsilon)" 0
finish
