#!/bin/bash
# Random numbers of ranks, codes, segments, transports, layers below and kinds of memory; in each, random cases.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

pick() { shift $((RANDOM % $#)); echo "$1"; }

# c from 1 to 8·N: often N, or a multiple of it.
pick_components() {
    case $((RANDOM % 4)) in
    0) echo "$1" ;;
    1) echo $(($1 * (2 + RANDOM % 3))) ;;
    2) echo $((1 + RANDOM % $1)) ;;
    3) echo $((1 + RANDOM % (8 * $1))) ;;
    esac
}

# Mostly the best; else one that the order of the code can bear in float.
pick_epsilon() { # N C
    local q=$((($2 + $1 - 1) / $1 - 1))
    case $q in
    1) pick 0 0 0.001 0.02 0.1 ;;
    2) pick 0 0 0.01 0.05 ;;
    3) pick 0 0.02 0.08 ;;
    *) echo 0 ;;
    esac
}

pick_layer() {
    pick "" "" "--mca pml ob1" "--mca pml ob1 --mca btl tcp,self"
}

# Devices are the stand-in's, if it is built.
memories=host
if [ -e tests/gpu/.libs/libcuda.so.1 ]; then
    export LD_LIBRARY_PATH=$PWD/tests/gpu/.libs:$LD_LIBRARY_PATH
    memories="host host device managed mixed"
fi

for job in $(seq 1 "${CERAR_TEST_JOBS:-16}"); do
    n=$((2 + RANDOM % 7))
    c=$(pick_components $n)
    epsilon=$(pick_epsilon $n "$c")
    transport=$(pick $(transports) auto)
    options="--mca coll_cerar_components $c --mca coll_cerar_epsilon $epsilon
        --mca coll_cerar_transport $transport
        --mca coll_cerar_segment_bytes $(pick 0 512 1000 4K 64K 1M) $(pick_layer)"
    memory=$(pick $memories)
    begin "job $job: -n $n $(echo $options), $memory memory"
    echo "$case_name"
    mpi_ok -n $n $(on) $options tests/mpi/random_cases --components "$c" --epsilon "$epsilon" \
        --memory "$memory" --seed $((seed + job)) --cases 12
    line '^ok: 12 random cases'
    equal calls "$(counter MPI_COMM_WORLD calls)" 12
    equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 0
    equal c "$(counter MPI_COMM_WORLD c)" "$c"
    [ "$transport" = auto ] || equal transport "$(counter MPI_COMM_WORLD transport)" "$transport"
done
finish
