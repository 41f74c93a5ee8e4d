#!/bin/bash
# A communicator's hints: they beat the parameters, on all ranks or on none, whatever the ranks were given.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

on=cerar_enable=true
off=cerar_enable=false
# 8 components are approximate, and run whatever the tolerance.
approximate="--mca coll_cerar_min_bytes 0 --mca coll_cerar_components 8"

# Runs the steps, which have to print these results of "reduce", in this order.
results() { # RESULTS OPTION… tests/mpi/hints STEP…
    local expected=$1
    shift
    mpi_ok -n 4 "$@"
    equal results "$(printf '%s\n' "$out" | sed -n 's/^reduce: //p' | tr '\n' ' ')" "$expected "
}
quiet() { no_line 'approximate all-reduce'; }
# What MPI_Comm_get_info shows, on all ranks.
shows() { # LINES ENABLE TOLERANCE [COMPONENTS [SEGMENT-BYTES]]
    lines "$1" "^get: cerar_enable=$2 cerar_tolerance=$3 cerar_components=${4:-[0-9]+} cerar_segment_bytes=${5:-0} on rank"
}

begin "a hint asks, and may not"
mpi_ok -n 4 $approximate --mca coll_base_verbose 10 tests/mpi/hints dup:$on reduce get
line '^reduce: exact'
line 'component cerar is not available' # so it is unloaded

export OMPI_MCA_coll_cerar_hints=1

begin "nothing asks"
results "exact exact" $approximate --mca coll_cerar_stats 1 tests/mpi/hints reduce dup: reduce get
shows 4 false 0.001
quiet
no_line '^cerar: '

begin "a hint asks, at MPI_Comm_dup_with_info"
results "exact approximate exact" $approximate tests/mpi/hints reduce dup:$on reduce get dup: reduce
shows 4 true 0.001
quiet

begin "a hint asks, at MPI_Comm_set_info"
results "approximate exact approximate" $approximate tests/mpi/hints dup: set:$on reduce set:$off reduce set:$on reduce get
shows 4 true 0.001
quiet

begin "on MPI_COMM_WORLD"
results "approximate exact" $approximate tests/mpi/hints set:$on reduce set:$off reduce
quiet

begin "a hint against the parameter"
results "exact approximate approximate exact" $approximate --mca coll_cerar_enable 1 tests/mpi/hints \
    dup:$off reduce dup: reduce dup:$on reduce set:cerar_enable=no reduce get
shows 4 false 0.001
quiet

begin "cerar_tolerance"
results "approximate exact approximate exact approximate" $(on) tests/mpi/hints --count 4000000 \
    reduce dup:cerar_tolerance=0 reduce set:cerar_tolerance=1e-2 reduce set:cerar_tolerance=0 reduce get \
    set:cerar_tolerance=0.01 reduce get
shows 4 true 0
shows 4 true 0.01
quiet

begin "both hints"
results "approximate exact" --mca coll_cerar_tolerance 0 tests/mpi/hints --count 4000000 \
    "dup:$on,cerar_tolerance=1e-2" reduce "dup:cerar_tolerance=1e-2" reduce
quiet

begin "a tolerance changed while off"
results "exact exact approximate" $(on) tests/mpi/hints --count 4000000 \
    dup:$off reduce set:$on,cerar_tolerance=0 reduce set:cerar_tolerance=1e-2 reduce
quiet

begin "cerar_components"
results "exact approximate exact approximate" $(on) tests/mpi/hints dup:cerar_components=4 reduce get \
    set:cerar_components=12 reduce get set:cerar_components=2 reduce set:cerar_components=8,cerar_tolerance=0.5 reduce get
shows 4 true 0.001 4
shows 4 true 0.001 12
shows 4 true 0.5 8
# c=12 exceeds the tolerance: said once.
lines 1 'Parameter: +cerar_components = 12$'
lines 1 'Allowed: +coll_cerar_tolerance = 1e-3 '
lines 1 'approximate all-reduce'
sent=$(counter "MPI COMM[A-Z]* [0-9]* DUP FROM 0" bytes_sent)
# (c + N − 2) rounds of 4·10⁵/c bytes: 6/4, 14/12, 4/2, 10/8.
{ [ "${sent:-0}" -gt 2366000 ] && [ "$sent" -lt 2376000 ]; } || fail "bytes_sent is $sent"

begin "cerar_components against the parameter, and 0"
results "exact exact approximate" $approximate --mca coll_cerar_enable 1 --mca coll_cerar_tolerance 0 tests/mpi/hints \
    dup:cerar_components=3 reduce get set:cerar_components=0 reduce get dup: reduce
