# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What tests of the program share; read with `.` after `set -u`. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC. Leaves the test in an empty
# folder that goes when it ends. Whatever the program said last is in the files out and err; a rig in the background speaks into the file rig.

work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export COLUMNS=10000 # tables with one line per row
failures=0
: >out
: >err

# shellcheck disable=SC2046 # flags are words
${CC:-cc} -o json_ok "$IFD_SOURCE_DIR/tests/app/json_ok.c" $(pkg-config --cflags --libs libfyaml) || exit 1

# The terminals of the tests are those of a person, in an environment without TERM as well.
export TERM=xterm
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    echo "    stdout: $(head -c 2500 out)"
    echo "    stderr: $(head -c 800 err)"
    [ "$(wc -c <err)" -le 800 ] || echo "    its end: $(tail -c +801 err | tail -c 2500)"
    [ ! -s rig ] || echo "    rig:    $(head -c 800 rig)"
}
# try STATUS WORDS...: runs the program
try() {
    wanted=$1
    shift
    "$IFD_PROGRAM" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$wanted" ] || fail "interfield $*: exit status $got, expected $wanted"
}
# operate STATUS WORDS...: the same for a test of a rig that moves by orders, with an operator who gives arm and run
operate() {
    wanted=$1
    shift
    /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/operate.py" "$IFD_PROGRAM" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$wanted" ] || fail "interfield $*: exit status $got, expected $wanted"
}
# certify WORDS...: a preflight that allows the test. Its exit status is that of its verdict. A busy machine may turn it into a caution, or
# forbid the test for late ticks and nothing else.
certify() {
    "$IFD_PROGRAM" preflight "$@" >out 2>err </dev/null
    got=$?
    wanted=0
    ! grep -q 'GO WITH CAUTION' out || wanted=3
    ! grep -q '^NO-GO  *clock' out || [ "$(grep '^NO-GO' out | grep -vc '^NO-GO *certificate')" != 1 ] || wanted=1
    [ "$got" = $wanted ] || fail "interfield preflight $*: exit status $got, expected $wanted"
}
says() { grep -q -- "$1" out || fail "stdout lacks '$1'"; }
complains() { grep -q -- "$1" err || fail "stderr lacks '$1'"; }
# at PATH [FILE]: the scalar there in the JSON of a file, of out without one
at() { ./json_ok "$1" <"${2:-out}"; }
# is PATH VALUE [FILE]
is() { [ "$(at "$1" "${3:-out}")" = "$2" ] || fail "$1 is '$(at "$1" "${3:-out}")', expected '$2'"; }
# until_says PATTERN [FILE]: waits until a program in the background has said a line. Machines that run tests are busy.
until_says() {
    tries=0
    until grep -qs -- "$1" "${2:-out}"; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || { fail "${2:-out} lacks '$1' after two minutes"; return 1; }
        sleep 0.04
    done
}
# on_terminal WHAT: whether a pseudo-terminal can be made; says otherwise what is skipped. Containers may have none.
on_terminal() {
    script -qec true /dev/null >/dev/null 2>&1 </dev/null && return
    echo "skipped: $1: no pseudo-terminal can be made here (/dev/pts, script)"
    return 1
}
# sanitized: whether the program was built with sanitizers, whose heap does not count allocations
sanitized() { [ ! -e "$IFD_BUILD_DIR/fmu_runtime2.so" ]; }
# verdict SENTENCE: the last line of a test
verdict() {
    [ "$failures" = 0 ] || { echo "$failures failures"; exit 1; }
    echo "$1"
}
