#!/bin/sh
# SPDX-License-Identifier: MIT
# Without a clock a test is stopped at eight times its planned ticks and tripped at nine, whatever keeps it going; its record has at most ten
# times. Here a window of 40 ms with a brake of 2 s makes simulated time 35 times slower, ramp-out included.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cat >slow.yaml <<'END'
time: {step: 20 ms, end: 30 s}
method: lsrt2
model: {dofs: [x], mass: 1000 kg, damping: 0, stiffness: 4 N/m}
initial: {displacement: {x: 10 mm}}
loads: [{at: x, force: 0.05 N}]
record: [x]
specimen:
  - name: s
    spring: {between: [ground, x], stiffness: 1 N/m}
    estimate: {stiffness: 1 N/m}
    limits: {stroke: 20 mm, velocity: 5 m/s, acceleration: 100 m/s2, force: 100 N, tracking: 200 mm}
test: {rig: virtual, ramp-in: 0.5 s, settle: 0.1 s, leave: start, elastic: {delay: 40 ms, brake: 2 s, patience: 4 s}}
END
# at_times FOLDER PLAN ORDER TIMES WORD: the tick of an automatic order is this number of planned ticks, and at most two fifths of one later
at_times() {
    tick=$(sed -n "s/.*  tick \([0-9]*\)  .*  order $3, automatic: the record has $5 times the planned ticks.*/\1/p" "$1/events.log")
    [ -n "$tick" ] || { fail "events.log of $1: $(cat "$1/events.log")"; return; }
    [ "$tick" -ge $(($4 * $2)) ] && [ "$tick" -le $(($4 * $2 + 2 * $2 / 5)) ] || fail "$1: $3 at tick $tick, planned are $2"
}
# The plan, in ticks of 10 ms: 30 s, 2 (40 mm/creep + sqrt(6 40 mm/(100 m/s2))), ramp-in, settling, run. The ramp-out from 10 mm takes 35 times
# 1.875 10 mm/creep and more: with 2 mm/s 330 s, three times the plan. Without a way back it is short.
try 1 test slow.yaml --as-fast-as-possible --without-preflight --set test.creep=20mm/s --set test.leave=stay --out stopped
says '^stop     the record has eight times the planned ticks, and a test without a clock ends there'
says '^aborted  automatically in state run: the record has eight times the planned ticks'
is outcome aborted stopped/summary.json
at_times stopped 6469 stop 8 eight
! grep -q 'order trip' stopped/events.log || fail 'a short ramp-out is tripped'
try 1 test slow.yaml --as-fast-as-possible --without-preflight --set test.creep=2mm/s --out tripped
is outcome tripped tripped/summary.json
at_times tripped 10069 stop 8 eight
at_times tripped 10069 trip 9 nine
[ "$(at rows tripped/summary.json)" -le 100690 ] || fail "$(at rows tripped/summary.json) rows, planned are 10069"

# Limits of acceleration that make the ramps long are in the plan.
sed 's/, elastic: {.*}}/}/' slow.yaml >gentle.yaml
try 0 test gentle.yaml --as-fast-as-possible --without-preflight --set time.step=100ms --set time.end=1s \
    --set 'specimen.0.limits.acceleration=1e-7 m/s2' --out gentle
says '^completed '
verdict 'a test without a clock is bounded'
