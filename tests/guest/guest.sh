# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What tests in the emulated machine share; read with `.` after `set -eu`. Sees IFD_SOURCE_DIR, IFD_BUILD_DIR.

fail() {
    echo "FAILED: $*"
    [ ! -f said ] || sed 's/^/    /' said
    exit 1
}
skip() {
    echo "$*"
    exit 77
}
# stage FILE...: the folder that the machine sees as /copy, with the program
stage() {
    mkdir -p copy
    cp "$IFD_BUILD_DIR/interfield" copy/
    for f in "$@"; do cp "$f" copy/; done
}
# guest OPTION... -- COMMAND...: its output goes to the file said; its exit status is that of the command
guest() { "$IFD_SOURCE_DIR/tools/rt-guest" --copy copy "$@" >said 2>err || return $?; }
# run WANTED OPTION... -- COMMAND...
run() {
    wanted=$1
    shift
    status=0
    guest "$@" || status=$?
    if [ "$status" = 125 ] && [ "$wanted" != 125 ]; then
        cat err
        skip "the machine could not be built: $(grep -m 1 '^rt-guest:' err || echo 'see above')"
    fi
    [ "$status" = "$wanted" ] || { cat err; fail "exit status $status, expected $wanted"; }
}
says() { grep -q -- "$1" said || fail "the output lacks '$1'"; }
lacks() { ! grep -q -- "$1" said || fail "the output contains '$1'"; }
