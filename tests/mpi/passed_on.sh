#!/bin/bash
# What is not CERAR's has the bits that it has without CERAR, and is counted.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

results() { printf '%s\n' "$out" | grep -v '^cerar: '; }

for n in 2 5; do
    begin "without CERAR, $n ranks"
    mpi_ok -n $n tests/mpi/passed_on --small-sums 1
    without=$(results)
    line '^float sum: '

    begin "with CERAR, $n ranks"
    mpi_ok -n $n $(on) tests/mpi/passed_on
    [ "$(results)" = "$(grep -Ev '^(float|double|complex) sum( in place)?: ' <<<"$without")" ] ||
        fail "other bits than without it"
    equal calls "$(counter MPI_COMM_WORLD calls)" 0
    equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 10

    begin "sums below the threshold, $n ranks"
    mpi_ok -n $n $(on 1M) tests/mpi/passed_on --small-sums 1
    [ "$(results)" = "$without" ] || fail "other bits than without it"
    equal calls "$(counter MPI_COMM_WORLD calls)" 0
    equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 13
done

begin "the threshold itself"
mpi_ok -n 2 $(on 400000) tests/mpi/exactness --count 100000
equal calls "$(counter MPI_COMM_WORLD calls)" 1
mpi_ok -n 2 $(on 400000) tests/mpi/exactness --count 99999
equal calls "$(counter MPI_COMM_WORLD calls)" 0

begin "too few ranks"
mpi_ok -n 2 $(on) --mca coll_cerar_min_ranks 3 tests/mpi/exactness
line '^result: exact'
no_line '^cerar: MPI_COMM_WORLD'
finish
