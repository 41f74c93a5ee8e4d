#!/bin/bash
# Debian's HPC Challenge: its own verdicts, and the figures that do not tell a time.
. "$srcdir/tests/programs/lib.sh" || exit 99
time_limit=900

# Debian's example of an input, smaller, on a grid of 2 × 2.
input() { sed -e '6s/^[0-9]*/480/' -e '11,12s/^[0-9]*/2/' /usr/share/doc/hpcc/examples/_hpccinf.txt; }

# What a run found: how often each verdict, and residuals, norms and errors.
findings() { # FILE
    sed -nE -e 's/^.* (PASSED|FAILED)( .*)?$/\1/p' \
        -e 's/^(Found [0-9]+ errors in [0-9]+ locations \([a-z]+\))\.$/\1/p' \
        -e '/^Node\(s\) with error/p' \
        -e '/^ *[0-9]+ tests completed/p' \
        -e '/^Solution Validates/p' \
        -e '/^(Success|CommWorldProcs|[A-Za-z_]+_(residual|Errors|maxErr)|HPL_[A-Z][a-z]+[1I])=/p' "$1"
}

hpcc() { # WAY
    mkdir -p "$work/hpcc/$1"
    input >"$work/hpcc/$1/hpccinf.txt"
    run_program hpcc "$1" hpcc
    [ $status = 0 ] || fail "exit status $status"
    findings "$directory/hpccoutf.txt" >"$directory/findings"
}

begin "hpcc: plain"
hpcc plain
for finding in 'Success=1' 'PASSED' 'PTRANS_residual=[0-9.e+-]+' 'MPIFFT_maxErr=[0-9.e+-]+' 'HPL_RnormI=[0-9.e+-]+'; do
    grep -Exq -- "$finding" "$directory/findings" || fail "hpcc found no $finding"
done
! grep -Eq 'FAILED|\(failed\)|^ *[1-9][0-9]* tests completed and failed' "$directory/findings" || fail "a verdict of hpcc is bad without CERAR"

# Why CERAR passed calls on: how often, and the reason.
passed_on() { printf '%s\n' "$out" | sed -n 's/.*a call is passed on: //p' | sort | uniq -c; }

export OMPI_MCA_coll_cerar_verbose=2
for way in thresholds always; do
    begin "hpcc: $way"
    hpcc $way
    echo "hpcc, $way: $(calls) calls; passed on:"
    passed_on
    [ -n "$(passed_on)" ] || [ "$(calls)" -gt 0 ] || fail "CERAR saw no call"
    # So if it took none there was none to take: hpcc 1.5.0 sums no floating-point numbers by MPI_Allreduce.
    [ $way = thresholds ] || ! passed_on | grep -Evq 'not MPI_SUM|neither float nor double' || fail "a call of floats was passed on"
    difference=$(diff "$work/hpcc/plain/findings" "$directory/findings") || fail "other findings than the plain run's: $difference"
done
finish
