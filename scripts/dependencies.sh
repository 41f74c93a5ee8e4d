#!/usr/bin/env bash
# Installs what is missing of the Debian packages that CERAR is built with.
#   scripts/dependencies.sh build      what a build, the benchmarks and the lab need
#   scripts/dependencies.sh test       that, and what tests and checks need (the default)
#   scripts/dependencies.sh programs   that, and the programs of scripts/check-programs.sh
#   scripts/dependencies.sh in-tree    what a build needs, and what building Open MPI needs
set -euo pipefail

packages=(
  g++ make autoconf automake libtool pkg-config
  libopenmpi-dev openmpi-bin libucx-dev libhwloc-dev
  libeigen3-dev libboost-dev libfmt-dev libcli11-dev nlohmann-json3-dev
  libbenchmark-dev libnlopt-cxx-dev
  iproute2
)
test_packages=(libgtest-dev valgrind clang-format-14 man-db groff-base)
case ${1:-test} in
  build) ;;
  test) packages+=("${test_packages[@]}") ;;
  programs) packages+=("${test_packages[@]}" lammps hpcc python3-mpi4py python3-numpy dpkg-dev) ;;
  in-tree) packages+=(dpkg-dev flex libevent-dev libpmix-dev) ;;
  *)
    sed -n '2,6s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac

is_installed() {
  [[ $(dpkg-query --show --showformat '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

missing=()
for package in "${packages[@]}"; do
  is_installed "$package" || missing+=("$package")
done
((${#missing[@]})) || exit 0

install="apt-get install --no-install-recommends ${missing[*]}"
as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "Some packages are missing, and installing them needs root or sudo. As root:" >&2
    echo "    $install" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
