#!/bin/sh
# SPDX-License-Identifier: MIT
# Where a specimen comes to rest after a trip, judged by its capacity: as predicted NO-GO, at the velocity limit CAUTION, unknown on a real rig CAUTION.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# An actuator of 15 Hz and 0.7, tick 1 ms, 300 kN/m: at the velocity limit of 0.5 m/s the bound is 7.927 + 3.125 + 0.532 = 11.58 mm, 3.475 kN.
cat >spring.yaml <<'END'
time: {step: 2 ms, end: 4 s}
method: lsrt2
loads: [{at: x, force: {sine: {amplitude: 6 kN, frequency: 0.79577471545947667 Hz}}}]
model: {dofs: [x], mass: 1 t, stiffness: 300 kN/m, damping: 5 kN s/m}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 300 kN/m}
    estimate: {stiffness: 300 kN/m}
    actuator: {second-order: {frequency: 15 Hz, damping-ratio: 0.7}}
    compensation: {polynomial: {delay: 15 ms, order: 3}}
    limits: {stroke: 50 mm, velocity: 0.5 m/s, acceleration: 40 m/s2, force: 6 kN, tracking: 5 mm}
test: {leave: start}
END
at_rest() { # ROW SETTINGS...: the row of preflight
    expected=$1
    shift
    "$IFD_PROGRAM" preflight spring.yaml "$@" --out . >out 2>err
    grep '^[A-Za-z-]*  *stopping ' out | grep -Eq -- "$expected" || fail "$*: $(grep 'stopping ' out)"
}
number='[0-9.]+ k?N'
at_rest "^ok +stopping +force \\+$number as predicted, \\+$number at the velocity limit \\(travel [0-9.]+ m?m, 11.6 mm\\)$"
at_rest "\\+3.4[78] kN at the velocity limit"
at_rest '^ok ' --set 'specimen.0.capacity={force: 20 kN, stroke: 100 mm}'
at_rest '^CAUTION .*: beyond the capacity if it runs away' --set 'specimen.0.capacity={force: 8 kN}'
at_rest '^CAUTION .*: beyond the capacity if it runs away' --set 'specimen.0.capacity={stroke: 55 mm}'
at_rest '^NO-GO .*: beyond the capacity of the specimen' --set 'specimen.0.capacity={force: 6.1 kN}'
at_rest '^NO-GO .*: beyond the capacity of the specimen' --set 'specimen.0.capacity={stroke: 50.1 mm}'
at_rest '^ok ' --set 'specimen.0.capacity={force: 8 kN}' --set specimen.0.limits.velocity=0.1m/s
# a real rig: its capacity must be known
at_rest '^CAUTION .*: state what the specimen tolerates' --set 'test.rig={udp: {port: 9}}'
at_rest '^ok ' --set 'test.rig={udp: {port: 9}}' --set 'specimen.0.capacity={force: 20 kN, stroke: 100 mm}'
verdict 'a limit is where braking begins'
