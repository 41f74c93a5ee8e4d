#!/usr/bin/env bash
# For scripts/check-package.sh, as root in mount namespaces of its own: installs the packages on a layer above the system's
# directories, uses them as a user would, purges them, and looks at what is left on the layer.
#   scripts/use-package.sh EMPTY-DIRECTORY PACKAGE…
set -euo pipefail

layer=$1
shift
packages=()
for package; do
  case $package in
    *-dbgsym_*) ;;
    *) packages+=("$package") ;;
  esac
done
names=(cerar-tools libcerar-dev libcerar0 openmpi-coll-cerar)
directories=(usr etc var)
source=$PWD
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
unset LD_LIBRARY_PATH OMPI_MCA_mca_base_component_path
export HOME=$layer/home

mount -t tmpfs tmpfs "$layer"
mkdir "$HOME"
for directory in "${directories[@]}"; do
  mkdir "$layer/$directory" "$layer/$directory.work"
  mount -t overlay overlay \
    -o "lowerdir=/$directory,upperdir=$layer/$directory,workdir=$layer/$directory.work" "/$directory"
done

say() { echo "--- $*"; }

stop() {
  echo "$*"
  exit 1
}

# The files on the layer, without dpkg's records and caches that every package renews.
left() {
  cd "$layer"
  find "${directories[@]}" ! -type d |
    sed -E '\,^(etc/ld\.so\.cache|var/(lib/dpkg|cache/(ldconfig|man|apt|debconf)|log)/.*)$,d' | sort
}

say "install"
dpkg --install "${packages[@]}"

say "a C program"
cd "$HOME"
# shellcheck disable=SC2046 # a list
cc -Wall -Werror -o program "$source/tests/install/program.c" $(pkg-config --cflags --libs libcerar) -lm
./program

say "the commands and their pages"
cerar_plan --ranks 4 | grep '^\* '
timeout 120 mpirun -n 2 --mca coll_cerar_topology always cerar_tune --max-bytes 32K --iterations 2 --seconds 1 | grep '^ranks 2 bytes '
for page in cerar.7 mca_coll_cerar.7 cerar_plan.1 cerar_tune.1; do
  [[ -s $(find /usr/share/man -name "$page.gz") ]] || stop "$page is not installed"
done

say "the component: there, and quiet until it is asked for"
ompi_info --parsable --param coll cerar --level 9 | grep '^mca:coll:cerar:param:coll_cerar_enable:value:0$'
mpicxx -std=c++20 -I"$source" -o exactness "$source/tests/mpi/exactness.cpp"
reduce() { timeout 120 mpirun -n 4 --mca coll_cerar_stats 1 "$@" ./exactness --count 200000 2>&1 | tee output; }
reduce
! grep '^cerar: ' output || stop "CERAR was used without being asked for"

for transport in ucx pml; do
  say "the component over $transport"
  reduce --mca coll_cerar_enable 1 --mca coll_cerar_topology always --mca coll_cerar_min_bytes 0 --mca coll_cerar_transport "$transport"
  grep "^cerar: MPI_COMM_WORLD ranks=4 calls=[1-9].* transport=$transport\$" output
done

say "its messages"
reduce --mca coll_cerar_enable 1 --mca coll_cerar_tolerance 7 || true
grep 'A parameter of CERAR' output

say "purge"
dpkg --purge "${names[@]}"
cd /
remaining=$(left)
[[ -z $remaining ]] || stop "this is left:"$'\n'"$remaining"
