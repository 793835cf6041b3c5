#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 50 s
# rig-check --stop and --kill with a person who is a shell script, on rigs that misbehave (plugin_rig_chain.c), and what preflight makes of
# the stored proofs. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
object() { # NAME [FLAGS]: builds ./NAME.so
    ${CC:-cc} -shared -fPIC -O2 -D_GNU_SOURCE -DVARIANT="$1" -I "$IFD_SOURCE_DIR/include" -o "$1.so" "$IFD_SOURCE_DIR/tests/link/plugin_rig_chain.c" -lm || exit 1
}
object chain
mkdir lab
cat >lab.yaml <<END
title: A spring behind a controller
time: {step: 10 ms, end: 0.2 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 1 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 1e5 N/m}
    estimate: {stiffness: 1e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 50 m/s2, force: 5 kN, tracking: 20 mm}
    twin: {actuator: {first-order: {time-constant: 2 ms}}}
test: {rig: {plugin: {file: ./chain.so, folder: $PWD/lab, kind: sound, watchdog: 0.1 s}}, overrun: extrapolate, late-for: 1000 s}
END
set_inputs() { echo "$1" >lab/inputs.new && mv lab/inputs.new lab/inputs; }
# after SENTENCE INPUTS: what the person does when he is asked
after() {
    tries=0
    until grep -q "^stop .*$1" out; do
        tries=$((tries + 1))
        kill -0 "$pid" 2>/dev/null && [ $tries -lt 3000 ] || { fail "the check does not ask: $1"; return; }
        sleep 0.04
    done
    set_inputs "$2"
}
pid=
trap 'kill $pid 2>/dev/null; rm -rf "$work"' EXIT
begin() { # WORDS...: the check in the background
    : >out
    "$IFD_PROGRAM" rig-check lab.yaml --operator 'A. Smith' "$@" >out 2>err </dev/null &
    pid=$!
}
ends() { # STATUS
    wait "$pid"
    got=$?
    [ "$got" = "$1" ] || fail "rig-check: exit status $got, expected $1"
}
told() { # VERDICT TEXT
    grep -q "^$1 *$2" out || fail "no line '$1 $2'"
}

# The examples without `simulated`, which their page removes first: their inputs read pressed and off until somebody writes that function.
for example in examples/rig.c tests/link/plugin_rig_example.c; do
    sed '/^static bool simulated/,/^}/d; /\.simulated = /d' "$IFD_SOURCE_DIR/$example" >mine.c
    ${CC:-cc} -shared -fPIC -O2 -D_GNU_SOURCE -pthread -I "$IFD_SOURCE_DIR/include" -o mine.so mine.c -lm || exit 1
    "$IFD_PROGRAM" rig-check ./mine.so --tick 0.01 >out 2>err </dev/null
    says '^skipped  emergency stop released, hydraulics on *inputs 0x0, expected 0x3 for motion'
    ! grep -q 'declares itself simulated' out || fail "$example: simulated"
    try 2 rig-check ./mine.so --tick 0.01 --move 1mm
    complains 'a real rig needs the name of its operator'
done

# Without a name nothing is proven, and nothing moves.
set_inputs 3
try 2 rig-check lab.yaml --stop
complains 'a real rig needs the name of its operator'
try 2 rig-check lab.yaml --kill --move 5mm
complains 'a real rig needs the name of its operator'
try 2 rig-check lab.yaml --move 5mm --operator A
complains 'nothing moved: the word move was not typed'
# Nor does it move beyond the limits of the case: 50 mm to either side, 1 m/s, 50 m/s2.
try 2 rig-check lab.yaml --move 1m --duration 10 --operator A
complains '^interfield: --move 1 m is more than the stroke of actuator 1, -50 mm to 50 mm$'
try 2 rig-check lab.yaml --kill --move 99mm --duration 0.18 --operator A
complains '--move 99 mm in 180 ms: actuator 1 would reach 1.03 m/s and 17.6 m/s2, its limits are 1 m/s and 50 m/s2; give a longer --duration$'
try 2 rig-check lab.yaml --move 5mm --duration 0.016 --operator A
complains 'would reach 0.586 m/s and 113 m/s2, its limits are 1 m/s and 50 m/s2'
try 2 rig-check lab.yaml --stop --move 5mm --operator A
complains 'moves nothing'
try 2 rig-check lab.yaml --kill --operator A
complains 'needs --move'
try 2 rig-check ./chain.so --stop --operator A --param folder=lab
complains 'proves the settings of a case'
[ ! -e lab/log ] || ! grep -q 'positions=[1-9]' lab/log || fail "it moved: $(cat lab/log)"
[ ! -e lab.stop-chain.json ] || fail 'a proof without a check'

# A rig that measures nothing: nobody is asked, and the reason is said.
sed 's/kind: sound/kind: silent/' lab.yaml >silent.yaml
try 1 rig-check silent.yaml --stop --operator A
told FAILED 'the rig is not ready'
told FAILED 'the stop chain; stored: silent.stop-chain.json'

