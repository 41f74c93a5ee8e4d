#!/usr/bin/env bash
# Checks that the sources are formatted as .clang-format says. scripts/lint.sh --fix formats them.
set -euo pipefail
cd "$(dirname "$0")/.."

# The version that Debian 12 has: others format differently.
for clang_format in clang-format-14 clang-format; do
  command -v "$clang_format" >/dev/null && break
done
command -v "$clang_format" >/dev/null || {
  echo "clang-format is missing (Debian: clang-format-14)" >&2
  exit 1
}

mapfile -d '' files < <(git ls-files -z '*.c' '*.h' '*.cpp' '*.hpp' '*.cu' '*.cuh')
if [[ ${1:-} == --fix ]]; then
  "$clang_format" -i "${files[@]}"
else
  "$clang_format" --dry-run --Werror "${files[@]}"
fi
