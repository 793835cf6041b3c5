#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 30 s, not with sanitizers, unless every test is asked for
# Ctrl-C twice ends a test in every state it can be in, unloading included, and a third one changes nothing. Sees IFD_PROGRAM.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cat >spring.yaml <<'END'
title: A spring on the rig
time: {step: 2 ms, end: 1000 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
loads: [{at: x, force: 2 kN}]
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    estimate: {stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 10 mm}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-for: 1000 s}
END

# begin FOLDER EVENT WORDS...: a test in the background, until its log or its terminal says EVENT
begin() {
    folder=$1 event=$2
    shift 2
    : >out
    "$IFD_PROGRAM" test spring.yaml --out "$folder" "$@" >out 2>err </dev/null &
    pid=$!
    until_says "$event" "$folder/events.log"
}
# until_longer JOURNAL: as many ticks again as it holds were recorded, and 500 at least: twice what a brake takes
until_longer() {
    before=$(wc -c <"$1") tries=0
    until [ "$(wc -c <"$1")" -gt $((2 * before + 200000)) ]; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || { fail "$1 does not grow"; return 1; }
        sleep 0.04
    done
}
# stopped: it has ended with the trip that was ordered
stopped() {
    wait "$pid"
    got=$?
    [ "$got" = 1 ] || fail "$folder: exit status $got, expected 1"
    says '^tripped '
    grep -q '"state": "tripped"' "$folder/summary.json" || fail "$folder: the second Ctrl-C did not trip"
    grep -q 'order trip, from a signal' "$folder/events.log" || fail "$folder: the trip has another cause"
}
# again N: more signals, each when the one before was heard. Within half a second two of them are one.
again() {
    kill -INT "$pid"
    until_says 'order stop, from a signal' "$folder/events.log"
    sleep 0.6
    kill -INT "$pid"
    [ "$1" = 2 ] || { until_says 'order trip, from a signal' "$folder/events.log" && kill -INT "$pid" 2>/dev/null; }
}

# ramp-in, which would take an hour; its ramp-out has nothing to move yet, and would settle for ten minutes
begin inward 'state ramp-in' --set 'test.ramp-in=3600 s' --set 'test.settle=600 s' --set 'test.brake=3600 s' --set test.leave=start --set 'test.creep=1e-9 m/s'
again 2
stopped

# a run, whose hold would take an hour; twice, and a third time
begin run 'state run' --set 'test.brake=3600 s'
again 2
stopped
begin thrice 'state run' --set 'test.brake=3600 s'
again 3
stopped

# on the way out by itself, back to the start and unloading: at these speeds for hours
for leave in start zero-force; do
    begin $leave 'state ramp-out' --set 'time.end=0.5 s' --set test.leave=$leave --set 'test.creep=1e-7 m/s'
    until_longer "$folder/result.journal" # it has braked and is on its slow way
    again 2
    stopped
done

# with a live page a tripped test would wait for reset or quit: three signals at once end it, whichever are heard as one
begin waits 'state run' --live 0 --set specimen.0.limits.force=20kN
kill -INT "$pid"
kill -INT "$pid"
kill -INT "$pid"
wait "$pid"
got=$?
[ "$got" = 1 ] || fail "waits: exit status $got, expected 1"

# tripped by a limit: a signal ends it, and the terminal tells what it waits for instead of refused orders
begin tripped 'state tripped' --live 0 --set specimen.0.limits.force=1.5kN
kill -TERM "$pid"
wait "$pid"
says '^quit  *by a signal: the test is tripped and ends when nothing moves'
! grep -q 'refused' out || fail "tripped: $(grep refused out)"

# idle: nothing was commanded, and the first ends it
begin idle 'state idle\|waiting' --set test.arm-samples=1000000 --set 'test.arm-timeout=3600 s'
kill -INT "$pid"
wait "$pid"
got=$?
[ "$got" = 1 ] || fail "idle: exit status $got, expected 1"

verdict "Ctrl-C ends every test"
