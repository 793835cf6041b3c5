#!/bin/sh
# SPDX-License-Identifier: MIT
# A test and its rig in two real processes: by datagrams and by shared memory, with a clock and in lockstep; either of them killed;
# and the check of a plug-in. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR.
set -u

work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-rig-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    echo "    test: $(head -c 800 out) $(head -c 800 err)"
    echo "    rig:  $(head -c 800 rig)"
}
# Starts the rig and waits until it serves; its number is in $rig, its port in $port.
serve() {
    : >rig # what the one before said
    "$IFD_PROGRAM" rig spring.yaml --for 60 "$@" >>rig 2>&1 </dev/null &
    rig=$!
    tries=0
    until grep -q '^serves' rig || [ $tries = 250 ]; do
        sleep 0.02
        tries=$((tries + 1))
    done
    port=$(sed -n 's/^serves.*port //p' rig)
}
try() {
    wanted=$1
    shift
    "$IFD_PROGRAM" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$wanted" ] || fail "interfield $*: exit status $got, expected $wanted"
}
rig_ends() {
    wait "$rig"
    got=$?
    [ "$got" = "$1" ] || fail "the rig: exit status $got, expected $1"
}
rig_says() { grep -q -- "$1" rig || fail "the rig does not say '$1'"; }
complains() { grep -q -- "$1" err || fail "stderr lacks '$1'"; }

# Machines that run tests are busy: late ticks are none of the business of this file.
cat >spring.yaml <<'END'
title: A spring on the rig
time: {step: 4 ms, end: 1 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN}
test: {ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-limit: 1000000, stale-limit: 100}
END

serve --once --watchdog 0.5
try 0 test spring.yaml --without-preflight --set "test.rig={udp: {port: $port}}" --out udp
rig_ends 0
rig_says 'free     the test ended'

serve --once --watchdog 0.5 --shm "spring-$$"
try 0 test spring.yaml --without-preflight --set "test.rig={shm: {name: spring-$$}}" --out shm
rig_ends 0
rig_says 'free     the test ended'

# In lockstep the numbers are those of the rig in the test's own process.
serve --once
try 0 test spring.yaml --without-preflight --set "test.rig={udp: {port: $port, lockstep: yes}}" --as-fast-as-possible --csv --out lockstep
rig_ends 0
rig_says 'in lockstep'
try 0 test spring.yaml --as-fast-as-possible --csv --out here
cut -d, -f1,4- here/result.csv >a # all but how long each tick took
cut -d, -f1,4- lockstep/result.csv >b
[ "$(wc -l <a)" -gt 500 ] || fail "the result is too short"
cmp -s a b || fail "lockstep gives other numbers: $(diff a b | head -n 4)"

# A dry run would drive a rig with a clock as fast as the processor can.
serve
try 2 test spring.yaml --without-preflight --set "test.rig={udp: {port: $port}}" --as-fast-as-possible --out fast
complains 'has a clock of its own'
try 1 test spring.yaml --without-preflight --set "test.rig={udp: {port: $port}}" --set time.step=2ms --out tick
complains 'the rig has a tick of 0.002 s, the test of 0.001 s'
kill -INT "$rig"
rig_ends 0

# The rig dies: the test trips.
serve
(sleep 0.8 && kill -KILL "$rig") &
try 1 test spring.yaml --without-preflight --set "test.rig={udp: {port: $port}}" --set time.end=20s --out dead-rig
complains 'LOST'
wait "$rig" 2>/dev/null

# The test dies: the rig brakes by itself, and says so.
serve --once --watchdog 0.1
"$IFD_PROGRAM" test spring.yaml --without-preflight --set "test.rig={udp: {port: $port}}" --set time.end=20s --out dead-test >out 2>err </dev/null &
pid=$!
sleep 1
kill -KILL "$pid"
wait "$pid" 2>/dev/null
rig_ends 1
rig_says 'stopped  commands stopped coming'

# Nobody there.
try 1 test spring.yaml --without-preflight --set 'test.rig={shm: {name: nobody-serves-this}}' --out nobody
complains 'no rig serves it'

plugins=$IFD_BUILD_DIR/tests/plugins
try 0 rig-check "$plugins/plugin_rig_example.so" --tick 0.002 --move 0.01 --duration 0.4
grep -q 'passed   comes to rest by itself' out || fail "the watchdog was not checked"
try 1 rig-check "$plugins/plugin_rig_bad.so" --tick 0.002
try 2 rig-check "$plugins/plugin_rig_without_sense.so"
complains 'no sense function'
try 2 rig-check "$plugins/plugin_rig_example.so" --param stiffnes=1
try 0 test spring.yaml --without-preflight --set "test.rig={plugin: {file: $plugins/plugin_rig_example.so, lag: 1 ms}}" --out plugin
try 2 test spring.yaml --without-preflight --set "test.rig={plugin: {file: $plugins/plugin_rig_example.so, lagg: 1 ms}}" --out plugin2
complains 'lagg'

# What came from rigs outside is in the record: each test replays without them, those that were killed as well.
for folder in udp shm lockstep dead-rig dead-test plugin; do
    try 0 replay $folder
    grep -q '^identical ' out || fail "$folder does not replay"
done

[ "$failures" = 0 ] || exit 1
echo "a test and its rig agree from two processes"
