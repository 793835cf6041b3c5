#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 14 s
# A test and its rig in two real processes: by datagrams and by shared memory, with a clock and in lockstep; either of them killed;
# and the check of a plug-in. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Starts the rig and waits until it serves; its number is in $rig, its port in $port.
serve() {
    : >rig # what the one before said
    "$IFD_PROGRAM" rig spring.yaml --for 1000 "$@" >>rig 2>&1 </dev/null &
    rig=$!
    until_says '^serves' rig
    port=$(sed -n 's/^serves.*port //p' rig)
}
rig_ends() {
    wait "$rig"
    got=$?
    [ "$got" = "$1" ] || fail "the rig: exit status $got, expected $1"
}
rig_says() { grep -q -- "$1" rig || fail "the rig does not say '$1'"; }
# Starts a test in the background, waits until it moves; its number is in $pid. A machine that stands still trips it before that.
begin() {
    folder=$1
    shift
    "$IFD_PROGRAM" test spring.yaml --start --without-preflight --out "$folder" "$@" >out 2>err </dev/null &
    pid=$!
    until_says 'state run\|state tripped' "$folder/events.log"
}

# Machines that run tests are busy and may stand still for seconds: late ticks are none of the business of this file, nor is silence
# but where a rig or a test dies.
cat >spring.yaml <<'END'
title: A spring on the rig
time: {step: 4 ms, end: 1 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 40 mm}
test: {ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-for: 1000 s, stale-for: 60 s, stale-share: 1}
END

# The kernel keeps a third of a second of datagrams: a rig that stood still for longer, by its own clock, may have missed the farewell.
for attempt in 1 2 3; do
    rm -rf udp
    serve --once --watchdog 10
    try 0 test spring.yaml --start --without-preflight --set "test.rig={udp: {port: $port, timeout: 60 s}}" --out udp
    wait "$rig"
    got=$?
    [ $got = 1 ] && [ "$(sed -n 's/^done.* \([0-9]*\) skipped.*/\1/p' rig)" -gt 100 ] || break
done
[ $got = 0 ] || fail "the rig: exit status $got, expected 0"
rig_says 'free     the test ended'

serve --once --watchdog 60 --shm "spring-$$"
try 0 test spring.yaml --start --without-preflight --set "test.rig={shm: {name: spring-$$, timeout: 60 s}}" --out shm
rig_ends 0
rig_says '^done .* [0-9]* ticks bridged, [0-9]* commands reduced$'
rig_says 'free     the test ended'

# In lockstep the numbers are those of the rig in the test's own process.
serve --once --watchdog 60
try 0 test spring.yaml --without-preflight --set "test.rig={udp: {port: $port, lockstep: yes, timeout: 60 s}}" --as-fast-as-possible --csv --out lockstep
rig_ends 0
rig_says 'in lockstep'
try 0 test spring.yaml --as-fast-as-possible --csv --out here
cut -d, -f1,2,5- here/result.csv >a # all but how long each tick took
cut -d, -f1,2,5- lockstep/result.csv >b
[ "$(wc -l <a)" -gt 500 ] || fail "the result is too short"
cmp -s a b || fail "lockstep gives other numbers: $(diff a b | head -n 4)"

# A dry run would drive a rig with a clock as fast as the processor can.
serve
try 2 test spring.yaml --without-preflight --set "test.rig={udp: {port: $port, timeout: 60 s}}" --as-fast-as-possible --out fast
complains 'has its own clock'
try 1 test spring.yaml --without-preflight --set "test.rig={udp: {port: $port, timeout: 60 s}}" --set time.step=2ms --out tick
complains 'the rig has a tick of 0.002 s, but the test has 0.001 s'
try 1 rig-check udp --param "port=$port" --tick 1ms
complains '--tick 0.002'
kill -INT "$rig"
rig_ends 0

# The rig dies: the test trips.
serve --watchdog 60
begin dead-rig --set "test.rig={udp: {port: $port, timeout: 60 s}}" --set time.end=1000s --set test.stale-for=0.2s
kill -KILL "$rig"
wait "$rig" 2>/dev/null
wait "$pid"
[ $? = 1 ] || fail "a test whose rig died did not fail"
complains 'LOST'

# The test dies: the rig brakes by itself, and says so.
serve --once --watchdog 0.1
begin dead-test --set "test.rig={udp: {port: $port, timeout: 60 s}}" --set time.end=1000s
kill -KILL "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
rig_ends 1
rig_says 'stopped  no commands arrived'

# Nobody there.
try 1 test spring.yaml --without-preflight --set 'test.rig={shm: {name: nobody-serves-this}}' --out nobody
complains 'start the rig server first'

plugins=$IFD_BUILD_DIR/tests/plugins
# Its hardware is a thread of its own, which a busy machine keeps from its core: one calm attempt of four, with ever longer ticks and
# more patience.
urgent=
! chrt -f 10 true 2>/dev/null || urgent='chrt -f 10'
for times in '0.002 0.1 1' '0.005 1 2' '0.02 4 6' '0.05 4 6'; do
    set -- $times
    $urgent "$IFD_PROGRAM" rig-check "$plugins/plugin_rig_example.so" --tick "$1" --param "watchdog=$2" --watchdog "$3" --move 0.01 \
        --duration 0.4 >out 2>err && break
done
met='16 of 17 requirements, 1 skipped'
! sanitized || met='15 of 17 requirements, 2 skipped'
says "^passed  *$met; the rig declares itself simulated"
says 'passed   comes to rest by itself'
try 1 rig-check "$plugins/plugin_rig_bad.so" --tick 0.002
says '^FAILED *[0-9]* of [0-9]* requirements not met, [0-9]* passed, [0-9]* skipped'
try 2 rig-check "$plugins/plugin_rig_without_sense.so"
complains 'no sense function'
try 2 rig-check "$plugins/plugin_rig_example.so" --param stiffnes=1
try 0 test spring.yaml --start --without-preflight --set "test.rig={plugin: {file: $plugins/plugin_rig_example.so, lag: 1 ms, watchdog: 60 s}}" --out plugin
try 2 test spring.yaml --without-preflight --set "test.rig={plugin: {file: $plugins/plugin_rig_example.so, lagg: 1 ms}}" --out plugin2
complains 'lagg'

# What came from rigs outside is in the record: each test replays without them, those that were killed as well.
for folder in udp shm lockstep dead-rig dead-test plugin; do
    try 0 replay $folder
    grep -q '^identical ' out || fail "$folder does not replay"
done

verdict "a test and its rig agree from two processes"
