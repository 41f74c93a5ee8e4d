#!/bin/bash
# `make install` puts everything where it belongs, with DESTDIR and without; programs and mpirun use it there; `make
# uninstall` leaves nothing but directories.
. "${srcdir:-.}/tests/mpi/lib.sh" || exit 99
. ./tests/install/settings.sh || exit 99

unset MAKEFLAGS MFLAGS MAKELEVEL LD_LIBRARY_PATH OMPI_MCA_mca_base_component_path OMPI_MCA_pml
build=$PWD
case ${srcdir:-.} in
/*) source=$srcdir ;;
*) source=$PWD/${srcdir:-.} ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a command whose output is of interest if it fails.
quietly() {
    out=$("$@" 2>&1)
    status=$?
    shown=no
    [ $status = 0 ] || fail "exit status $status: $*"
}

files_below() { (cd "$1" && find . ! -type d | sed 's/^\.//' | sort); }

# The files that belong to an installation, below its root. Version numbers: those of Makefile.am's -version-info.
expected() { # LIBDIR INCLUDEDIR BINDIR MANDIR MCADIR
    printf '%s\n' "$1"/libcerar.{la,so,so.0,so.0.0.0} "$1/pkgconfig/libcerar.pc" "$2/cerar.h" \
        "$4"/man7/{cerar,mca_coll_cerar}.7 "$5"/{mca_coll_cerar.so,help-mpi-coll-cerar.txt}
    [ $have_tools = no ] || printf '%s\n' "$3"/cerar_{plan,tune} "$4"/man1/cerar_{plan,tune}.1
}

complete() { # ROOT EXPECTED-FILES…
    local root=$1
    shift
    out=$(diff <(printf '%s\n' "$@" | sort) <(files_below "$root"))
    shown=no
    [ -z "$out" ] || fail "other files than expected (<) are installed (>)"
}

# A C program by what pkg-config says, with these arguments to it. libcerar is found by LD_LIBRARY_PATH.
program() { # PKG-CONFIG-DIRECTORY LIBDIR [PKG-CONFIG-ARGUMENT…]
    local where=$1 lib=$2 flags
    shift 2
    flags=$(PKG_CONFIG_PATH=$where $pkg_config "$@" --cflags --libs libcerar) || fail "pkg-config does not know libcerar"
    # shellcheck disable=SC2086 # they are lists
    quietly $cc -Wall -Werror -o "$work/program" "$source/tests/install/program.c" $flags -lm
    quietly env LD_LIBRARY_PATH="$lib" "$work/program"
    line '^greatest error 0$'
    quietly env LD_LIBRARY_PATH="$lib" ldd "$work/program"
    line "=> $lib/libcerar.so.0 "
}

clean() { # ROOT
    out=$(files_below "$1")
    shown=no
    [ -z "$out" ] || fail "this is left"
}

begin "make install DESTDIR=…"
stage=$work/stage
quietly make -s install DESTDIR="$stage"
mapfile -t files < <(expected "$libdir" "$includedir" "$bindir" "$mandir" "$mcadir")
complete "$stage" "${files[@]}"

begin "nothing names the build or the stage"
out=$(grep -rIlF -e "$build" -e "$stage" "$stage") # in text: debuggers want the build's
shown=no
[ -z "$out" ] || fail "paths in what is installed"

begin "a C program, where the prefix has moved"
# Only directories below the prefix move with it.
program "$stage$libdir/pkgconfig" "$stage$libdir" --define-variable=prefix="$stage$prefix"

begin "make uninstall DESTDIR=…"
quietly make -s uninstall DESTDIR="$stage"
clean "$stage"

begin "another prefix"
# The objects are the same, so that only linking has to be done again.
there=$work/prefix
mkdir "$work/build"
for directory in bench core gpu ompi; do cp -a "$build/$directory" "$work/build/"; done
find "$work/build" -name '*.la' -delete
cd "$work/build" || exit 99
# shellcheck disable=SC2086 # a list
quietly "$source/configure" -q $configure_flags --prefix="$there" --disable-tests --disable-benchmarks
quietly make -s -j2
quietly make -s install
mapfile -t files < <(expected "$there/lib" "$there/include" "$there/bin" "$there/share/man" "$there/lib/openmpi" |
    sed "s|^$there||")
complete "$there" "${files[@]}"
cd "$build" || exit 99

begin "a C program, with another prefix"
program "$there/lib/pkgconfig" "$there/lib"

begin "the component, with another prefix"
export OMPI_MCA_mca_base_component_path=$there/lib/openmpi:$ompi_components
# shellcheck disable=SC2046 # a list
mpi_ok -n 3 $(on) tests/mpi/exactness --count 100000
line '^cerar: MPI_COMM_WORLD ranks=3 calls=[1-9]'
quietly ldd "$there/lib/openmpi/mca_coll_cerar.so"
line "=> $there/lib/libcerar.so.0 "
mpi -n 2 --mca coll_cerar_enable 1 --mca coll_cerar_tolerance 7 tests/mpi/exactness --count 100000
line 'A parameter of CERAR'

if [ $have_tools = yes ]; then
    begin "cerar_plan, with another prefix"
    quietly "$there/bin/cerar_plan" --ranks 4
    line '^\* '
    begin "cerar_tune, with another prefix"
    mpi_ok -n 2 "$there/bin/cerar_tune" --max-bytes 32K --iterations 2 --seconds 1
    line '^ranks 2 bytes '
fi
if command -v man >/dev/null; then
    begin "man finds the pages"
    quietly env MANPATH="$there/share/man" man -w 7 mca_coll_cerar
    line "^$there/share/man/man7/mca_coll_cerar.7\$"
fi

begin "make uninstall, with another prefix"
cd "$work/build" || exit 99
quietly make -s uninstall
clean "$there"
cd "$build" || exit 99
finish
