#!/bin/bash
# What is said of sums that are too great, or too small, for the error that was allowed.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

run() { mpi_ok -n 4 $(on) --mca coll_cerar_components "${c:-8}" tests/mpi/range --calls 3 "$@"; }
finite='has infinities or NaNs'
small='error may be greater than allowed|so small that its$'

begin "ordinary numbers"
run
no_line "$finite|$small"

begin "sums that overflow in decoding: the first rank says all, the others a line, each once"
run --scale 1e37
lines 4 "$finite"
lines 1 'this is rank 0'
lines 3 '^cerar: rank [123]: .*see coll_cerar_tolerance'

begin "the same sums, exact"
c=4 run --scale 1e37
no_line "$finite|$small"

begin "one rank has a NaN"
run --scale nan --at 2
lines 4 "$finite"

begin "sums that are too small"
run --scale 1e-39
lines 1 'so small that its$'
lines 3 '^cerar: rank [123]: .*so small that its error'
no_line "$finite"

begin "one rank is small"
run --scale 1e-39 --at 2
no_line "$finite|$small"

finish
