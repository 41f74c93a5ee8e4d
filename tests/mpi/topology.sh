#!/bin/bash
# coll_cerar_topology and coll_cerar_ring, as far as one node shows them: tests/lab/ring.sh has several.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99
unset OMPI_MCA_coll_cerar_topology

# Long enough for the planner to take more components than ranks, where it may.
long="--mca coll_cerar_tolerance 0.1 --mca coll_cerar_verbose 1"
exactness() { mpi_ok -n 4 $(on) $long "$@" tests/mpi/exactness --count 1000000; }

for topology in auto slow-links; do
    begin "$topology: not in a node's memory"
    exactness --mca coll_cerar_topology $topology --mca coll_cerar_components 8
    line '^result: exact'
    equal calls "$(counter MPI_COMM_WORLD calls)" 0
    equal fallbacks "$(counter MPI_COMM_WORLD fallbacks)" 1
    line "links: a node's memory; not for CERAR"
    no_line 'approximate all-reduce'
done

begin "always: the code that the tolerance allows"
exactness --mca coll_cerar_topology always
line '^result: approximate'
[ "$(counter MPI_COMM_WORLD c)" -gt 4 ] || fail "c is $(counter MPI_COMM_WORLD c)"

begin "always, by rank: nobody looks at the links"
exactness --mca coll_cerar_topology always --mca coll_cerar_ring rank
line 'links: not looked at'

# Ranks on two processors in turn: neighbours on the ring are to share one.
bound() { # RING TRANSPORT
    local options="--mca coll_cerar_topology always --mca coll_cerar_ring $1 --mca coll_cerar_transport $2 --mca coll_cerar_verbose 2"
    local rank0="-n 1 taskset -c $second tests/mpi/exactness" rank1="-n 1 taskset -c $first tests/mpi/exactness"
    mpi_ok $(on) $options $rank0 : $rank1 : $rank0 : $rank1
    line '^result: exact'
    equal calls "$(counter MPI_COMM_WORLD calls)" 1
}
read -r first second <<<"$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' | awk -F- '{for (i = $1; i <= ($2 == "" ? $1 : $2); ++i) printf "%d ", i}')"
second=${second%% *}
for transport in $(transports); do
    [ -n "$second" ] || break # there is but one processor
    begin "by topology, $transport"
    bound topology "$transport"
    lines 1 'the ring passes ranks 1 3 0 2$'
    begin "by rank, $transport"
    bound rank "$transport"
    lines 1 'the ring passes ranks 0 1 2 3$'
done
finish