shows 4 true 0 3
shows 4 true 0 0
begin "components and a tolerance that they exceed, both hinted"
results "approximate" $(on) tests/mpi/hints dup:cerar_tolerance=1e-6,cerar_components=8 reduce
lines 1 'Parameter: +cerar_components = 8$'
lines 1 'Allowed: +cerar_tolerance = 1e-06 '
begin "components and a tolerance that is made smaller later"
results "approximate approximate" $(on) tests/mpi/hints dup:cerar_tolerance=1,cerar_components=8 reduce \
    set:cerar_tolerance=1e-6 reduce
lines 1 'Parameter: +cerar_components = 8$'
begin "components and a tolerance that allows them, both hinted"
results "approximate" $(on) tests/mpi/hints dup:cerar_tolerance=1,cerar_components=12 reduce
quiet

begin "cerar_segment_bytes"
segments() { # STEP… : what the teams were made with
    mpi_ok -n 4 $(on) --mca coll_cerar_verbose 1 tests/mpi/hints "$@"
    equal segments "$(printf '%s\n' "$out" | sed -n 's/.* segments of \([0-9]*\) bytes.*/\1/p' | tr '\n' ' ')" "$expected "
}
expected="4096 65536 262144"
segments dup:cerar_segment_bytes=4K reduce set:cerar_segment_bytes=65536 reduce get set:cerar_segment_bytes=65536 reduce \
    set:cerar_segment_bytes=0 reduce
shows 4 true 0.001 0 65536
quiet
expected="8192 4096"
OMPI_MCA_coll_cerar_segment_bytes=8K segments reduce dup:cerar_segment_bytes=4K reduce get
shows 4 true 0.001 0 4096

begin "counters of all teams"
results "approximate exact" $(on) tests/mpi/hints --count 4000000 reduce set:cerar_tolerance=0 reduce
# c + N − 2 rounds of 4·10⁶·4/c bytes each: c = 8, then c = 4.
bytes=$(counter MPI_COMM_WORLD bytes_sent)
{ [ "${bytes:-0}" -gt 43900000 ] && [ "$bytes" -lt 44100000 ]; } || fail "bytes_sent is $bytes"
equal calls "$(counter MPI_COMM_WORLD calls)" 2

bad() { # KEY VALUE [RANGE]
    local range=${3:-0 (or|to) 1}
    begin "$1=$2"
    results "exact approximate" $approximate tests/mpi/hints "dup:$1=$2" reduce get "dup:$on,$1=$2@7" reduce \
        "set:$1=$2"
    lines 1 "Hint: +$1\$"
    lines 1 "Value: +$2\$"
    lines 1 "Range: +$range"
    shows 4 false 0.001
    # Not taken: what was before is in force, and is shown as soon as the ranks have agreed.
    begin "$1=$2 later"
    results "approximate approximate" $approximate tests/mpi/hints "dup:$on,cerar_tolerance=0.5" reduce \
        "set:$1=$2" reduce get
    lines 1 "Value: +$2\$"
    shows 4 true 0.5
}
bad cerar_tolerance abc
bad cerar_tolerance 7
bad cerar_tolerance -1
bad cerar_tolerance nan
bad cerar_enable perhaps
bad cerar_enable 2
ranks='1 to 8 times the number of ranks, or 0'
bad cerar_components x "$ranks"
bad cerar_components -1 "$ranks"
bad cerar_components 33 "$ranks"
bad cerar_components 8.5 "$ranks"
bad cerar_segment_bytes 511 '512 to 16777216'
bad cerar_segment_bytes 17M '512 to 16777216'
begin "components that the design can't have"
results "exact" --mca coll_cerar_design exact $(on) tests/mpi/hints dup:cerar_components=5 reduce
lines 1 'Hint: +cerar_components$'

stepped_aside() { # HINT VALUES
    lines 1 'approximate all-reduce'
    line "Hint: +$1\$"
    line "Values: +$2\$"
    line 'CERAR steps aside on this communicator'
}
begin "different tolerances"
results "exact" $approximate tests/mpi/hints "dup:$on,cerar_tolerance=0.1@0,cerar_tolerance=0.1@1,cerar_tolerance=0.2@2,cerar_tolerance=0.2@3" reduce get
stepped_aside cerar_tolerance '0.1 on rank 0, 0.2 on rank 2'
shows 2 false 0.1
begin "a tolerance on one rank alone"
results "exact exact" $approximate --mca coll_cerar_enable 1 tests/mpi/hints "dup:cerar_tolerance=0.1@3" reduce reduce
stepped_aside cerar_tolerance '0.001 on rank 0, 0.1 on rank 3'
begin "components on one rank alone"
results "exact exact" $approximate --mca coll_cerar_enable 1 tests/mpi/hints "dup:cerar_components=4@3" reduce reduce
stepped_aside cerar_components '4 on rank 3, 8 on rank 0'
begin "different segments"
results "exact" $(on) tests/mpi/hints "dup:cerar_segment_bytes=1K@0,cerar_segment_bytes=2K@1" reduce
stepped_aside cerar_segment_bytes '0 on rank 2, 2048 on rank 1'
begin "enabled on one rank alone"
results "exact exact" $approximate tests/mpi/hints "dup:$on@2" reduce reduce
stepped_aside cerar_enable 'false on rank 0, true on rank 2'
begin "enabled on all ranks but one"
results "exact" $approximate tests/mpi/hints dup: "set:$on@0,$on@1,$on@3" reduce
stepped_aside cerar_enable 'false on rank 2, true on rank 0'
begin "a bad value on one rank"
results "exact" $approximate tests/mpi/hints "dup:$on,cerar_tolerance=0.1@0,cerar_tolerance=0.1@1,cerar_tolerance=x@2,cerar_tolerance=0.1@3" reduce
lines 2 'approximate all-reduce'
line 'Value: +x$'
line 'Values: +0.001 on rank 2, 0.1 on rank 0$'

