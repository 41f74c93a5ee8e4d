#!/bin/bash
# The test suite of Debian's python3-mpi4py, from its source package in $MPI4PY_SOURCE: as many tests run, and the same fail.
. "$srcdir/tests/programs/lib.sh" || exit 99
time_limit=2400

# One line a rank of each, and the names of what failed.
outcomes() { printf '%s\n' "$out" | sed -nE -e 's/^(Ran [0-9]+ tests) in .*/\1/p' -e '/^(OK|FAILED)( \(.*\))?$/p' -e '/^(ERROR|FAIL): /p' | sort; }

suite() { # WAY [OPTION…]
    local way=$1
    shift
    run_program mpi4py "$way" /usr/bin/python3 "$MPI4PY_SOURCE/test/runtests.py" --no-builddir --quiet "$@"
    outcomes >"$directory/outcomes"
}

begin "mpi4py: plain"
suite plain
[ "$(grep -c '^Ran [1-9][0-9]* tests$' "$directory/outcomes")" = 4 ] || fail "no outcome of four ranks"
uniq -c "$directory/outcomes"

for way in thresholds always; do
    begin "mpi4py: $way"
    suite $way
    echo "mpi4py, $way: $(calls) calls"
    difference=$(diff "$work/mpi4py/plain/outcomes" "$directory/outcomes") || fail "other outcomes than the plain run's: $difference"
    [ $way = thresholds ] || [ "$(calls)" -gt 0 ] || fail "CERAR ran no call"
done

# That the comparison can fail, and that what CERAR sums gets to the tests.
begin "mpi4py: approximate sums are seen"
suite approximate --include cco_buf
grep -q '^FAIL: testAllreduce ' "$directory/outcomes" || fail "no test noticed approximate sums ($(calls) calls)"
finish
