#!/bin/bash
# `make install-user`: Open MPI finds the component in the user's home by itself.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

unset MAKEFLAGS MFLAGS MAKELEVEL LD_LIBRARY_PATH OMPI_MCA_mca_base_component_path OMPI_MCA_pml
make -s mca_coll_cerar_user.la >/dev/null || exit 99 # before the home is another: compilers may keep caches there
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export HOME=$home

run() {
    # shellcheck disable=SC2046 # a list
    mpi_ok -n 3 $(on) --mca coll_cerar_verbose 1 tests/mpi/exactness --count 100000
}

begin "without the component"
run
no_line '^cerar: '

begin "make install-user"
out=$(make -s install-user 2>&1) || fail "exit status $?"
equal "what is in the home" "$(cd "$home" && find . ! -type d | sort | tr '\n' ' ')" \
    "./.openmpi/components/help-mpi-coll-cerar.txt ./.openmpi/components/mca_coll_cerar.so "
out=$(ldd "$home/.openmpi/components/mca_coll_cerar.so")
no_line libcerar

begin "with the component"
run
lines 1 '^cerar: MPI_COMM_WORLD ranks=3 calls=[1-9]'
line 'coll.*cerar.*MPI_COMM_WORLD'

begin "its messages"
mpi -n 2 --mca coll_cerar_enable 1 --mca coll_cerar_tolerance 7 tests/mpi/exactness --count 100000
line 'A parameter of CERAR'

begin "make uninstall-user"
out=$(make -s uninstall-user 2>&1) || fail "exit status $?"
equal "what is left in the home" "$(find "$home" ! -type d)" ""
run
no_line '^cerar: '
finish
