#!/bin/bash
# The man pages say what the programs do, and man shows them without a word of warning.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99
. ./tests/install/settings.sh || exit 99

source=${srcdir:-.}
pages=(docs/man/cerar.7 docs/man/mca_coll_cerar.7)
[ $have_tools = no ] || pages+=(docs/man/cerar_plan.1 docs/man/cerar_tune.1)

# What groff and man complain of. Of what they show: out, with plain hyphens and without bold.
warnings() {
    groff -ww -man -Tutf8 -z "$1" 2>&1
    { MANWIDTH=100 LC_ALL=C.UTF-8 man --warnings -l "$1" >/dev/null; } 2>&1
}
show() { out=$(MANWIDTH=200 LC_ALL=C.UTF-8 man -l "$1" 2>/dev/null); shown=no; }

if command -v man groff >/dev/null; then
    begin "a fault in a page is noticed"
    fault=$(mktemp)
    printf '%s\n' '.TH FAULT 7' '.SH NAME' 'fault \- one' '.XX' >"$fault"
    [ "$(warnings "$fault" | wc -l)" -ge 2 ] || fail "groff and man do not warn of an unknown macro"
    rm -f "$fault"

    for page in "${pages[@]}"; do
        begin "$page"
        out=$(warnings "$page")
        shown=no
        [ -z "$out" ] || fail "warnings"
        show "$page"
        line '^NAME$'
        line '^SEE ALSO$'
        no_line '@[A-Z]+@'
    done

    begin "each parameter and variable is on the page of the component, once"
    show docs/man/mca_coll_cerar.7
    names=$("$ompi_info" --param coll cerar --level 9 --parsable | sed -n 's/^mca:coll:cerar:p[a-z]*:\([^:]*\):type:.*/\1/p')
    [ "$(wc -l <<<"$names")" -gt 20 ] || fail "ompi_info does not show the component"
    for name in $names; do lines 1 "^ {7}$name( \\(.*\\))?$"; done

    if [ $have_tools = yes ]; then
        for command in cerar_plan cerar_tune; do
            begin "each option is on the page of $command, once"
            show docs/man/$command.1
            options=$("./$command" --help | sed -n 's/^  -.*\(--[a-z-]*\).*/\1/p; s/^  \(--[a-z-]*\).*/\1/p' | sort -u)
            [ "$(wc -l <<<"$options")" -gt 10 ] || fail "$command does not show its options"
            for option in $options; do lines 1 "^ {7}(-.,)?$option( |$)"; done
        done
    fi
else
    echo "skipped: man or groff is missing"
fi

if [ $have_tools = yes ]; then
    for command in cerar_plan cerar_tune; do
        begin "the options on the page are those of $command"
        out=$(diff <("./$command" --help) "$source/docs/man/$command.txt")
        shown=no
        [ -z "$out" ] || fail "docs/man/$command.txt is stale: make ${command#cerar_}-options"
    done
fi

begin "a list that is empty makes no page"
empty=$(mktemp -d)
mkdir -p "$empty/docs/man"
: >"$empty/docs/man/cerar_plan.txt"
: >"$empty/docs/man/cerar_tune.txt"
: >"$empty/docs/parameters.md"
for page in cerar_plan.1 cerar_tune.1 mca_coll_cerar.7; do
    out=$("$source/docs/man/page.sh" "$empty" 1 "$source/docs/man/$page.in" 2>&1) && fail "$page is made of nothing"
    line '^nothing found in '
done
rm -rf "$empty"
finish
