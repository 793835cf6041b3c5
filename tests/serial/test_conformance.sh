#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: alone
# rig-check of the driver for microcontrollers with motion, against the firmware of examples/serial_rig.ino: both have a clock, so nothing
# else runs beside them. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CXX.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
on_terminal 'a serial line' || exit 77
. "$IFD_SOURCE_DIR/tests/serial/line.sh"

# Conformance with motion, the watchdog included. Its requirements count ticks, which are longer with more patience.
met='16 of 17 requirements, 1 skipped'
! sanitized || met='15 of 17 requirements, 2 skipped'
conforms() {
    tick=$(awk "BEGIN { print 0.005 * $times }")
    firmware "$tick"
    begin $urgent ./firmware tty
    echo move | "$IFD_PROGRAM" rig-check serial --operator 'A. Smith' --tick "$tick" --duration "$(awk "BEGIN { print 0.5 * $times }")" --move 0.005 --watchdog $((times + 1)) \
        --param device=tty --param baud=1000000 --param silent-for="$(awk "BEGIN { print 1.5 * $times }")" --param watchdog="$(awk "BEGIN { print 0.1 * $times }")" >out 2>err
    says "^passed   $met"
}
calmly conformance conforms
verdict 'conformance of a microcontroller'
