#!/bin/sh
# compile_kernels.sh NVCC FATBINARY SOURCE_DIR OUTPUT_DIR ARCH...
# Compiles kernels.cu for each architecture (80, 90, …), and into PTX for those to come, and puts all
# of it into OUTPUT_DIR/kernels.fatbin. Leaves beside it, for each architecture, the code
# (kernels.sm_ARCH.cubin) and the compiler's report (kernels.sm_ARCH.txt). Fails if a kernel needs
# local memory.
set -e
nvcc=$1 fatbinary=$2 source=$3 out=$4
shift 4
images=
for arch in "$@"; do
  name=$out/kernels.sm_$arch
  "$nvcc" -std=c++20 -O3 -I"$source" -cubin -arch="sm_$arch" -Xptxas -v \
    -o "$name.cubin" "$source/gpu/kernels.cu" 2>"$name.txt" || { cat "$name.txt" >&2; exit 1; }
  if grep -E '[1-9][0-9]* bytes (stack frame|spill|lmem)' "$name.txt" >&2; then
    echo "compile_kernels.sh: a kernel for sm_$arch needs local memory: see $name.txt" >&2
    exit 1
  fi
  images="$images --image3=kind=elf,sm=$arch,file=$name.cubin"
  newest=$arch
done
"$nvcc" -std=c++20 -O3 -I"$source" -ptx -arch="compute_$newest" -o "$out/kernels.ptx" \
  "$source/gpu/kernels.cu"
# shellcheck disable=SC2086 # a list of words
"$fatbinary" -64 --create="$out/kernels.fatbin" $images \
  --image3="kind=ptx,sm=$newest,file=$out/kernels.ptx"
