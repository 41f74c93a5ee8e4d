#!/bin/bash
# coll_cerar_rules_file: each action is taken where its rule is the first that matches; files that can't be used, or
# are not the same on all ranks, are said to be so.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

file=$PWD/tests/mpi/rules_test.rules
other=$PWD/tests/mpi/rules_test_other.rules
no_help=$(mktemp -d)
trap 'rm -rf "$file" "$other" "$no_help"' EXIT
rules() { printf '%s\n' "$@" >"$file"; }

# Runs exactness on 4 ranks with the rules in the file; 100000 floats are 390.6 KiB.
run() { # ARGUMENTS OF mpirun …
    mpi_ok -n 4 --mca coll_cerar_enable 1 --mca coll_cerar_stats 1 --mca coll_cerar_verbose 2 \
        --mca coll_cerar_rules_file "$file" "$@"
}
ran() { # CALLS FALLBACKS COMPONENTS
    equal calls "$(counter MPI_COMM_WORLD calls)" "$1"
    equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" "$2"
    equal c "$(counter MPI_COMM_WORLD c)" "$3"
}

begin "off"
rules ': off'
run tests/mpi/exactness --calls 2
line '^result: exact'
ran 0 2 0
line 'a call is passed on: a rule of coll_cerar_rules_file says off'

begin "exact, whatever the parameters are"
rules ': exact'
run --mca coll_cerar_components 8 tests/mpi/exactness
line '^result: exact'
ran 1 0 4
line 'by line 1 of coll_cerar_rules_file'

begin "components, epsilon and segment"
rules '# a comment' 'ranks 4 : components 12 epsilon 0.0078125 segment 4K'
run --mca coll_cerar_tolerance 0.5 tests/mpi/exactness
line '^result: approximate'
ran 1 0 12
equal epsilon "$(counter MPI_COMM_WORLD epsilon)" 0.0078125
line 'c=12 .*by line 2 of coll_cerar_rules_file'
no_line 'Predicted error'

begin "segments are each rule's own"
rules 'bytes 400000 : exact segment 512' ': exact segment 16M'
run tests/mpi/exactness
small=$(counter MPI_COMM_WORLD scratch_bytes)
run tests/mpi/exactness --count 100001
large=$(counter MPI_COMM_WORLD scratch_bytes)
ran 1 0 4
[ "${small:-0}" -lt "${large:-0}" ] || fail "scratch_bytes is $small and $large"

begin "components that exceed the tolerance"
rules '' ': components 16'
run tests/mpi/exactness
ran 1 0 16
lines 1 "Parameter: +coll_cerar_rules_file = $file, line 2"
lines 1 'Allowed: +coll_cerar_tolerance = 1e-3 '

begin "tolerance"
rules 'bytes 400000 : tolerance 0' 'bytes 16000000 : tolerance 2e-2'
run tests/mpi/exactness
line '^result: exact'
ran 1 0 4
run tests/mpi/exactness --count 4000000
line 'predicted relative error [^ ]* of 0.02 allowed, by line 2'
ran 1 0 16

begin "by type"
rules 'type float : components 8' 'type double : off'
run tests/mpi/exactness --type both
ran 1 1 8
run tests/mpi/exactness --type double
ran 0 1 0

begin "by bytes, at both ends"
rules 'bytes 400004-500000 : components 8' 'bytes 0-500000 : off' ': components 4'
run tests/mpi/exactness
ran 0 1 0
run tests/mpi/exactness --count 100001
ran 1 0 8
run tests/mpi/exactness --count 125000
ran 1 0 8
run tests/mpi/exactness --count 125001
ran 1 0 4

begin "by ranks: the first that matches"
rules 'ranks 2-3 : off' 'ranks 5- : off' ': components 8' ': off'
run tests/mpi/exactness
ran 1 0 8

begin "a rule beats the thresholds, and without one they hold"
rules 'bytes 4000 : components 8' 'bytes 500000 : off'
run --mca coll_cerar_min_bytes 1M --mca coll_cerar_min_ranks 5 tests/mpi/exactness --count 1000
ran 1 0 8
run --mca coll_cerar_min_bytes 1M tests/mpi/exactness
ran 0 1 0
line 'passed on: less than coll_cerar_min_bytes, or fewer'
run --mca coll_cerar_min_ranks 5 tests/mpi/exactness
ran 0 1 0
run --mca coll_cerar_components 12 tests/mpi/exactness
ran 1 0 12

begin "not asked for: rules turn nothing on"
rules ': components 8'
mpi_ok -n 4 --mca coll_cerar_rules_file "$file" tests/mpi/exactness
line '^result: exact'

begin "a hint of the tolerance that was taken nowhere doesn't"
rules ': components 8'
run tests/mpi/hints dup:cerar_enable=true reduce set:cerar_tolerance=1e-6@0 reduce set:cerar_enable=true reduce
equal results "$(printf '%s\n' "$out" | sed -n 's/^reduce: //p' | tr '\n' ' ')" "approximate approximate approximate "

begin "the tolerance that a communicator hints beats them"
rules ': components 16'
run tests/mpi/hints dup:cerar_tolerance=1e-6 reduce dup: reduce
lines 1 '^reduce: exact'
lines 1 '^reduce: approximate'
line 'c=[1-4] .* of 1e-06 allowed, by line 1'
line 'c=16 .* of 0.001 allowed, by line 1'

