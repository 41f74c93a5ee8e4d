#!/usr/bin/env bash
# Builds the component inside the source tree of Debian's openmpi 4.1.4, and runs a program with it and without.
#   scripts/check-in-tree.sh
# Ends with "N passed, M failed". Half an hour or more: all of Open MPI is configured and built.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD

scripts/dependencies.sh in-tree
work=$(mktemp -d -p /tmp)
trap 'rm -rf "$work"' EXIT
. scripts/checks.sh

in_parallel() { nice make -j"$(nproc)" "$@"; }

install_libcerar() {
  [[ -x configure ]] || ./bootstrap || return
  mkdir -p "$work/libcerar" && cd "$work/libcerar" || return
  "$top/configure" --prefix="$work/cerar" --without-ompi --without-cuda --disable-tests --disable-benchmarks --disable-tools &&
    in_parallel && make install
}

fetch_openmpi() {
  "$top/scripts/debian_source.sh" openmpi "$work/debian" && mv "$work/debian/source" "$work/openmpi"
}

# As docs/building.md says. What has a configure of its own, and is not needed, is left out: it takes the longest. Of pmix3x
# the sources stay, of which the component for a PMIx outside is made.
prepare_openmpi() {
  cd "$work/openmpi" || return
  cp -r "$top/ompi/mca/coll/cerar" ompi/mca/coll/
  rm -rf ompi/mca/io/romio321 opal/mca/event/libevent2022 opal/mca/hwloc/hwloc201
  find opal/mca/pmix/pmix3x -mindepth 1 ! -name '*.[ch]' ! -type d -delete
  nice ./autogen.pl --force --no-oshmem
}

configure_openmpi() {
  mkdir -p "$work/build" && cd "$work/build" || return
  local pmix
  pmix=$(pkg-config --variable=prefix pmix)
  nice ../openmpi/configure --prefix="$work/ompi" --with-cerar="$work/cerar" --with-pmix="$pmix" --with-hwloc=external \
    --with-libevent=external --without-ucx --without-verbs --without-ofi --disable-mpi-fortran --disable-man-pages "$@"
}

build_openmpi() {
  cd "$work/build" && in_parallel && make install
}

compile_program() {
  "$work/ompi/bin/mpicxx" -std=c++20 -I"$top" -o "$work/exactness" "$top/tests/mpi/exactness.cpp"
}

mpirun() {
  [[ $EUID != 0 ]] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  timeout 120 "$work/ompi/bin/mpirun" --oversubscribe --bind-to none --mca btl_base_warn_component_unused 0 -n 4 "$@"
}

# grep reads to the end: -q would break the pipe. So many components are approximate, in whole numbers too; exact without CERAR.
prints() { # RESULT OPTION…
  local result=$1
  shift
  mpirun "$@" "$work/exactness" | tee /dev/stderr | grep -x "result: $result" >/dev/null
}
asked_for="--mca coll_cerar_enable 1 --mca coll_cerar_min_bytes 0 --mca coll_cerar_components 8 --mca coll_cerar_topology always"

has_the_component() { "$work/ompi/bin/ompi_info" --param coll cerar --level 9 | grep -q coll_cerar_enable; }

# A message has its text from the file that was installed with Open MPI's own.
has_messages() {
  mpirun $asked_for --mca coll_cerar_tolerance 7 "$work/exactness" 2>&1 | tee /dev/stderr | grep 'Parameter: *coll_cerar_tolerance' >/dev/null
}

step "libcerar is installed" install_libcerar
step "Debian's sources of Open MPI" fetch_openmpi
step "autogen.pl with the component" prepare_openmpi
step "configure" configure_openmpi
step "make install" build_openmpi
step "a program is compiled" compile_program
check "ompi_info shows the component" has_the_component
check "without CERAR" prints exact
check "with CERAR" prints approximate $asked_for
check "its messages" has_messages
finish
