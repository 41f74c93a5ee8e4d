#!/bin/bash
# coll_cerar_tolerance: what the planner chooses keeps it; what the user names instead is run, and said to exceed it.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

# Independent data of 16 MB, for which sending less is what counts.
keeps() { # N TYPE TOLERANCE COUNT [DESIGN]
    begin "N = $1, $2, tolerance $3, design ${5:-auto}"
    mpi_ok -n "$1" $(on) --mca coll_cerar_tolerance "$3" --mca coll_cerar_design "${5:-auto}" \
        tests/mpi/random_cases --count "$4" --type "$2" --limit "$3" --cases 1 --seed "$seed"
    no_line 'Predicted error'
    equal calls "$(counter MPI_COMM_WORLD calls)" 1
}
components_are() { # FROM TO
    local c
    c=$(counter MPI_COMM_WORLD c)
    { [ "${c:-0}" -ge "$1" ] && [ "${c:-0}" -le "$2" ]; } || fail "c is $c, not $1 to $2"
}

keeps 4 float 2e-2 4000000
components_are 16 16
keeps 4 float 1e-2 4000000
components_are 16 16
keeps 4 float 8e-3 4000000
components_are 12 12
keeps 4 float 1e-3 4000000
components_are 8 8
keeps 4 float 1e-6 4000000
components_are 1 4
keeps 3 double 1e-7 2000000
components_are 6 6
keeps 3 double 1e-12 2000000
components_are 1 3
keeps 4 float 1e-2 4000000 exact
components_are 1 4
keeps 4 float 1e-3 4000000 constrained
components_are 8 8
keeps 3 double 1e-3 2000000 vandermonde
components_are 4 16

begin "tolerance 0"
mpi_ok -n 4 $(on) --mca coll_cerar_tolerance 0 tests/mpi/exactness --count 1000000
line '^result: exact'
components_are 4 4
equal epsilon "$(counter MPI_COMM_WORLD epsilon)" 0

begin "coll_cerar_max_condition"
mpi_ok -n 4 $(on) --mca coll_cerar_max_condition 10 tests/mpi/exactness --count 4000000
components_are 1 4

begin "more components than the tolerance allows"
mpi_ok -n 4 $(on) --mca coll_cerar_components 16 tests/mpi/exactness --calls 3
lines 1 'Parameter: +coll_cerar_components = 16'
lines 1 'Predicted error: +0\.00[0-9]+, relative'
lines 1 'Allowed: +coll_cerar_tolerance = 1e-3 \(range: 0 to 1\)'
equal calls "$(counter MPI_COMM_WORLD calls)" 3

begin "the type changes, c does not"
mpi_ok -n 4 $(on) --mca coll_cerar_components 8 --mca coll_cerar_tolerance 1e-6 tests/mpi/exactness --type both
lines 1 'Predicted error: +0\.0001[0-9]*, relative'

begin "fewer components than ranks, and not exact"
mpi_ok -n 4 $(on) --mca coll_cerar_components 3 --mca coll_cerar_design vandermonde \
    --mca coll_cerar_tolerance 0 tests/mpi/exactness
lines 1 'Predicted error: '

begin "more components, and allowed"
mpi_ok -n 4 $(on) --mca coll_cerar_components 16 --mca coll_cerar_tolerance 0.1 tests/mpi/exactness
no_line 'Predicted error'

finish
