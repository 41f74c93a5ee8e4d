#!/bin/bash
# Large vectors, at the best ε: the errors of docs/theory.md's table, and none where c is at most N.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

measure() { # N C TYPE LIMIT
    begin "N = $1, c = $2, $3"
    mpi_ok -n "$1" $(on) --mca coll_cerar_components "$2" tests/mpi/random_cases \
        --components "$2" --count 400000 --type "$3" --limit "$4" --cases 2 --seed $((seed + $1))
    line '^ok: 2 random cases'
    equal calls "$(counter MPI_COMM_WORLD calls)" 2
}

for n in 4 8; do
    measure $n $((2 * n)) float 2e-4
    measure $n $((3 * n)) float 3e-3
    measure $n $((4 * n)) float 1.2e-2
done
measure 4 8 double 1e-8
measure 4 12 double 5e-6
measure 4 16 double 1e-4
measure 4 4 float 1e-7
measure 4 2 float 1e-6
measure 3 2 double 1e-14
finish
