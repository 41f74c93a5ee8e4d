#!/bin/bash
# cerar_allreduce: its parts, its table, its verdicts, its complaints.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

program=bench/cerar_allreduce

for n in 1 2 5; do
    begin "parts, N = $n"
    mpi_ok -n $n tests/mpi/bench_parts
done

begin "table"
mpi_ok -n 3 $program -m 4:64 -i 3 -x 1 -T all -f -z -c
line '^# Datatype: MPI_FLOAT\.$'
line '^# Datatype: MPI_DOUBLE\.$'
lines 2 '^# Size +Avg Latency\(us\) +Min Latency\(us\) +Max Latency\(us\) +Iterations +Median\(us\) +P90\(us\) +P99\(us\) +Bus BW\(MB/s\) +Rel Error +Spread +Validation$'
lines 9 '^[0-9]+ +([0-9.]+ +){3}3 +([0-9.]+ +){4}[0-9.]+e-[0-9]+ +0\.00e\+00 +Pass$'
mpi_ok -n 2 $program -m 1000 -i 2 -x 0
lines 1 '^# Size +Avg Latency\(us\) +Median\(us\) +Bus BW\(MB/s\)$'
lines 8 '^[0-9]+( +[0-9.]+){3}$'
mpi_ok -n 4 $program -m 100000:100000 -i 2 -x 0 -l -c
lines 1 '^100000 .*Pass$'

begin "an error above the tolerance"
mpi -n 3 $program -m 4096:4096 -i 1 -c --tolerance 0
equal "exit status" $status 1
line '^4096 .*Fail$'

begin "wrong command line"
mpi -n 2 $program -m 9:3
equal "exit status" $status 2
lines 1 "^cerar_allreduce: -m: got '9:3', expected MIN"
begin "help"
mpi_ok -n 2 $program --help
lines 1 '^Usage: cerar_allreduce'

for transport in $(transports); do
    begin "what CERAR does, $transport"
    mpi_ok -n 4 $(on) --mca coll_cerar_components 8 --mca coll_cerar_transport "$transport" \
        $program -m 1048576:1048576 -i 2 -u 1 -c --tolerance 4e-4
    line '^1048576 .* [0-9.]+e-0[45] +[0-9.]+e-0[45] +Pass$'
    line "^cerar: MPI_COMM_WORLD .* calls=3 fallbacks=0 .* c=8 .*transport=$transport memory=host\$"
    mpi_ok -n 4 $(on) --mca coll_cerar_components 4 --mca coll_cerar_transport "$transport" \
        $program -m 1048576:1048576 -i 2 -u 1 -c -l --tolerance 1e-6
    line '^1048576 .* [0-9.]+e-[0-9]+ +0\.00e\+00 +Pass$'
done
finish
