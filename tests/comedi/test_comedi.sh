#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 20 s
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
wired='digital: 2, stop-level: high, pressure-level: high, heartbeat-line: 2'
cp "$IFD_SOURCE_DIR/examples/comedi.yaml" spring.yaml
try 0 check --load spring.yaml
says '^outputs  not mapped: trigger, running, enable, low, high$'
# go STATUS OUT [SCENE] [PARAMETERS]: a test with events on the card
go() {
    rm -rf "$2" log
    IFD_COMEDI_SCENE=${3-}
    folder=$2 wiring=${4-$wired}
    status=$1
    [ $# -lt 4 ] && shift $# || shift 4
    operate "$status" test spring.yaml --without-preflight --out "$folder" --set "test.rig={comedi: {$wiring}}" --set time.end=0.1s \
        --set test.ramp-in=0.1s --set test.settle=0.02s --set test.overrun=extrapolate --set test.late-for=1000s \
        --set test.frozen-for=200s --set test.stale-for=40ms --set test.stale-share=1 --set specimen.0.limits.acceleration=200 "$@"
}
logged() { grep -q -- "$1" log || fail "the card saw '$(cat log)', expected '$1'"; }
fault() { is /fault/name "$2" "$1/summary.json"; }
explains() { grep -q -- "$2" "$1/events.log" || grep -q -- "$2" out err || fail "nobody reads '$2': $(cat "$1/events.log")"; }

# Conformance, with motion: in volts.
echo move | "$IFD_PROGRAM" rig-check comedi --operator 'A. Smith' --tick 0.001 --param digital=2 --param stop-level=high --param pressure-level=high --param heartbeat-line=2 --param force=[1] --param position=0 \
    --duration 0.3 --move 0.5 >out 2>err || fail 'rig-check: a requirement is not met'
met='16 of 17 requirements, 1 skipped'
! sanitized || met='15 of 17 requirements, 2 skipped'
says "^passed   $met\$"

# A test: its replay is the same in every bit, no output jumps, lines have their direction, the heartbeat changes in nearly every tick.
go 0 plain 'start=1'
try 0 replay plain
says identical
logged 'inputs=3 outputs=4'
logged 'first=1.000 .* at=1 ' # before the first tick
awk -F '[= ]' '{ exit !($6 > 0.9 * ($2 - 10) && $12 < 0.2) }' log || fail "the card saw $(cat log)"

# Contacts that pull their line low: an open wire with a pull-up reads pressed, and off.
low='digital: 2, stop-level: low, pressure-level: low, heartbeat-line: 2, trigger-line: 3, enable-line: 4, start-line: 5'
go 0 low-level 'start=1 inverted' "$low"
# The trigger rises in the tick of run, enable is requested and ends with the test; nothing is left on.
logged 'inputs=35 outputs=28'
logged 'ever=28 left=0 '
run=$(sed -n 's/.*tick \([0-9]*\) .*state run.*/\1/p' low-level/events.log | head -1)
edge=$(sed -n 's/.*edge=\([0-9]*\) .*/\1/p' log)
[ "$edge" = $((run + 1)) ] || fail "the trigger rose after $edge reads, one of them before the first tick; run began in tick $run"
go 1 low-stop 'inverted stop@30' "$low"
fault low-stop STOP_PRESSED
go 1 low-pressure 'inverted pressure@30' "$low"
fault low-pressure HYDRAULICS

# Reading writes nothing: no voltage, no digital output.
rm -f log
IFD_COMEDI_SCENE='start=1'
try 0 channels spring.yaml --once --set "test.rig={comedi: {$wired, enable-line: 4}}"
logged ' writes=0 beats=0 '
logged 'outputs=0 .*switches=0'

# Saturation is a fault, never a number at the end of the range.
go 1 high 'saturate@30'
fault high NOT_FINITE
explains high 'input line 1 of the card was at the end of its range'
go 1 low 'low@30'
fault low NOT_FINITE
explains low 'input line 0 of the card was at the end of its range'
go 1 aux "saturate@30" "$wired, force: [0], aux: [1]" --set "channels.strain={input: aux 1, unit: m, sensitivity: 1, range: [-9, 9]}" # only recorded
fault aux RANGE
# At the start nothing moves.
go 1 unplugged 'saturate@0'
complains 'input line 1 .*: is the sensor connected'
[ ! -f log ] || logged 'writes=0'

# Emergency stop and hydraulics, by digital lines and by an analogue one.
go 1 stop 'stop@30'
fault stop STOP_PRESSED
go 1 pressure 'pressure@30'
fault pressure HYDRAULICS
logged 'off=0.0' # the output follows the piston, which sinks by volts: no jump when pressure returns
go 1 analogue 'stop@30' 'stop-input: 3, stop-above: 2.5'
fault analogue STOP_PRESSED

# A card that answers again in time, one that does not, one that takes no outputs: the heartbeat ends with the rig.
go 0 brief 'brief@30'
go 1 stuck 'stuck@30'
fault stuck RIG_STOPPED
explains stuck 'the card does not answer'
go 1 mute 'mute@30'
fault mute RIG_STOPPED
explains mute 'the card does not accept outputs'

# A command beyond the outputs is not shortened: the rig stops.
go 1 beyond '' "$wired, range-out: 5" --set initial.displacement.x=60mm --set test.ramp-in=0.3s
fault beyond RIG_STOPPED
explains beyond 'a command is outside the output range of the card'

# What the card does not have is refused with what was expected.
refused() { # SCENE PARAMETERS MESSAGE [STATUS]
    go "${4-2}" refused "$1" "$2"
    complains "$3"
}
refused '' '' 'the emergency stop is not connected; expected'
refused 'driver=usbduxfast' "$wired" 'USB card (driver usbduxfast).*the tick is 1 ms, expected 5 ms or more'
refused '' "$wired, position: [8]" 'has no input line 8; expected 0 to 7'
refused '' "$wired, command: [2]" 'has no output line 2; expected 0 to 1'
refused '' "$wired, range-in: 20" 'no input range that contains +-20 V'
refused '' "$wired, force: [1, 2]" "'force' has 2 lines; expected 1"
refused '' "$wired, device: /dev/comedi9" '/dev/comedi9: Input/output error' 1
refused '' 'digital: 1, stop-level: high, pressure-level: high' 'subdevice 1 has no digital lines'
refused '' 'digital: 2, stop-level: high, pressure-level: high, stop-line: 8' 'has 8 digital lines'
refused '' 'digital: 2' "'stop-level' is missing: the level of 'stop-line' while current flows"
refused '' 'digital: 2, stop-level: low' "'pressure-level' is missing"
refused '' 'stop-input: 3, enable-line: 4' "'enable-line' needs 'digital'"
refused '' "$wired, calibration: spring.yaml" 'calibration file .*spring.yaml cannot be read'
verdict 'comedi'
