#!/bin/sh
# Prints a man page: its template, with the lists that other files have in the places of @OPTIONS@, @PARAMETERS@, @HINTS@
# and @VARIABLES@.
#   docs/man/page.sh SOURCE-DIRECTORY VERSION TEMPLATE
# The lists: docs/man/COMMAND.txt, what `COMMAND --help` prints, and docs/parameters.md, what the component registers.
# Both are made by the programs, and tests compare. Needs awk alone, so that pages are built wherever CERAR is.
set -eu
source=$1
command=$(basename "$3" .1.in)
exec "${AWK:-awk}" -v version="$2" -v options="$source/docs/man/$command.txt" -v parameters="$source/docs/parameters.md" '
function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/`/, "", text)
  gsub(/-/, "\\-", text)
  return (text ~ /^[.\047]/ ? "\\&" : "") text
}
function trimmed(text) { gsub(/^ +| +$/, "", text); return text }

# "  --name TYPE [default]     text": the text may begin, and goes on, in the lines below.
function print_options(  line, name, text) {
  while ((getline line <options) > 0) {
    if (line ~ /^  -/) {
      if (name != "") print_option(name, text)
      name = trimmed(line)
      text = ""
      if (match(name, /  +/)) {
        text = substr(name, RSTART + RLENGTH)
        name = substr(name, 1, RSTART - 1)
      }
    } else if (name != "" && line ~ /^ /) {
      text = trimmed(text " " trimmed(line))
    }
  }
  if (name == "") stop(options)
  print_option(name, text)
}
function print_option(name, text) {
  print ".TP"
  print ".B " escaped(name)
  print escaped(text)
}

# The rows of the table below "## TITLE". Their cells: cell[1] …
function print_table(title,  line, here, rows) {
  while ((getline line <parameters) > 0) {
    if (line ~ /^## /) here = (line == "## " title)
    if (!here || line !~ /^\| `/) continue
    split(line, cell, /\|/)
    for (i in cell) cell[i] = escaped(trimmed(cell[i]))
    print_row(title)
    ++rows
  }
  close(parameters)
  if (!rows) stop(parameters)
}
function print_row(title) {
  print ".TP"
  if (title == "Hints") {
    print ".B " cell[2]
    print "Of this communicator, in the place of"
    print ".BR " cell[3] "."
  } else if (title == "Parameters") {
    print ".B " cell[2]
    print cell[5]
    print ".br"
    print "Default: " cell[3] ". Range: " cell[4] ". Level " cell[7] (cell[6] == "yes" ? "; can be set later." : ".")
  } else {
    print ".BR " cell[2] " \" (" cell[3] ", " cell[4] ")\""
    print cell[5] "."
  }
}
function stop(file) {
  print "nothing found in " file >"/dev/stderr"
  exit 1
}

BEGIN { print ".\\\" Made from a template in docs/man. Not to be edited." }
/^@OPTIONS@$/ { print_options(); next }
/^@PARAMETERS@$/ { print_table("Parameters"); next }
/^@HINTS@$/ { print_table("Hints"); next }
/^@VARIABLES@$/ { print_table("Performance variables"); next }
{ gsub(/@VERSION@/, version); print }
' "$3"
