#!/bin/sh
# SPDX-License-Identifier: MIT
# The clock of a rig leads a test (pace: rig), and a test starts at an instant (start-at). Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Machines that run tests are busy: late ticks are none of the business of this file.
cat >spring.yaml <<'END'
time: {step: 2 ms, end: 0.1 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 40 mm}
test:
  rig: {trial: {stiffness: 2e5 N/m, watchdog: 60 s, clock-error: 2e-4}}
  ramp-in: 0.05 s
  settle: 0.01 s
  overrun: extrapolate
  late-for: 1000 s
  arm-timeout: 600 s
END

# A clock that is wrong by 200 ppm leads; the replay is identical.
"$IFD_PROGRAM" test spring.yaml --start --without-preflight --set test.pace=rig --out led >led.out 2>led.err </dev/null &
led=$!
# One that is wrong by 3 % is not armed: nothing moves.
"$IFD_PROGRAM" test spring.yaml --start --without-preflight --set test.pace=rig --set test.rig.trial.clock-error=0.03 --out wrong >wrong.out 2>wrong.err </dev/null &
wrong=$!
# t = 0 at the next whole second.
"$IFD_PROGRAM" test spring.yaml --start --without-preflight --set test.start-clock=realtime --start-at next:1s --out started >started.out 2>started.err </dev/null &
started=$!

try 2 test spring.yaml --without-preflight --set 'test.rig=virtual' --set test.pace=rig --out none
complains "rig 'virtual' has no clock for a test"
try 2 test spring.yaml --without-preflight --set test.start-clock=realtime --start-at 2020-01-01T00:00:00Z --out past
complains 'has passed'
try 2 test spring.yaml --without-preflight --set test.start-clock=realtime --start-at tomorrow --out past
complains "'tomorrow' is not an instant"
try 2 test spring.yaml --without-preflight --set test.rig=virtual --as-fast-as-possible --start-at next:1s --out past
complains 'has no clock, and the test has a start instant'
[ ! -e past ] || fail 'a refused test made a record'

until_says 'the rig ticks at 1.03 ms, the case has 1 ms' wrong/events.log
kill -INT $wrong
wait $wrong && fail 'a test with a wrong clock should not end well'
! grep -q 'state ready' wrong/events.log || fail 'a test with a wrong clock was armed'

wait $led || { cat led.err; fail 'the test on the clock of the rig failed'; }
try 0 replay led
says '^identical'
period=$(at /clock/rig_period led/summary.json)
awk "BEGIN { exit !($period > 1.0001e-3 && $period < 1.0003e-3) }" || fail "the mean period is $period s, expected 1.0002e-3"

wait $started || { cat started.err; fail 'the test with a start instant failed'; }
try 0 replay started
says '^identical'
error=$(at /clock/start_error started/summary.json)
awk "BEGIN { e = $error; exit !(e < 0.5e-3 && e > -0.5e-3) }" || fail "t = 0 was $error s after the instant, expected half a tick"
is /clock/clock_source realtime started/summary.json
h5dump -a start_error started/result.h5 >/dev/null || fail 'result.h5 lacks start_error'
verdict "the clock of the rig leads, and t = 0 falls on its instant"
