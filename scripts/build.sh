#!/usr/bin/env bash
# Configures and builds in a directory of its own.
#   scripts/build.sh DIRECTORY [CONFIGURE-OPTION…]
# Configures anew only if the options or configure have changed.
set -euo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
shift

newer_than() { # whether any of the files $2… is newer than $1
  local target=$1 file
  shift
  for file; do
    [[ $file -nt $target ]] && return 0
  done
  return 1
}

# An unpacked release has its configure; a clone makes it.
if [[ ! -e $source/configure ]] ||
  { [[ -e $source/.git ]] && newer_than "$source/configure" "$source"/configure.ac "$source"/m4/cerar_*.m4; }; then
  echo "Making configure"
  "$source/bootstrap" >"$build/bootstrap.log" 2>&1 || {
    cat "$build/bootstrap.log" >&2
    exit 1
  }
fi

cd "$build"
if [[ ! -e Makefile || $(cat options 2>/dev/null) != "$*" || $source/configure -nt Makefile ]]; then
  echo "Configuring in $build${*:+ with $*}"
  "$source/configure" --quiet "$@"
  echo "$*" >options
fi
echo "Building"
make --silent -j"$(nproc)" all
