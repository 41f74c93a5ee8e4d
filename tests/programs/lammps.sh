#!/bin/bash
# Debian's LAMMPS. Its sums come back in every position, and another order of summation changes their last bits: so what "the
# same" means is measured with other all-reduces of Open MPI.
. "$srcdir/tests/programs/lib.sh" || exit 99
time_limit=300

lammps() { # INPUT WAY
    run_program "$1" "$2" lmp -in "$here/$1.in" -log log.txt -screen none -nocite
    [ $status = 0 ] || fail "exit status $status: $(tail -n 3 "$directory/log.txt")"
    # Without times, dates and the lines that tell what the columns are.
    awk '/^ *Step /{ table = 1; next } /^Loop time/{ table = 0 } table' "$directory/log.txt" >"$directory/table.txt"
}

# Of a run from the plain one; sets distance.
measure() { # INPUT WAY
    local file apart
    distance=0
    for file in table.txt atoms.txt profile.txt; do
        [ -e "$work/$1/plain/$file" ] || continue
        apart=$(awk -f "$here/distance.awk" "$work/$1/plain/$file" "$work/$1/$2/$file") || {
            fail "$2, $file: $apart"
            return
        }
        distance=$(greater_of "$distance" "$apart")
    done
}

for input in melt salt; do
    begin "$input: plain"
    lammps $input plain
    [ "$(wc -l <"$directory/atoms.txt")" -gt 1000 ] || fail "no results"

    begin "$input: the same bits again"
    lammps $input again
    measure $input again
    equal "distance" "$distance" 0

    allowed=1e-14
    for way in linear nonoverlapping ring; do
        begin "$input: $way"
        lammps $input $way
        measure $input $way
        echo "$input, $way: distance $distance"
        is_at_most "$distance" 1e-6 || fail "$distance: so far apart, runs compare nothing"
        allowed=$(greater_of "$allowed" "$distance")
    done
    # Once a bit differs, chance decides how far the runs drift apart.
    allowed=$(awk -v d="$allowed" 'BEGIN { print 30 * d }')

    for way in thresholds always; do
        begin "$input: $way"
        lammps $input $way
        measure $input $way
        echo "$input, $way: distance $distance of $allowed, $(calls) calls"
        is_at_most "$distance" "$allowed" || fail "distance $distance, more than $allowed"
        [ $way-$input = thresholds-salt ] || [ "$(calls)" -gt 0 ] || fail "CERAR ran no call"
    done

    # That the comparison can fail, and that what CERAR sums gets into the results.
    begin "$input: approximate sums are seen"
    lammps $input approximate
    measure $input approximate
    echo "$input, approximate: distance $distance, $(calls) calls"
    ! is_at_most "$distance" "$allowed" || fail "distance $distance is not more than $allowed"
done
finish
