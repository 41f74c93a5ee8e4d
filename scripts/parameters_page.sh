#!/usr/bin/env bash
# Prints docs/parameters.md: what the component registers with Open MPI.
#   scripts/parameters_page.sh [OMPI_INFO]
# Open MPI must find the component (OMPI_MCA_mca_base_component_path); `make parameters-page` sees to that and renews the page.
set -euo pipefail

# Nothing but defaults.
for name in $(env | sed -n 's/^\(OMPI_MCA_coll_[^=]*\)=.*/\1/p'); do unset "$name"; done
export OMPI_MCA_mca_base_param_files=/dev/null

info=$("${1:-ompi_info}" --param coll cerar --level 9 --parsable)
grep -q '^mca:coll:cerar:param:coll_cerar_enable:' <<<"$info" || {
  echo "$0: Open MPI does not find the component cerar" >&2
  exit 1
}
if grep '^mca:coll:cerar:param:coll_cerar_[^:]*:source:' <<<"$info" | grep -v ':default$' >&2; then
  echo "$0: these are set to other than their defaults" >&2
  exit 1
fi

# Each record of ompi_info in a line: name, then its fields; the help text has colons.
table() { # param|pvar
  # shellcheck disable=SC2016 # $0 is awk's
  awk -v kind="$1" '
    function flush() { if (name != "") row() }
    function row(  at, range) {
      if (kind == "pvar") {
        printf "| `%s` | %s | %s | %s |\n", name, field["class"], field["type"], field["help"]
        return
      }
      at = index(field["help"], ". Range: ")
      range = substr(field["help"], at + 9)
      printf "| `%s` | %s | %s | %s. |%s %s |\n", name, field["value"] == "" ? "none" : "`" field["value"] "`", range, substr(field["help"], 1, at - 1), \
        field["status"] == "writeable" ? " yes |" : " |", field["level"]
    }
    BEGIN { prefix = "mca:coll:cerar:" kind ":" }
    index($0, prefix) == 1 {
      rest = substr($0, length(prefix) + 1)
      at = index(rest, ":")
      if (substr(rest, 1, at - 1) != name) { flush(); name = substr(rest, 1, at - 1); split("", field) }
      rest = substr(rest, at + 1)
      at = index(rest, ":")
      field[substr(rest, 1, at - 1)] = substr(rest, at + 1)
    }
    END { flush() }' <<<"$info"
}

cat <<'PAGE'
<!-- Made by `make parameters-page` from what the component registers. Not to be edited: a test compares. -->
# Parameters and counters

What `ompi_info --param coll cerar --level 9` shows of an installed CERAR. [README.md](../README.md) says how parameters are set.

## Parameters

A value out of range, or not the same on all ranks, gets a message, and CERAR steps aside on that communicator. *Later*: whether
`MPI_T_cvar_write` may change it while the program runs; what is then out of range is not taken, and a message says so.

| parameter | default | range | | later | level |
|---|---|---|---|---|---|
PAGE
table param
cat <<'PAGE'

## Hints

Of a communicator, given with `MPI_Comm_dup_with_info` or `MPI_Comm_set_info`; they beat the parameters of the same range, and rules.

| hint | parameter |
|---|---|
| `cerar_enable` | `coll_cerar_enable` |
| `cerar_tolerance` | `coll_cerar_tolerance` |
| `cerar_components` | `coll_cerar_components` |
| `cerar_segment_bytes` | `coll_cerar_segment_bytes` |

## Performance variables

MPI_T's, bound to a communicator, of this rank. All are read-only and continuous.

| variable | class | type | |
|---|---|---|---|
PAGE
table pvar
