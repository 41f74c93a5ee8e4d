#!/bin/bash
# docs/parameters.md says what the component registers.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99

page() { out=$("${srcdir:-.}/scripts/parameters_page.sh" "$ompi_info" 2>&1); status=$?; shown=no; }

begin "the page is up to date"
page
equal "exit status" $status 0
difference=$(diff - "${srcdir:-.}/docs/parameters.md" <<<"$out") || {
    printf '%s\n' "$difference"
    shown=yes
    fail "docs/parameters.md is stale: make parameters-page"
}

begin "each parameter and variable is on it, with default, range and text"
names=$("$ompi_info" --param coll cerar --level 9 --parsable | sed -n 's/^mca:coll:cerar:p[a-z]*:\([^:]*\):type:.*/\1/p')
[ "$(printf '%s\n' "$names" | wc -l)" -ge 27 ] || fail "ompi_info shows fewer than 14 parameters and 13 variables"
for name in $names; do lines 1 "^\\| \`$name\` \\| [^|]{3,} \\| [^|]{4,} \\| [^|]{10,} \\|"; done

begin "defaults, whatever is set"
OMPI_MCA_coll_cerar_tolerance=0.5 page
lines 1 '^\| `coll_cerar_tolerance` \| `1e-3` \| 0 to 1 \|'

begin "without the component"
OMPI_MCA_mca_base_component_path=$ompi_components page
equal "exit status" $status 1
line 'does not find the component'
finish
