#!/bin/sh
# device_check.sh [NVCC [MIB]]
# Builds the kernels and checks them on this machine's first GPU: results against float64 (double:
# long double), then bandwidth as a fraction of that of a copy on the device. The table comes last;
# the exit status is not 0 if a result is wrong or a fraction below 0.9. Needs nvcc, a C++ compiler
# and the driver; takes a few minutes.
set -e
nvcc=${1:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
fatbinary=$(dirname "$nvcc")/fatbinary
source=$(cd "$(dirname "$0")/../.." && pwd)
cxx=${CXX:-g++}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/gpu"
archs=
for arch in 80 90 100; do
  if "$nvcc" --list-gpu-code | grep -q "^sm_$arch\$"; then archs="$archs $arch"; fi
done
echo "device_check.sh: compiling the kernels for$archs" >&2
# shellcheck disable=SC2086 # a list of words
sh "$source/gpu/compile_kernels.sh" "$nvcc" "$fatbinary" "$source" "$out/gpu" $archs
cd "$out"
for unit in tests/gpu/device_check gpu/context gpu/device gpu/driver gpu/image gpu/launch \
  gpu/memory gpu/module core/error; do
  "$cxx" -std=c++20 -O2 -I"$source" -c "$source/$unit.cpp" -o "$(basename $unit).o" &
done
wait
"$cxx" -o device_check ./*.o -ldl -pthread
./device_check "${2:-256}"
