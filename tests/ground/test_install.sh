# SPDX-License-Identifier: MIT
# Installs into a temporary prefix and uses the result as a stranger would: by pkg-config and by find_package.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

# Staged as packagers do it; and an installed tree may be moved.
DESTDIR="$work/stage" cmake --install "$IFD_BUILD_DIR" --prefix /opt/interfield >/dev/null
[ "$(ls "$work/stage")" = opt ] || fail "installed outside of the prefix: $(ls "$work/stage")"
mv "$work/stage/opt/interfield" "$work/prefix"
prefix=$work/prefix
lib=$(dirname "$(find "$prefix" -name libinterfield.so)")
[ -f "$lib/libinterfield.a" ] || fail "the static library was not installed"
version=$(sed -n 's/^#define IFD_VERSION "\(.*\)"$/\1/p' "$IFD_SOURCE_DIR/include/interfield/version.h")

cat >"$work/use.c" <<'C'
#include <interfield/arena.h>
#include <interfield/version.h>
#include <stdio.h>

int main(void)
{
    ifd_arena *arena = ifd_arena_open();
    char *text = arena ? ifd_arena_print(arena, "%s", ifd_version()) : NULL;
    if (!text)
        return 1;
    puts(text);
    ifd_arena_close(arena);
    return 0;
}
C
says() { # <program>: runs and prints the version
    got=$("$1") || fail "$1 failed"
    [ "$got" = "$version" ] || fail "$1 printed '$got', expected '$version'"
}

export PKG_CONFIG_PATH="$lib/pkgconfig"
[ "$(pkg-config --modversion interfield)" = "$version" ] || fail "interfield.pc states another version"
# shellcheck disable=SC2046
"$CC" -std=c11 "$work/use.c" -o "$work/by-pkg-config" $(pkg-config --cflags --libs interfield) -Wl,-rpath,"$lib"
says "$work/by-pkg-config"
# shellcheck disable=SC2046
"$CC" -std=c11 "$work/use.c" -o "$work/by-static" $(pkg-config --cflags --libs --static interfield |
    sed 's/-linterfield/-l:libinterfield.a/')
readelf -d "$work/by-static" | grep -q libinterfield && fail "the static link needs the shared library"
says "$work/by-static"

# The module of the reference solution is found beside the shared library, and beside a program with the static one when it
# was put there; when it is missing this is said. MPI may come with the module, never with the library.
cat >"$work/reference.c" <<'C'
#include <interfield/embed.h>
#include <stdio.h>

int main(void)
{
    ifd_sim *s = ifd_sim_open();
    ifd_sim_read_text(s, "time: {step: 10 ms, end: 0.1 s}\nmethod: reference\nmodel:\n  dofs: [x]\n  mass: [1 kg]\n"
                         "  elements:\n    - {name: a, bilinear: {between: [ground, x], stiffness: 100 N/m, "
                         "yield: 10 mm}}\ninitial: {velocity: {x: 1 m/s}}\n",
                      "here.yaml", 0, NULL);
    if (ifd_sim_make(s) == IFD_OK) {
        while (ifd_sim_step(s) == IFD_RUN_GOING)
            ;
        printf("reached %.2f s\n", ifd_sim_time(s));
    }
    fputs(ifd_sim_message(s), stdout);
    ifd_sim_close(s);
    return 0;
}
C
# shellcheck disable=SC2046
"$CC" -std=c11 "$work/reference.c" -o "$work/reference" $(pkg-config --cflags --libs interfield) -Wl,-rpath,"$lib"
[ "$("$work/reference")" = 'reached 0.10 s' ] || fail "the module is not found beside the library: $("$work/reference")"
readelf -d "$lib/libinterfield.so" | grep -q -E 'NEEDED.*(mpi|sundials)' && fail "the library needs MPI or SUNDIALS"
mkdir "$work/static"
# shellcheck disable=SC2046
"$CC" -std=c11 "$work/reference.c" -o "$work/static/reference" $(pkg-config --cflags --libs --static interfield |
    sed 's/-linterfield/-l:libinterfield.a/')
"$work/static/reference" | grep -q 'needs the module cvode.so, which is not installed' ||
    fail "a missing module is not said: $("$work/static/reference")"
ln -s "$lib/interfield" "$work/static/interfield"
[ "$("$work/static/reference")" = 'reached 0.10 s' ] || fail "the module is not found beside a program"

mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<'M'
cmake_minimum_required(VERSION 3.25)
project(use C)
find_package(interfield 0.1 REQUIRED)
add_executable(use ../use.c)
target_link_libraries(use interfield::interfield)
M
cmake -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" >/dev/null
cmake --build "$work/project/build" >/dev/null
says "$work/project/build/use"

so=$lib/libinterfield.so
soname=$(readelf -d "$so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = "libinterfield.so.${version%.*}" ] || fail "the soname is '$soname'"
[ -e "$lib/$soname" ] || fail "$soname was not installed"
stray=$(nm -D --defined-only "$so" | awk '{ print $NF }' | grep -v '^ifd_[a-z]' || true)
[ -z "$stray" ] || fail "symbols exported besides ifd_: $stray"
nm -D --defined-only "$so" | grep -q ' ifd_version$' || fail "ifd_version is not exported"
# GPL libraries, and those whose fast parts are GPL.
gpl=$(readelf -d "$so" | grep -E 'NEEDED.*lib(cholmod|umfpack|spqr|klu|gsl|fftw)' || true)
[ -z "$gpl" ] || fail "the library links $gpl"

if [ "${IFD_PROGRAM-}" ]; then
    "$prefix/bin/interfield" --version | grep -qF "$version" || fail "the installed program does not state its version"
    [ -d "$prefix/share/interfield/cases" ] || fail "the cases were not installed"
    if [ -d "$IFD_BUILD_DIR/manual" ]; then
        for file in man/man1/interfield.1 man/man1/interfield-test.1 bash-completion/completions/interfield \
            zsh/site-functions/_interfield interfield/docs/index.md interfield/docs/start/tutorial.md interfield/examples; do
            [ -e "$prefix/share/$file" ] || fail "share/$file was not installed"
        done
    fi
    "$prefix/bin/interfield" reproduce --list | grep -q '^004-fig23 ' ||
        fail "the installed program does not find interfield-reproduce"
fi
echo "installed, found by pkg-config and CMake, linked shared and static; soname $soname"