# A sound chain: press, release, unplug, and the same for power. Nothing receives power, nothing moves.
preflight() {
    "$IFD_PROGRAM" preflight lab.yaml "$@" >out 2>err </dev/null
}
line() { sed -n "s/^\([A-Za-z-]*\)  *$1  *\(.*\)/\2 \1/p" out; }
preflight
line 'stop chain' | grep -q '^not proven.*: interfield rig-check lab.yaml --stop --operator NAME.* NO-GO$' || fail "no proof, but: $(line 'stop chain')"
grep -q '^NO-GO' out || fail 'no proof, but no NO-GO'

# Dates of calibration: none, one missing, all, one that has ended (valid to the end of its day), one of a channel that is only recorded.
line calibration | grep -q '^the case has no channels with dates of calibration.*: state valid-until.* CAUTION$' || fail "no channels: $(line calibration)"
dates() { # STROKE CELL DOOR: keys of three channels
    preflight --set "channels={stroke: {input: position 1, measures: position of spring$1}, cell: {input: force 1, measures: force of spring$2}, door: {input: aux 1$3}}"
}
dates ', valid-until: 2999-01-01' '' ''
line calibration | grep -q "^channel 'cell' has no date of calibration.* CAUTION$" || fail "a date is missing: $(line calibration)"
dates ', valid-until: 2999-01-01' ', valid-until: 2998-12-31' ''
line calibration | grep -q "^valid until 2998-12-31 ('cell')  *ok" || fail "all dates: $(line calibration)"
dates ', valid-until: 2999-01-01' ", valid-until: $(date -u +%Y-%m-%d)" ''
line calibration | grep -q "^valid until .* ('cell')  *ok" || fail "valid today: $(line calibration)"
dates ', valid-until: 2999-01-01' ", valid-until: $(date -u -d yesterday +%Y-%m-%d)" ''
line calibration | grep -q "^that of channel 'cell' ended on.*: calibrate it.* NO-GO$" || fail "it has ended: $(line calibration)"
dates ', valid-until: 2999-01-01' ', valid-until: 2999-01-01' ', valid-until: 2026-01-31'
line calibration | grep -q "^that of channel 'door' ended on 2026-01-31.* NO-GO$" || fail "an interlock too: $(line calibration)"
preflight --set 'test.rig=virtual'
[ -z "$(line calibration)" ] || fail "dates of a virtual rig: $(line calibration)"
preflight
sound() {
    set_inputs 3
    begin --stop
    after 'press the emergency stop now (60 s)' 0
    after 'release the emergency stop now' 1
    after 'switch power or pressure on again now' 3
    after 'unplug the wire of the stop input now' 2
    after 'plug the wire in again' 3
    after 'switch power or pressure off now' 1
    ! kill -0 "$pid" 2>/dev/null || until_says '^passed   reads "off"'
    set_inputs 3
    after 'unplug the wire of the power or pressure input now' 1
    ends 0
    set_inputs 3
}
sound
told passed 'stop pressed after .* s; power off .* s later'
told passed 'released; not ready by itself'
told passed 'the open wire reads "pressed"'
told passed 'the open wire reads "off"'
told proven 'the stop chain; stored: lab.stop-chain.json'
grep -q 'moves=0 positions=0' lab/log || fail "the check of the stop energised the rig: $(cat lab/log)"
is /proofs/0/operator 'A. Smith' lab.stop-chain.json
is /proofs/0/check stop lab.stop-chain.json
preflight
line 'stop chain' | grep -q "^proven $(date -u '+%-d %b') by A. Smith, today *ok" || fail "a proof of today: $(line 'stop chain')"
line watchdog | grep -q '^not proven.*: interfield rig-check lab.yaml --kill --move 5mm.* CAUTION$' || fail "no proof of a kill: $(line watchdog)"

# The kill of a sound rig, and one whose power is cut instead.
fresh() { rm -f lab/state lab/log; }
kill_it() { # STATUS KIND [WORDS]: of a busy machine one of four attempts is in time
    status=$1 kind=$2
    shift 2
    sed "s/kind: sound/kind: $kind/" lab.yaml >"$kind.yaml"
    for attempt in 1 2 3 4; do
        fresh
        echo move | "$IFD_PROGRAM" rig-check "$kind.yaml" --kill --move 5mm --duration 0.5 --operator 'B. Jones' "$@" >out 2>err
        got=$?
        grep -qE 'too late; repeat|a stop of the rig prevents a motion' out || break # its watchdog of 0.1 s, of a stalled machine
    done
    [ "$got" = "$status" ] || fail "kill of $kind: exit status $got, expected $status"
}
kill_it 0 sound
told passed 'moved when its process was killed: at 0.01'
told passed 'is at rest after its watchdog'
told passed 'travel after the kill'
told passed 'reports its stop, or power off: the rig reports'
cp sound.stop-chain.json lab.kill.json
kill_it 0 powerless
told passed 'reports its stop, or power off: power is off'
# Those that misbehave.
kill_it 1 moves-on
told FAILED 'is at rest after its watchdog'
told FAILED 'travel after the kill'
kill_it 1 mute
told passed 'is at rest after its watchdog'
told FAILED 'reports its stop, or power off: inputs 0x3'
kill_it 1 sinks
told FAILED 'is at rest after its watchdog'
kill_it 1 late
told FAILED 'travel after the kill'
is /proofs/0/passed false late.stop-chain.json

