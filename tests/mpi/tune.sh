#!/bin/bash
# cerar_tune: the rules that it writes are those that Open MPI then follows; what it can't do it says, once.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

files=$(mktemp -d) || exit 99
trap 'rm -rf "$files"' EXIT
rules=$files/tuned.rules
quick="--min-bytes 256K --max-bytes 256K --iterations 3 --seconds 2"

tune() { # RANKS OPTION… -- ARGUMENT… : --output is there already
    local ranks=$1 options=()
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    rm -f "$rules"
    # shellcheck disable=SC2086 # a list
    mpi_ok -n "$ranks" "${options[@]}" ./cerar_tune $quick --output "$rules" "$@"
    no_line 'approximate all-reduce'
}
rule_lines() { # NUMBER PATTERN: of the file
    local found
    found=$(grep -v '^#' "$rules" | grep -Ec -- "$2")
    [ "$found" = "$1" ] || fail "$found rules instead of $1 like: $2 in $(cat "$rules")"
}
# Runs with the rules of the file, as they are or with another action in the place of each.
follow() { # RANKS [PROGRAM-ARGUMENT…]
    local ranks=$1
    shift
    mpi_ok -n "$ranks" --mca coll_cerar_enable 1 --mca coll_cerar_stats 1 --mca coll_cerar_verbose 2 \
        --mca coll_cerar_rules_file "$rules" tests/mpi/exactness "$@"
    no_line "can't be used"
}
# What the file says of a size is what a call of it does.
followed() { # TYPE COUNT BYTES
    local action
    # shellcheck disable=SC2016 # $ is awk's
    action=$(awk -v type="$1" -v bytes="$3" '
        /^ranks/ {split($4, range, "-"); if ($6 == type && range[1] <= bytes && (range[2] == "" || bytes <= range[2])) {
            sub(/.* : /, ""); print; exit}}' "$rules")
    [ -n "$action" ] || fail "no rule is for $3 bytes of $1"
    follow 4 --type "$1" --count "$2"
    case $action in
    off) line 'a call is passed on: a rule of coll_cerar_rules_file says off' ;;
    exact*) line 'c=4 .*, by line [0-9]+ of coll_cerar_rules_file' ;;
    components*) line "c=$(cut -d' ' -f2 <<<"$action") .*, by line [0-9]+ of coll_cerar_rules_file" ;;
    *) fail "this is no action: $action" ;;
    esac
}

begin "float and double on 4 ranks, followed"
quick="--min-bytes 64K --max-bytes 256K --factor 4 --iterations 3 --seconds 2" \
    tune 4 -- --type both --plot "$files/chart.svg"
lines 1 '^float 64 KiB: .* Open MPI.s own in '
lines 4 '^(float|double) (64|256) KiB: '
rule_lines 0 '^ranks [^4]'
line_count=$(grep -c '^ranks 4 bytes [0-9]*-[0-9]* type [a-z]* : ' "$rules")
{ [ "$line_count" -ge 2 ] && [ "$line_count" -le 4 ]; } || fail "$line_count rules"
equal "end of the plot" "$(tail -n 1 "$files/chart.svg")" '</svg>'
for size in 16384 65536; do
    followed float $size $((4 * size))
    followed double $((size / 2)) $((4 * size))
done

begin "what the user has set for other programs is not what is timed"
printf ': off\n' >"$files/former.rules"
tune 2 --mca coll_cerar_enable 1 --mca coll_cerar_rules_file "$files/former.rules" --mca coll_cerar_components 16 \
    --mca coll_cerar_min_bytes 1G --mca coll_cerar_min_ranks 5 --mca coll_cerar_tolerance 0 -- --type double
rule_lines 0 'float'
grep -q '^# double  *256 KiB' "$rules" || fail "double is not in $(cat "$rules")"

begin "named in the parameter coll"
tune 2 --mca coll cerar,tuned,libnbc,basic,inter,self,sync -- --tolerance 0
rule_lines 0 'components'
follow 2 --count 16384

begin "3 ranks, quiet, to standard output"
# shellcheck disable=SC2086 # a list
mpi_ok -n 3 ./cerar_tune $quick --quiet
lines 0 '^float '
line '^ranks 3 bytes [0-9]+- type float : (off|exact segment|components)'

# One line of complaint, and no more from mpirun than that the status is not 0.
refused() { # STATUS PATTERN
    equal "exit status" "$status" "$1"
    lines 1 '^cerar_tune: '
    line "^cerar_tune: $2"
}
begin "1 rank"
mpi -n 1 ./cerar_tune
refused 2 '1 rank, expected 2 or more'
begin "wrong arguments"
mpi -n 3 ./cerar_tune --tolerance 2
refused 2 "--tolerance: got '2', expected 0 to 1"
mpi -n 2 ./cerar_tune --min-bytes 1M --max-bytes 1K
refused 2 "--max-bytes: got '1K', expected --min-bytes to 4G"
begin "other arguments on other ranks"
# shellcheck disable=SC2086 # a list
mpi_ok -n 1 ./cerar_tune $quick --quiet : -n 1 ./cerar_tune --factor 9
line '^ranks 2 bytes '
begin "files that can't be written"
mpi -n 2 ./cerar_tune --output "$files/no/such.rules"
refused 2 "cannot write $files/no/such.rules: no such directory"
mpi -n 2 ./cerar_tune --output "$files" --plot "$files/x.svg"
refused 2 "cannot write $files: Is a directory"
[ ! -e "$files/x.svg" ] || fail "there is a plot"
if [ -w /dev/full ]; then
    # shellcheck disable=SC2086 # a list
    mpi -n 2 ./cerar_tune $quick --quiet --output /dev/full
    refused 1 "cannot write /dev/full: No space left on device"
    line '^ranks 2 bytes ' # they are not lost
fi
begin "without the component"
mpi -n 3 --mca coll ^cerar ./cerar_tune
refused 2 'Open MPI does not use the component cerar on all ranks'
OMPI_MCA_mca_base_component_path=$ompi_components mpi -n 2 ./cerar_tune
refused 2 'Open MPI does not use the component cerar on all ranks'
begin "where CERAR steps aside"
mpi -n 2 --mca coll_cerar_topology slow-links ./cerar_tune
refused 1 'CERAR does not run components 1 segment 256K \(on one node it wants coll_cerar_topology always; coll_cerar_verbose 2 tells why\)'
begin "help, under mpirun and without"
mpi_ok -n 2 ./cerar_tune --help
lines 1 '^Usage: cerar_tune'
out=$(./cerar_tune --help 2>&1) || fail "exit status $?"
lines 1 '^Usage: cerar_tune'
finish
