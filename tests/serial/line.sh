# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154 # variables of the tests that read this file
# A microcontroller at the line ./tty, and attempts on a machine that is late. Read after program.sh.
peer=
begin() { # COMMAND...: a microcontroller at the line ./tty
    rm -f tty log
    "$@" >peer 2>&1 &
    peer=$!
    tries=0
    until [ -e tty ]; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || { fail "no line: $(cat peer)"; return; }
        sleep 0.02
    done
}
finish() {
    kill "$peer" 2>/dev/null
    wait "$peer" 2>/dev/null
}
trap 'kill $peer 2>/dev/null; rm -rf "$work"' EXIT
# The firmware permits its host 0.1 s of silence, and 20 commands that it has not read yet (100 ms of ticks): more stop it, by its
# watchdog and as commands that come too fast. A machine that keeps the firmware or the program from its core for longer does the same.
# So each of them tells how late it was (the firmware between two passes, the program in its ticks). A check that failed while one was late
# by more than a tick is repeated with 4 and 16 times the patience, and the same assertions. On a punctual machine the first attempt counts.
urgent=
! chrt -f 10 true 2>/dev/null || urgent='chrt -f 20'
made=
firmware() { # TICK: with a watchdog of 100 ms times the patience
    [ "$made" != "$times $1" ] || return
    made="$times $1"
    sed "s/ WATCHDOG = 100;/ WATCHDOG = $((100 * times));/; s/ TICK = 0.005f;/ TICK = ${1}f;/" "$IFD_SOURCE_DIR/examples/serial_rig.ino" >patient.ino
    [ "$(grep -c " WATCHDOG = $((100 * times));\| TICK = ${1}f;" patient.ino)" = 2 ] || fail 'the firmware has other times'
    ${CXX:-g++} -std=c++11 -Wall -Wextra -Werror -I "$IFD_SOURCE_DIR/tests/serial" -x c++ -include "$IFD_SOURCE_DIR/tests/serial/arduino.h" \
        patient.ino -o firmware || exit 1
}
# late FILE...: the largest lateness in us of the firmware (peer) and of the program, in its output or in a summary
late() {
    sed -n 's/^late by \([0-9]*\) us$/\1/p' peer
    sed -n 's/^skipped  late ticks .* by at most \([0-9.e+-]*\) ms;.*/\1/p' out | awk '{ print 1e3 * $1 }'
    for summary in "$@"; do
        [ ! -e "$summary" ] || at /clock/late_max "$summary" | awk '{ print 1e6 * $1 }'
    done
}
# calmly FOLDER CHECK: the function CHECK, which drives the firmware once, with the patience $times
calmly() {
    before=$failures
    unpunctual=
    for times in 1 4 16; do
        failures=$before
        rm -rf "$1"
        "$2" >said
        finish
        [ "$failures" != "$before" ] || return
        worst=$(late "$1/summary.json" | sort -g | tail -1)
        # before its first tick the program does not know how late it is: a machine that was late once gets all attempts
        ! awk "BEGIN { exit !(${worst:-0} > 5000 * $times) }" || unpunctual=yes
        [ "$unpunctual" ] || break
        echo "$2: the machine was late by $worst us, with $times times the patience"
    done
    cat said
}