# After the first call: what some ranks have not got is taken nowhere.
missing() { # VALUES RESULTS STEP…
    local values=$1 expected=$2
    shift 2
    results "$expected" $approximate tests/mpi/hints "$@"
    line "Values: +$values\$"
    no_line 'CERAR steps aside'
}
begin "switched off on one rank alone"
missing 'false on rank 2, not given on rank 1 \(still true\)' "approximate approximate exact" \
    dup:$on reduce "set:$off@2" reduce get set:$off reduce
shows 4 true 0.001
begin "switched off on all ranks but one"
missing 'false on rank 0, not given on rank 3 \(still true\)' "approximate approximate approximate" \
    dup:$on reduce "set:$off@0,$off@1,$off@2" reduce reduce
begin "switched on on two ranks"
missing 'true on rank 1, not given on rank 0 \(still false\)' "exact exact approximate" \
    dup:$off reduce "set:$on@1,$on@2" reduce set:$on reduce
begin "components on one rank alone, later"
missing '4 on rank 2, not given on rank 1 \(still 8\)' "approximate approximate exact" \
    dup:$on reduce "set:cerar_components=4@2" reduce set:cerar_components=4 reduce
begin "other tolerances on all ranks, later"
results "approximate exact" $approximate tests/mpi/hints dup:$on reduce \
    "set:cerar_tolerance=0.1,cerar_tolerance=0.2@1" reduce
stepped_aside cerar_tolerance '0.1 on rank 0, 0.2 on rank 1'

begin "too late"
results "exact exact" $approximate tests/mpi/hints dup: reduce set:$on reduce get
lines 1 'nobody had asked'
lines 1 'Hint: +cerar_enable$'
no_line 'cerar_enable=true'

begin "ranks with different parameters, and nobody asks"
mpi_ok -n 2 -x OMPI_MCA_coll_cerar_tolerance=0.1 tests/mpi/hints reduce : \
    -n 2 -x OMPI_MCA_coll_cerar_tolerance=0.2 -x OMPI_MCA_coll_cerar_epsilon=x tests/mpi/hints reduce
lines 1 'reduce: exact'
quiet

begin "ranks with different parameters, and a hint asks"
mpi_ok -n 2 -x OMPI_MCA_coll_cerar_tolerance=0.1 tests/mpi/hints set:$on reduce : \
    -n 2 -x OMPI_MCA_coll_cerar_tolerance=0.2 tests/mpi/hints set:$on reduce
lines 1 'reduce: exact'
lines 1 'approximate all-reduce'
line 'Parameter: +coll_cerar_tolerance$'

begin "two ranks only"
mpi_ok -n 2 $approximate tests/mpi/hints dup:$on reduce set:$off reduce "set:$on@0" reduce
equal results "$(printf '%s\n' "$out" | sed -n 's/^reduce: //p' | tr '\n' ' ')" "approximate exact exact "
line 'Values: +true on rank 0, not given on rank 1 \(still false\)'

# Numbers have a point in all locales.
locales=$(mktemp -d) || exit 99
trap 'rm -rf "$locales"' EXIT
if localedef --no-archive -i de_DE -f UTF-8 "$locales/de_DE.UTF-8" >/dev/null 2>&1; then
    begin "a locale with decimal commas"
    results "approximate approximate" -x "LOCPATH=$locales" -x LC_ALL=de_DE.UTF-8 $approximate \
        --mca coll_cerar_enable 1 --mca coll_cerar_tolerance 0.001 tests/mpi/hints --locale \
        reduce get set:cerar_tolerance=0.5 reduce
    quiet
    shows 4 true 0.001
else
    echo "skipped: a locale with decimal commas (no localedef, or no source of de_DE)"
fi
finish