# Both proofs in one file: that of the stop is kept. A shared file is found by its settings.
fresh
echo move | "$IFD_PROGRAM" rig-check lab.yaml --kill --move 5mm --duration 0.5 --operator 'B. Jones' >out 2>err
is /proofs/0/check kill lab.stop-chain.json
is /proofs/1/check stop lab.stop-chain.json
preflight
mkdir other
sed 's/overrun/stop-chain: ..\/lab.stop-chain.json, overrun/; s/\.\/chain/..\/chain/' lab.yaml >other/shared.yaml
"$IFD_PROGRAM" preflight other/shared.yaml >out 2>err </dev/null
line 'stop chain' | grep -q '^proven .* by A. Smith, today *ok' || fail "a shared proof: $(line 'stop chain')"

# Proofs of other settings, of other code, edited ones, old ones: refused.
sed -i 's/watchdog: 0.1 s/watchdog: 0.2 s/' lab.yaml
preflight
line 'stop chain' | grep -q '^proven with other settings of the rig only.* NO-GO$' || fail "other settings: $(line 'stop chain')"
sed -i 's/watchdog: 0.2 s/watchdog: 0.1 s/' lab.yaml
cp lab.stop-chain.json good.json
sed -i 's/A. Smith/C. Brown/' lab.stop-chain.json
preflight
line 'stop chain' | grep -q '^not proven.* NO-GO$' || fail "an edited proof: $(line 'stop chain')"
cp good.json lab.stop-chain.json
preflight --set test.stop-keeps-power=yes
line 'stop chain' | grep -q '^proven with other settings.* NO-GO$' || fail "a stop that keeps power: $(line 'stop chain')"
${CC:-cc} -shared -fPIC -O1 -o later.so "$IFD_SOURCE_DIR/tests/app/later.c" || exit 1
aged() { # DAYS: a preflight on that day
    LD_PRELOAD="$PWD/later.so" IFD_LATER=$(($1 * 86400)) "$IFD_PROGRAM" preflight lab.yaml >out 2>err </dev/null
}
aged 29
line 'stop chain' | grep -q '^proven .* by A. Smith, 29 days ago *ok' || fail "a proof of 29 days: $(line 'stop chain')"
aged 31
line 'stop chain' | grep -q '^proven .* by A. Smith, 31 days ago.*: interfield rig-check.* NO-GO$' || fail "an old proof: $(line 'stop chain')"
aged -2
line 'stop chain' | grep -q '^proven.* NO-GO$' || fail "a proof of a day that comes: $(line 'stop chain')"
preflight
line 'stop chain' | grep -q '^proven .* by A. Smith, today *ok' || fail "the restored proof: $(line 'stop chain')"

# A chain that fails is NO-GO, with its reason, also after an earlier proof. Inputs that never change: 0x3 always.
set_inputs 3
begin --stop --within 1
ends 1
told FAILED 'the stop input has not changed: it is not connected'
preflight
line 'stop chain' | grep -q '^FAILED .* by A. Smith: the stop input has not changed.* NO-GO$' || fail "a failed chain: $(line 'stop chain')"
# A stop that leaves the power on; the case may permit it.
begin --stop --within 20
after 'press the emergency stop now' 2
ends 1
told FAILED 'stop pressed, but power or pressure stays on'
# Release makes it ready by itself.
fresh
set_inputs 3
begin --stop --within 20
after 'press the emergency stop now' 0
after 'release the emergency stop now' 3
ends 1
told FAILED 'released, and power is back by itself'
# An open wire that reads released, and one that reads on.
set_inputs 3
begin --stop --within 4
after 'press the emergency stop now' 0
after 'release the emergency stop now' 1
after 'switch power or pressure on again now' 3
ends 1
told FAILED 'the open wire reads "released": wire it normally closed'
set_inputs 3
begin --stop --within 4
after 'press the emergency stop now' 0
after 'release the emergency stop now' 1
after 'switch power or pressure on again now' 3
after 'unplug the wire of the stop input now' 2
after 'plug the wire in again' 3
after 'switch power or pressure off now' 1
! kill -0 "$pid" 2>/dev/null || until_says '^passed   reads "off"'
set_inputs 3
ends 1
told FAILED 'the open wire reads "on": wire it normally closed'
verdict 'stop chain'