begin "components and segments that a communicator hints beat them too"
rules 'bytes 400000 : exact segment 512' ': components 16 segment 16M'
run tests/mpi/hints dup:cerar_components=8,cerar_segment_bytes=16K reduce
lines 1 '^reduce: approximate'
line 'c=8 .*by line 1'
large=$(counter "MPI COMM[A-Z]* [0-9]* DUP FROM 0" scratch_bytes)
run tests/mpi/hints dup:cerar_components=8 reduce
small=$(counter "MPI COMM[A-Z]* [0-9]* DUP FROM 0" scratch_bytes)
[ "${large:-0}" -gt "${small:-0}" ] || fail "scratch_bytes is $large and $small"
begin "no components that a communicator hints"
run tests/mpi/hints --count 100001 dup:cerar_components=0 reduce
line 'c=[1-4] .* of 0.001 allowed, by line 2'
begin "hints are not asked for where rules say off"
rules ': off'
run tests/mpi/hints dup:cerar_components=8 reduce
lines 1 '^reduce: exact'

# What is wrong, one message about it, and the parameters hold.
unusable() { # REASON
    begin "unusable: $1"
    run --mca coll_cerar_components 8 tests/mpi/exactness --calls 2
    line '^result: approximate'
    equal calls "$(counter MPI_COMM_WORLD calls)" 2
    equal c "$(counter MPI_COMM_WORLD c)" 8
    lines 1 'CERAR, the approximate all-reduce,'
    line 'Parameter: +coll_cerar_rules_file$'
    lines 1 "Reason: +$file: ?$1\$"
    line 'On: +rank 0 of MPI_COMM_WORLD \(4 ranks\)'
}

rules ': exact' '' 'bytes 64KX : off'
unusable "3: got '64KX', expected a number of bytes like 4096, 256K-64M or 1M-"
rules ': exact' ': components 17'
unusable "2: got '17', expected 1 to 16 components .*"
rules 'ranks 4 : on'
unusable "1: got 'on', expected off, exact, tolerance, components or segment"
rm -f "$file"
unusable 'No such file or directory'
mkdir "$file"
unusable 'Is a directory'
rmdir "$file"

# Ranks 0 and 1 have one file, 2 and 3 another.
two_files() {
    set -- -x OMPI_MCA_coll_cerar_enable=1 -x OMPI_MCA_coll_cerar_components=8
    mpi_ok -n 2 "$@" -x OMPI_MCA_coll_cerar_stats=1 -x "OMPI_MCA_coll_cerar_rules_file=$file" tests/mpi/exactness : \
        -n 2 "$@" -x "OMPI_MCA_coll_cerar_rules_file=$other" tests/mpi/exactness
}
differ() { # VALUE VALUE
    line '^result: exact'
    line 'Parameter: +coll_cerar_rules_file'
    lines 1 "Values: +$1 on rank 0, $2 on rank 2"
    ran 0 1 0
}

begin "files differ"
rules ': off'
printf ': components 16\n' >"$other"
two_files
differ 'rules [0-9a-f]+' 'rules [0-9a-f]+'

begin "files differ, and some ranks would leave the communicator alone"
rules 'ranks 3 : off'
printf '# none\n' >"$other"
set -- -x OMPI_MCA_coll_cerar_enable=1 -x OMPI_MCA_coll_cerar_min_ranks=5
mpi_ok -n 2 "$@" -x "OMPI_MCA_coll_cerar_rules_file=$file" tests/mpi/exactness : \
    -n 2 "$@" -x "OMPI_MCA_coll_cerar_rules_file=$other" tests/mpi/exactness
lines 1 'Values: +rules [0-9a-f]+ on rank 0, no rules on rank 2'

begin "one of them is broken"
rules ': components 16'
printf '\n: of\n' >"$other"
two_files
differ 'rules [0-9a-f]+' 'no rules'
lines 1 "Reason: +$other:2: got 'of', expected "
line 'On: +rank 2 of '

begin "both are broken"
rules 'on'
two_files
line '^result: approximate'
lines 1 'CERAR, the approximate all-reduce,'

begin "files that say the same"
rules 'bytes 64K- : components 16'
printf '# other words\r\nbytes 65536-: components  16 # c\r\n' >"$other"
two_files
line '^result: approximate'
ran 1 0 16
no_line 'rules on rank|approximate all-reduce, can'

begin "an epsilon that can't be"
rules 'ranks 4 type float : components 32 epsilon 1e-30'
run tests/mpi/exactness
line '^result: exact'
line 'Reason: +the rule in line 1: '
rules 'ranks 5 type float : components 32 epsilon 1e-30'
run --mca coll_cerar_components 8 tests/mpi/exactness
ran 1 0 8

begin "without the file of messages"
rules 'on'
ln -s "$component_dir/mca_coll_cerar.so" "$no_help"
OMPI_MCA_mca_base_component_path=$no_help:$ompi_components run tests/mpi/exactness
line "^cerar: coll_cerar_rules_file can't be used: $file:1: got 'on', expected "
finish
