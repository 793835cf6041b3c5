#!/bin/sh
# SPDX-License-Identifier: MIT
# The driver for converter cards with a substitute for libcomedi (standin.c): conformance, a test and its replay, what leaves the card,
# and each way in which a card or its wiring fails. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
if [ -f "$IFD_BUILD_DIR/rigs/comedi.missing" ]; then
    echo "skipped: $(cat "$IFD_BUILD_DIR/rigs/comedi.missing")"
    exit 0
fi
mkdir lib
# shellcheck disable=SC2046 # flags are words
${CC:-cc} -shared -fPIC -Wl,-soname,libcomedi.so.0 $(pkg-config --cflags comedilib) -o lib/libcomedi.so.0 \
    "$IFD_SOURCE_DIR/tests/comedi/standin.c" -lm || exit 1
export LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" IFD_COMEDI_LOG="$PWD/log" IFD_COMEDI_SCENE=
wired='digital: 2, heartbeat-line: 2'
cat >spring.yaml <<END
title: A spring behind a converter card
time: {step: 2 ms, end: 0.1 s}                 # two stages: a tick of 1 ms
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 5 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 50 kN/m}
    limits: {stroke: 80 mm, velocity: 2 m/s, acceleration: 200 m/s2, force: 12 kN, tracking: 40 mm}
channels:
  stroke: {input: position 1, measures: position of spring, unit: mm, sensitivity: 10, range: [-95, 95]}
  cell: {input: force 1, measures: force of spring, unit: kN, sensitivity: 2, range: [-19, 19]}
test:
  rig: {comedi: {$wired}}
  ramp-in: 0.1 s
  settle: 0.02 s
  overrun: extrapolate
  late-limit: 1000000
  frozen-limit: 100000
  stale-limit: 20
END
# go STATUS OUT [SCENE] [PARAMETERS]: a test with events on the card
go() {
    rm -rf "$2" log
    IFD_COMEDI_SCENE=${3-}
    try "$1" test spring.yaml --without-preflight --out "$2" --set "test.rig={comedi: {${4-$wired}}}"
}
logged() { grep -q -- "$1" log || fail "the card saw '$(cat log)', expected '$1'"; }
fault() { is /fault/name "$2" "$1/summary.json"; }
explains() { grep -q -- "$2" "$1/events.log" || grep -q -- "$2" out err || fail "nobody reads '$2': $(cat "$1/events.log")"; }

# Conformance, with motion: in volts.
try 0 rig-check comedi --tick 0.001 --param digital=2 --param heartbeat-line=2 --duration 0.3 --move 0.5
says '^passed   0 of 1[0-9] requirements not met'

# A test: its replay is the same in every bit, no output jumps, lines have their direction, the heartbeat changes in nearly every tick.
go 0 plain 'start=1'
try 0 replay plain
says identical
logged 'inputs=3 outputs=4'
logged 'first=1.000'
awk -F '[= ]' '{ exit !($6 > 0.9 * ($2 - 10) && $12 < 0.2) }' log || fail "the card saw $(cat log)"

# Saturation is a fault, never a number at the end of the range.
go 1 high 'saturate@150'
fault high RANGE
explains high 'input line 1 of the card was at the end of its range'
go 1 low 'low@150'
fault low RANGE
explains low 'input line 0 of the card was at the end of its range'
# At the start nothing moves.
go 1 unplugged 'saturate@0'
complains 'input line 1 .*: is the sensor connected'
[ ! -f log ] || logged 'writes=0'

# Emergency stop and hydraulics, by digital lines and by an analogue one.
go 1 stop 'stop@150'
fault stop STOP_PRESSED
go 1 pressure 'pressure@150'
fault pressure HYDRAULICS
go 1 analogue 'stop@150' 'stop-input: 3, stop-above: 2.5'
fault analogue STOP_PRESSED

# A card that answers again in time, one that does not, one that takes no outputs: the heartbeat ends with the rig.
go 0 brief 'brief@150'
go 1 stuck 'stuck@150'
fault stuck RIG_STOPPED
explains stuck 'the card does not answer'
go 1 mute 'mute@150'
fault mute RIG_STOPPED
explains mute 'the card does not accept outputs'

# What the card does not have is refused with what was expected.
refused() { # SCENE PARAMETERS MESSAGE
    go 1 refused "$1" "$2"
    complains "$3"
}
refused '' '' 'the emergency stop is not connected; expected'
refused 'driver=usbduxfast' "$wired" 'USB card (driver usbduxfast).*the tick is 1 ms, expected 5 ms or more'
refused '' "$wired, position: [8]" 'has no input line 8; expected 0 to 7'
refused '' "$wired, command: [2]" 'has no output line 2; expected 0 to 1'
refused '' "$wired, range-in: 20" 'no input range that contains +-20 V'
refused '' "$wired, force: [1, 2]" "'force' has 2 lines; expected 1"
refused '' "$wired, device: /dev/comedi9" '/dev/comedi9: Input/output error'
refused '' 'digital: 1' 'subdevice 1 has no digital lines'
refused '' 'digital: 2, stop-line: 8' 'has 8 digital lines'
refused '' "$wired, calibration: spring.yaml" 'calibration file .*spring.yaml cannot be read'
verdict 'comedi'
