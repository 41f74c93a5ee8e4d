#!/bin/sh
# device_check.sh [NVCC [MIB]]
# Builds the kernels and checks them on this machine's first GPU: results against float64 (double: long double), then
# bandwidth as a fraction of that of a copy on the device, on MIB (1024) of its memory. Where there is an Open MPI that
# CERAR can be built for, four ranks sum on the one device. The table comes last. Needs nvcc, a C++ compiler and the
# driver; takes a few minutes. The exit status is
#   0  if all is well
#   1  if a result is wrong, or the ranks' calls went through the host
#   2  if there is no device or no driver that will do
#   3  if a fraction is below 0.9
#   4  if all is well and the four ranks were not run
set -e
nvcc=${1:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
mebibytes=${2:-1024}
source=$(cd "$(dirname "$0")/../.." && pwd)
cxx=${CXX:-g++}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/gpu" "$out/build"
cd "$out"

compile_kernels() {
  archs=
  for arch in 80 90 100; do
    if "$nvcc" --list-gpu-code | grep -q "^sm_$arch\$"; then archs="$archs $arch"; fi
  done
  echo "device_check.sh: compiling the kernels for$archs" >&2
  # shellcheck disable=SC2086 # a list of words
  sh "$source/gpu/compile_kernels.sh" "$nvcc" "$(dirname "$nvcc")/fatbinary" "$source" gpu $archs
}

compile_check() {
  for unit in tests/gpu/device_check gpu/context gpu/device gpu/driver gpu/image gpu/launch \
    gpu/memory gpu/module core/error; do
    "$cxx" -std=c++20 -O2 -I"$source" -c "$source/$unit.cpp" -o "$(basename $unit).o" &
  done
  wait
  "$cxx" -o device_check ./*.o -ldl -pthread
}

build_cerar() {
  cd build &&
    "$source/configure" --with-cuda="$(dirname "$(dirname "$nvcc")")" --disable-tests --disable-tools &&
    make -j"$(nproc)" component/mca_coll_cerar.so component/help-mpi-coll-cerar.txt bench/cerar_allreduce
}

# Whether sums were right; rank 0 tells which way the last one took. All settings in the environment, as mpirun's options
# are not the same in all versions. c = 8: coded, in two lanes.
sum_on_four_ranks() {
  components=$(ompi_info --parsable --path pkglibdir | sed -n 's/^path:pkglibdir://p')
  export OMPI_MCA_mca_base_component_path="$out/build/component:$components"
  export OMPI_MCA_coll_cerar_enable=1 OMPI_MCA_coll_cerar_min_bytes=0 OMPI_MCA_coll_cerar_topology=always
  export OMPI_MCA_coll_cerar_components=8 OMPI_MCA_coll_cerar_tolerance=0.02 OMPI_MCA_coll_cerar_stats=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  timeout 120 mpirun -n 4 build/bench/cerar_allreduce -d cuda -c -i 20 -m 4096:4194304 </dev/null >ranks.log 2>&1 &&
    grep -q '^cerar: .* calls=[1-9][0-9]* fallbacks=0 ' ranks.log
}

# Sets ranks: how it went.
check_ranks() {
  if ! command -v mpirun >/dev/null || ! command -v ompi_info >/dev/null; then
    ranks="not run, there is no Open MPI"
  elif [ ! -x "$source/configure" ]; then
    ranks="not run, CERAR has no configure: ./bootstrap makes it"
  elif ! (build_cerar) >build.log 2>&1; then
    tail -n 5 build.log >&2
    ranks="not run, CERAR can't be built"
  elif ! sum_on_four_ranks; then
    ranks=WRONG
  elif grep -q '^cerar: .* memory=\(device\|mapped\)$' ranks.log && ! grep -q 'are "staged" on' ranks.log; then
    ranks=right
  else
    ranks="WRONG, right but through the host"
  fi
  if [ -e ranks.log ]; then cat ranks.log; fi
}

compile_kernels
compile_check
check_ranks
status=0
./device_check "$mebibytes" || status=$?
echo "4 ranks on the device: $ranks"
case $ranks in
  WRONG*) status=1 ;;
  not*) [ $status != 0 ] || status=4 ;;
esac
exit $status
