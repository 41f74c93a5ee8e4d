#!/bin/bash
# Buffers in device, managed and mixed memory, on the stand-in for CUDA's driver: sums by CERAR, and what it passes on to an
# Open MPI that knows nothing of devices.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

standin=tests/gpu/.libs
[ -e $standin/libcuda.so.1 ] || { echo "no $standin/libcuda.so.1"; exit 99; }
export LD_LIBRARY_PATH=$PWD/$standin:$LD_LIBRARY_PATH

random_cases() { # TRANSPORT MEMORY N C
    begin "$2 memory, $1, N = $3, c = $4"
    mpi_ok -n "$3" $(on) --mca coll_cerar_transport "$1" --mca coll_cerar_components "$4" \
        --mca coll_cerar_tolerance 1 tests/mpi/random_cases --memory "$2" --components "$4" \
        --cases 6 --max-count 60000 --seed "$seed"
    equal calls "$(counter MPI_COMM_WORLD calls)" 6
    equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 0
    [ "$2" = mixed ] || line "transport=$1 memory=$usual\$"
}

usual=mapped
[ "$have_cuda" = yes ] || usual=staged
for transport in $(transports); do
    for memory in device managed mixed; do
        random_cases "$transport" $memory 4 8
        random_cases "$transport" $memory 3 3
        random_cases "$transport" $memory 4 6
    done
done

for memory in device managed mixed; do
    begin "passed on, $memory memory"
    mpi_ok -n 3 $(on) tests/mpi/device_calls --memory $memory
    equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 4
    begin "below min_bytes, $memory memory"
    mpi_ok -n 3 $(on 100M) tests/mpi/random_cases --memory $memory --components 3 --cases 3 \
        --max-count 5000 --seed "$seed"
    equal calls "$(counter MPI_COMM_WORLD calls)" 0
done

requests() { # PROGRAM MODE CASES [COLD]
    local memory cold=${4:-0}
    for memory in device mixed; do
        begin "$1, $memory memory, cold $cold"
        mpi_ok -n 3 $(on) --mca coll_cerar_components 3 "tests/mpi/$1" "$2" --memory $memory --cases "$3" --cold "$cold" --seed "$seed"
        equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 0
        begin "$1, passed on, $memory memory, cold $cold"
        mpi_ok -n 3 $(on 100M) "tests/mpi/$1" "$2" --memory $memory --cases "$3" --cold "$cold" --seed "$seed"
        equal calls "$(counter MPI_COMM_WORLD calls)" 0
    done
}
requests nonblocking many 20
requests nonblocking others 20 1
requests nonblocking threads 8
requests nonblocking freed 4
requests persistent orders 3

# What waits until CERAR is set up is staged when it is passed on then.
begin "aside after calls had to wait, device memory"
mpi_ok -n 3 $(on) --mca coll_cerar_topology slow-links tests/mpi/nonblocking others --cold 1 --memory device --cases 20 --seed "$seed"
lines 1 '^ok: others'
equal calls "$(counter MPI_COMM_WORLD calls)" 0

short_of_memory() { # FAULTS: on ranks 1 and 2 of 3
    mpi_ok -n 1 $(on) --mca coll_cerar_components 6 tests/mpi/random_cases --memory device --components 6 --cases 3 \
        --seed "$seed" : -n 2 -x CERAR_STANDIN_FAIL="$1" tests/mpi/random_cases --memory device --components 6 --cases 3 \
        --seed "$seed"
    equal calls "$(counter MPI_COMM_WORLD calls)" 3
}

if [ "$have_cuda" = yes ]; then
    begin "no memory on the devices of two ranks at first"
    short_of_memory cuMemHostAlloc:0
    no_line 'It is now:|buffers in a device'

    begin "no memory on the devices of two ranks, ever"
    short_of_memory cuMemHostAlloc:all,cuStreamCreate:all,cuEventCreate:all,cuModuleLoadData:all
    lines 2 'rank [12]: buffers in a device.s memory are "staged" on MPI_COMM_WORLD .3 ranks.: no memory is left, on the'

    begin "two ranks can't make ready what the second persistent request needs"
    mpi_ok -n 1 $(on) --mca coll_cerar_transport pml --mca coll_cerar_components 3 tests/mpi/persistent orders --cases 2 \
        --memory device --seed "$seed" : -n 2 -x CERAR_STANDIN_FAIL=cuPointerGetAttributes:7 tests/mpi/persistent orders \
        --cases 2 --memory device --seed "$seed"
    lines 1 'Reason: '
    equal calls "$(counter MPI_COMM_WORLD calls)" 2
    equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 11
else
    begin "no kernels, and no stream for copies"
    short_of_memory cuStreamCreate:all
    lines 1 'It is now: +staged'
    lines 2 'rank [12]: buffers in a device.s memory are "staged"'
    lines 3 'libcerar was built without CUDA, and has no kernels'
fi

begin "one rank can't make ready what the first call needs"
mpi_ok -n 1 $(on) --mca coll_cerar_transport pml tests/mpi/random_cases --memory device --components 3 --cases 3 \
    --seed "$seed" : -n 2 -x CERAR_STANDIN_FAIL=cuPointerGetAttributes:1 tests/mpi/random_cases --memory device \
    --components 3 --cases 3 --seed "$seed"
lines 1 'Reason: '
equal calls "$(counter MPI_COMM_WORLD calls)" 0
equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 3

unset OMPI_MCA_coll_cerar_topology
links() { # TOPOLOGY CALLS
    begin "links between devices of which nothing is known, $1"
    mpi_ok -n 3 $(on) --mca coll_cerar_topology "$1" --mca coll_cerar_verbose 1 \
        --mca coll_cerar_components 3 tests/mpi/random_cases \
        --memory device --components 3 --cases 3 --seed "$seed"
    equal calls "$(counter MPI_COMM_WORLD calls)" "$2"
    line 'links: unknown, in a node'
}
links auto 3
links slow-links 0
export OMPI_MCA_coll_cerar_topology=always

begin "cerar_allreduce -d cuda"
mpi_ok -n 4 $(on) --mca coll_cerar_components 8 bench/cerar_allreduce -d cuda -m 4:100000 -i 2 -c
equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 0
mpi_ok -n 2 $(on) --mca coll_cerar_components 2 bench/cerar_allreduce -d managed -l -m 4:1000 -i 2 -c
finish
