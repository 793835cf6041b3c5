#!/bin/sh
# SPDX-License-Identifier: MIT
# Thresholds of the monitor from the certificate of preflight: used, recorded, replayed, and kept when a test continues. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cat >loop.yaml <<END
title: Mass on a delayed spring
time: {step: 1.953125 ms, end: 3 s}
model: {dofs: [x], mass: [1000], damping: [200]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {at: x, stiffness: 1e5 N/m}
    estimate: {stiffness: 1e5 N/m}
    actuator: {delay: {delay: 1 ms}}
    limits: {stroke: 100 mm, velocity: 5 m/s, acceleration: 200 m/s2, force: 100 kN, tracking: 50 mm}
test: {rig: virtual, leave: start, settle: 0.1 s, ramp-in: 0.5 s, monitor: {window: 100 s, growth-frequency: none}}
END
try 0 test loop.yaml --as-fast-as-possible --without-preflight --out plain
says 'monitor  without a certificate the delay is not judged'
certify loop.yaml
try 0 test loop.yaml --as-fast-as-possible --out judged
says 'monitor  delay margin'
try 0 replay judged
says 'identical'
at loop/extra_delay/value loop.certificate.json >margin
grep -q "test.thresholds={delay-margin: $(cut -c1-10 margin)" judged/result.journal || fail "the record lacks the margin $(cat margin)"

# the same certificate with a margin of 0.1 ms: the predicted delay is used up
try 1 test loop.yaml --set specimen.0.actuator.delay.delay=2.9ms --set 'test.thresholds={delay-margin: 1.02 ms, delays: [1 ms]}' --as-fast-as-possible --without-preflight --out held
grep -q 'fault LOOP_DELAY' held/events.log || fail "the margin of the certificate does not hold the test: $(cat held/events.log)"
try 0 replay held

# one half with the certificate, the other half without: numbers of a certificate are not part of the identity of a test
try 0 test loop.yaml --as-fast-as-possible --until 1s --out morning
try 0 test loop.yaml --as-fast-as-possible --without-preflight --continue morning --out evening
try 0 replay evening

# lead and damping: in the event log, the columns and the summary; a replay and a test in two halves have the same bits
cat >acts.yaml <<END
include: loop.yaml
set:
  time.end: 4 s
  specimen.0.actuator: {delay: {delay: 6 ms}}
  specimen.0.compensation: {inverse-1: {delay: 3 ms}}
  test.monitor: {caution: retune, act: note, hold: note, passivity: damp, most-damping: 3 kN s/m, damp-energy: 20 %, growth-frequency: none}
END
try 0 test acts.yaml --as-fast-as-possible --without-preflight --out acts
grep -q 'note LOOP_RETUNED: .*lead [0-9.]* ms' acts/events.log || fail "no lead in the event log: $(cat acts/events.log)"
grep -q 'note LOOP_DAMPED: ' acts/events.log || fail "no damping in the event log: $(cat acts/events.log)"
try 0 replay acts
says 'identical'
try 0 report acts
grep -q 'loop lead' acts/report.html && grep -q 'work of damping' acts/report.html || fail "the report does not show what the monitor did"
try 0 test acts.yaml --as-fast-as-possible --without-preflight --until 2s --out first
try 0 test acts.yaml --as-fast-as-possible --without-preflight --continue first --out second
try 0 replay second
says 'identical'
exit $((failures > 0))
