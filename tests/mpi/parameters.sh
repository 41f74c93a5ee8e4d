#!/bin/bash
# Values that are out of range, or not the same on all ranks: one message that names parameter, value
# and range, and exact results from whoever would have run without CERAR.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

# The program ran without CERAR, and one message told why.
stepped_aside() { # PARAMETER
    line '^result: exact'
    lines 1 'CERAR, the approximate all-reduce,'
    line "Parameter: +coll_cerar_$1\$"
    line 'Range: +[^ ]'
    line 'Communicator: +MPI_COMM_WORLD \(3 ranks\)'
    no_line 'ERROR_LOG|Sorry!'
    if has_line '^cerar: '; then equal calls "$(counter MPI_COMM_WORLD calls)" 0; fi
}

declare -A tried # parameters with bad values
bad() { # PARAMETER VALUE
    tried[$1]=yes
    begin "coll_cerar_$1 = $2"
    OMPI_MCA_coll_cerar_enable=1 OMPI_MCA_coll_cerar_min_bytes=0 OMPI_MCA_coll_cerar_stats=1 \
        mpi_ok -n 3 --mca "coll_cerar_$1" "$2" tests/mpi/exactness --calls 2
    stepped_aside "$1"
    line "Value: +$2\$"
}

bad enable 2
bad enable perhaps
bad hints 2
bad priority -1
bad priority 10001
bad min_bytes -5
bad min_bytes 10X
bad min_bytes 0.5
bad min_ranks 1
bad min_ranks two
bad tolerance -1e-3
bad tolerance 1.5
bad tolerance small
bad design approximate
bad max_condition 0.5
bad max_condition -2
bad max_condition inf
bad components -1
bad components 25
bad components 2.5
bad epsilon 1
bad epsilon -0.1
bad epsilon nan
bad epsilon 1e-3x
bad segment_bytes 511
bad segment_bytes 16777217
bad segment_bytes 17M
bad transport tcp
bad ring star
bad topology fast
bad verbose 101
bad stats 3

# A file of rules that can't be used is like none: rules.sh has the rest.
begin "coll_cerar_rules_file that is not there"
tried[rules_file]=yes
mpi_ok -n 3 $(on) --mca coll_cerar_components 6 --mca coll_cerar_rules_file /no/such.rules tests/mpi/exactness
line '^result: approximate'
lines 1 'CERAR, the approximate all-reduce,'
line 'Reason: +/no/such.rules: No such file or directory$'

# What the component registers, whatever that is: each parameter needs a help text, a range in it, and a bad
# value above.
registered=$("$ompi_info" --param coll cerar --level 9 --parsable | sed -n 's/^mca:coll:cerar:param:coll_cerar_\([^:]*\):help:/\1 /p')
begin "the registered parameters"
[ "$(printf '%s\n' "$registered" | wc -l)" -ge 13 ] || fail "ompi_info shows fewer than 13"
while read -r name help; do
    begin "coll_cerar_$name has help, range and bad value"
    [[ $help =~ ^[A-Z].{20,}". Range: ".{4,} ]] || fail "its help text is \"$help\""
    [ "${tried[$name]:-no}" = yes ] || fail "no bad value is listed in this script"
done <<<"$registered"

# Values that exclude each other: each is in its own range.
contradict() { # PARAMETER VALUE DESIGN
    begin "coll_cerar_$1 = $2 with design $3"
    mpi_ok -n 3 $(on) --mca coll_cerar_design "$3" --mca "coll_cerar_$1" "$2" tests/mpi/exactness
    stepped_aside "$1"
    line "Value: +$2\$"
}

contradict components 4 exact
contradict components 3 epsilon
contradict components 3 constrained
contradict components 17 vandermonde
contradict epsilon 0.01 constrained

# One value on ranks 0 and 1, another on rank 2.
different() { # PARAMETER VALUE VALUE
    begin "coll_cerar_$1 = $2 on two ranks, $3 on the third"
    # Which of two settings of one variable holds is not the same in all versions: each is made once.
    local on="-x OMPI_MCA_coll_cerar_stats=1"
    [ "$1" = enable ] || on="$on -x OMPI_MCA_coll_cerar_enable=1"
    mpi_ok -n 2 $on -x "OMPI_MCA_coll_cerar_$1=$2" tests/mpi/exactness : \
        -n 1 $on -x "OMPI_MCA_coll_cerar_$1=$3" tests/mpi/exactness
    stepped_aside "$1"
}

values_differ() { # PARAMETER VALUE VALUE [as shown]
    different "$1" "$2" "$3"
    line "Values: +${4:-$2} on rank 0, ${5:-$3} on rank 2"
}

values_differ hints 0 1
values_differ priority 90 80
values_differ min_bytes 100 8M 100 8388608
values_differ min_ranks 2 3
values_differ min_ranks 2 4
values_differ min_ranks 4 2 # who leaves it alone can't say so
values_differ priority 1 90
values_differ tolerance 1e-3 0 0.001 0
values_differ design auto exact
values_differ max_condition 0 1000
values_differ components 6 5
values_differ epsilon 0 0.001
values_differ segment_bytes 0 4K 0 4096
values_differ transport auto pml
values_differ ring rank topology
values_differ topology always slow-links
different enable 1 0
line 'Not on at: +rank 2 '
different components 3 25 # out of range on one rank: that is what is said
line 'Value: +25$'
different epsilon x 0
line 'Value: +x$'

same="-x OMPI_MCA_coll_cerar_min_bytes=0 -x OMPI_MCA_coll_cerar_enable=1 -x OMPI_MCA_coll_cerar_components=6"
begin "two ways to write the same value"
mpi_ok -n 2 $same -x OMPI_MCA_coll_cerar_segment_bytes=4K tests/mpi/exactness : \
    -n 1 $same -x OMPI_MCA_coll_cerar_segment_bytes=4096 tests/mpi/exactness
line '^result: approximate'
no_line 'approximate all-reduce'

begin "verbose and stats may differ"
mpi_ok -n 1 $same -x OMPI_MCA_coll_cerar_stats=1 -x OMPI_MCA_coll_cerar_verbose=1 \
    tests/mpi/exactness : -n 2 $same tests/mpi/exactness
line '^result: approximate'
equal calls "$(counter MPI_COMM_WORLD calls)" 1

begin "no CERAR at all on one rank"
mpi_ok -n 2 $same tests/mpi/exactness : -n 1 $same -x OMPI_MCA_coll=^cerar tests/mpi/exactness
stepped_aside enable

begin "without the file of messages"
mkdir -p tests/mpi/no_help
ln -sf "$component_dir/mca_coll_cerar.so" tests/mpi/no_help/mca_coll_cerar.so
OMPI_MCA_mca_base_component_path=$PWD/tests/mpi/no_help:$ompi_components \
    mpi_ok -n 3 $(on) --mca coll_cerar_epsilon 2 tests/mpi/exactness
line '^result: exact'
line '^cerar: coll_cerar_epsilon = "2" is not in its range: between 0 and 1'
finish
