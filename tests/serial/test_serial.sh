#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 65 s
# The driver for microcontrollers on a serial line, over a pseudo-terminal: with the firmware of examples/serial_rig.ino, compiled for this
# machine, and with a microcontroller that lies (mcu.py). Sees IFD_PROGRAM, IFD_SOURCE_DIR, CXX.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
on_terminal 'a serial line' || exit 77
cp "$IFD_SOURCE_DIR/examples/serial.yaml" spring.yaml
try 0 check --load spring.yaml

. "$IFD_SOURCE_DIR/tests/serial/line.sh"
short='--set time.end=0.2s --set test.ramp-in=0.1s --set test.settle=0.02s --set test.overrun=extrapolate --set test.late-for=1000s
    --set test.frozen-for=200s --set test.stale-share=1'
line='device: tty, baud: 1000000'
stale=50s
# shellcheck disable=SC2086 # a list of words
drive() { # STATUS OUT [PARAMETERS]
    rm -rf "$2"
    operate "$1" test spring.yaml --without-preflight --out "$2" --set "test.rig={serial: {$line, ${3-silent-for: 1.5 s}}}" $short --set test.stale-for=$stale
}
fault() { is /fault/name "$2" "$1/summary.json"; }
explains() { grep -q -- "$2" "$1/events.log" || fail "events.log lacks '$2': $(cat "$1/events.log")"; }

# A test whose replay is the same in every bit.
patiently() { # STATUS OUT [WATCHDOG]
    firmware 0.005
    begin $urgent ./firmware tty
    drive "$1" "$2" "silent-for: $((1500 * times)) ms, watchdog: ${3-$((100 * times)) ms}"
}
plain() {
    patiently 0 plain
    try 0 replay plain
    says identical
}
calmly plain plain
# Reading asks for measurements and sends nothing else.
begin /usr/bin/python3 "$IFD_SOURCE_DIR/tests/serial/mcu.py" tty log
try 0 channels spring.yaml --once --set "test.rig={serial: {$line}}"
finish
grep -q '^commands=0 .*moves=0 .*asked=[1-9]' log || fail "reading sent commands: $(cat log)"
# The read of an empty line waits for a thread of the kernel without priority: the driver reads only what is there.
if strace -o /dev/null true 2>/dev/null; then
    # The search for leaks does not work under strace.
    traced() {
        firmware 0.005
        begin $urgent ./firmware tty
        # shellcheck disable=SC2086 # a list of words
        ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" strace -f -y -e trace=read -o calls /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/operate.py" "$IFD_PROGRAM" test spring.yaml --without-preflight --out traced \
            --set "test.rig={serial: {$line, silent-for: $((1500 * times)) ms, watchdog: $((100 * times)) ms}}" $short --set test.stale-for=$stale >out 2>err </dev/null || fail 'a traced test ended with an error'
    }
    calmly traced traced
    awk '/read\([0-9]+<\/dev\/pts\// { reads++; empty += / = (0|-1 .*)$/ } END { exit !(reads > 30 && empty == 0) }' calls ||
        fail "reads of an empty line: $(grep -c '/dev/pts/.* = \(0\|-1 .*\)$' calls) of $(grep -c /dev/pts/ calls)"
fi
# Its watchdog is its own: one that is shorter than a tick stops it, and the operator reads why.
starved() {
    patiently 1 starved '2 ms'
    fault starved RIG_STOPPED
    explains starved 'the watchdog of the microcontroller stopped it'
}
calmly starved starved

# lie EVENT STATUS [FAULT] [REASON] [PARAMETERS]
lie() {
    begin $urgent /usr/bin/python3 "$IFD_SOURCE_DIR/tests/serial/mcu.py" tty log "$1@60"
    drive "$2" "lie-${1%@*}" ${5+"$5"}
    finish
    [ -z "${3-}" ] || fault "lie-$1" "$3"
    [ -z "${4-}" ] || explains "lie-$1" "$4"
}
lie corrupt 0
lie noise 0
grep -q ' gaps=0' log || fail "the microcontroller missed commands: $(cat log)"
grep -q 'wrong=0 .*watchdog=100 ' log || fail "the microcontroller saw $(cat log)"
awk '{ for (i = 1; i <= NF; i++) { split($i, p, "="); v[p[1]] = p[2] } exit !(v["moves"] > 50 && v["jump"] < 2e-3 && v["first"]^2 < 1e-12) }' log ||
    fail "the commands jump: $(cat log)"
# These end by the lie and not before, however late the microcontroller is; the first four after 1.5 s without an answer.
stale='50s --set time.end=30s'
lie garbled 1 RIG_STOPPED 'measurements arrive with wrong checksums'
lie stale 1 RIG_STOPPED 'the microcontroller repeats old measurements'
lie old 1 RIG_STOPPED 'the microcontroller repeats old measurements'
lie silent 1 RIG_STOPPED 'the microcontroller is silent'
lie reset 1 RIG_STOPPED 'the microcontroller has restarted'
lie limit 1 RIG_STOPPED 'a limit of the microcontroller stopped it'
lie actuators 1 RIG_STOPPED 'another number of actuators'
lie saturated 1 NOT_FINITE 'a force is outside its range' 'silent-for: 1.5 s, force-range: [-4095, 4095]'
lie stop 1 STOP_PRESSED
lie power 1 HYDRAULICS
stale='0.1s --set time.end=30s'
lie ahead 1 LOST # acknowledgements of commands that were never sent count as none

stale=50s

# Nobody at the line, a line that is none, a rate that does not suffice.
begin $urgent /usr/bin/python3 "$IFD_SOURCE_DIR/tests/serial/mcu.py" tty log silent@0
stale="50s --set test.arm-timeout=0.5s"
drive 1 nobody
grep -q 'no measurement of the microcontroller arrived yet' out err nobody/events.log || fail 'nobody reads that nobody answers'
finish
stale=50s
begin $urgent /usr/bin/python3 "$IFD_SOURCE_DIR/tests/serial/mcu.py" tty log actuators@0
drive 1 two
complains 'another number of actuators or auxiliary inputs; expected 1 and 0'
finish
line='device: spring.yaml, baud: 1000000' drive 1 none
complains 'spring.yaml is not a serial line'
line='device: /nowhere, baud: 1000000' drive 1 none
complains '/nowhere: No such file'
line='device: tty, baud: 1234567' drive 2 none
complains 'baud: found 1234567, expected'
line='device: tty, baud: 9600' drive 2 none
complains 'take .* ms at 9600 baud; expected at most 0.8 of the tick, 4 ms'
line='device: tty, baud: 1000000, force-range: [3, 2]' drive 2 none
complains "'force-range': expected two increasing numbers"
verdict 'serial'
