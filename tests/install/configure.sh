#!/bin/bash
# configure: what can't be is refused by name; and inside Open MPI's source tree, which libcerar is taken.
set -u
. ./tests/install/settings.sh || exit 99
srcdir=$(cd "${srcdir:-.}" && pwd)
[ ! -e "$srcdir/config.status" ] || { echo "skipped: the sources are configured themselves"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# Whether configure ends in an error, with this line.
refuses() { # TEXT OPTION…
    local text=$1
    shift
    rm -rf "$work/build" && mkdir "$work/build"
    if (cd "$work/build" && "$srcdir/configure" --quiet $configure_flags "$@") >"$work/log" 2>&1; then
        echo "FAIL: $*: accepted"
    elif ! grep -F -- "$text" "$work/log" >/dev/null; then
        echo "FAIL: $*: does not say: $text"
        tail -n 5 "$work/log"
    else
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
}

refuses "--with-mca-dir=lib: not an absolute path" --with-mca-dir=lib
if [ "$have_ompi" = yes ]; then
    tree=$work/tree
    mkdir -p "$tree/ompi/mca/coll"
    refuses "mpicc in /no/such/bin" --with-ompi=/no/such
    refuses "--with-ompi-build needs --with-ompi-source" --with-ompi-build="$tree"
    refuses "--with-ompi-source=$tree: ompi/mca/coll/coll.h is not there" --with-ompi-source="$tree"
    touch "$tree/ompi/mca/coll/coll.h"
    printf 'major=9\nminor=8\nrelease=7\n' >"$tree/VERSION"
    refuses "--with-ompi-source=$tree is Open MPI 9.8.7, but" --with-ompi-source="$tree"
fi

mkdir -p "$work/cuda/bin"
# CUDA 11's.
cat >"$work/cuda/bin/nvcc" <<'END'
#!/bin/sh
case "$*" in
  --list-gpu-code) echo sm_80 ;;
  *c++20*) echo "nvcc fatal   : Value 'c++20' is not defined for option 'std'"; exit 1 ;;
esac
END
cp "$work/cuda/bin/nvcc" "$work/cuda/bin/fatbinary"
chmod +x "$work/cuda/bin/nvcc" "$work/cuda/bin/fatbinary"
refuses "no nvcc in $work/cuda/bin that compiles C++20 for sm_80 or newer" --with-cuda="$work/cuda"

# A configure of nothing but the component's, as autogen.pl makes Open MPI's of all of them.
make_configure() {
    mkdir -p "$work/open-mpi/ompi/mca/coll/cerar" && cd "$work/open-mpi" || return
    cat "$srcdir/ompi/mca/coll/cerar/configure.m4" - >configure.ac <<'END'
AC_INIT([open-mpi], [0])
MCA_ompi_coll_cerar_CONFIG([echo "result: $coll_cerar_CPPFLAGS"], [echo "result: none"])
AC_OUTPUT
END
    touch ompi/mca/coll/cerar/Makefile.in
    autoconf
}

install_libcerar() { # PREFIX LIBRARY-DIRECTORY
    mkdir -p "$1/$2/pkgconfig"
    printf '%s\n' 'Name: libcerar' 'Description: none' 'Version: 1' "Cflags: -I$1/include" >"$1/$2/pkgconfig/libcerar.pc"
}

takes() { # RESULT OPTION…
    local result=$1 output
    shift
    output=$(cd "$work/open-mpi" && PKG_CONFIG_LIBDIR=$known ./configure --quiet "$@" 2>&1)
    if printf '%s\n' "$output" | grep -Ex -- "$result *" >/dev/null; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAIL: in Open MPI, %s: no line %s in\n%s\n' "${*:-no option}" "$result" "$output"
    fi
}

if (make_configure) >"$work/log" 2>&1; then
    install_libcerar "$work/a" lib
    install_libcerar "$work/b" lib/x86
    known=$work/a/lib/pkgconfig
    takes "result: -I$work/a/include"
    takes "result: -I$work/a/include" --with-cerar
    takes "result: -I$work/b/include" --with-cerar="$work/b"
    takes ".*error: libcerar.pc is missing: --with-cerar=DIR needs .*" --with-cerar="$work/c"
    takes "result: none" --without-cerar
    known=$work/c
    takes "result: none"
    takes ".*error: libcerar.pc is missing: --with-cerar=DIR needs .*" --with-cerar
else
    failed=$((failed + 1))
    cat "$work/log"
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
