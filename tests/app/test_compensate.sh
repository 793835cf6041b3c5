#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# interfield compensate: the table, its JSON, the line to paste against what preflight says of it, exit statuses. Sees IFD_PROGRAM,
# IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cat >spring.yaml <<'END'
title: A spring on the rig
time: {step: 2 ms, end: 1 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [4000], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 40 mm}
    actuator: {second-order: {frequency: 20 Hz, damping-ratio: 0.7}}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s}
END

# A row for every compensator, in their order; one is the best and says why.
try 0 compensate spring.yaml
[ ! -s err ] || fail "stderr is not empty"
"$IFD_PROGRAM" list compensators --json >list
says "^actuator 'spring': delay 10.6 ms"
says "limits reduce .* commands"
says "^best: polynomial, smallest rms error of those that are stable"
# noted COMPENSATOR TEXT: the line below its row
noted() { grep -A1 "^[ *] $1 " out | grep -q "^    $2" || fail "below the row of $1: $(grep -A1 "^[ *] $1 " out)"; }
noted energy-damping 'cannot be used: it needs the stiffness of the specimen: estimate'
[ "$(grep -c '^\*' out)" = 2 ] || fail "the best is not marked in both tables"
for name in none polynomial taylor inverse-1 inverse-2 inverse-3 phase-lead pi-lead upper-bound adaptive-series adaptive-model; do
    says "^[ *] $name  *[0-9.]* ms "
    says "^[ *]   compensation: .*$name"
done
cp out table

# What the row says is what preflight says of the case with its line.
try 0 compensate spring.yaml --json
is best polynomial
is compensators/1/compensator polynomial
is compensators/1/usable true
is compensators/1/acceleration_limit 100
is compensators/8/compensator upper-bound
is compensators/8/noise_gain_force null
is compensators/8/noise_gain_position null # which position decides is not linear: 0 would be wrong
line=$(at compensators/1/line/spring)
[ "$line" = "$(sed -n 's/^\*   //p' table)" ] || fail "the line of the JSON is '$line'"
at compensators/1/delay_margin/value >margin
at compensators/1/error_rms >rms
awk -v line="    $line" '{ print } /^    actuator:/ { print line }' spring.yaml >pasted.yaml
"$IFD_PROGRAM" preflight pasted.yaml --as-fast-as-possible --json >out 2>err
is loop/extra_delay/value "$(cat margin)"
is dry_run/error_rms "$(cat rms)"

# A compensator of the case keeps its settings.
try 0 compensate spring.yaml --set 'specimen.0.compensation={taylor: {delay: 9 ms, order: 1}}' --look-ahead 1ms
noted taylor 'settings of the case'
says "compensation: {taylor: {delay: 0.009 s, order: 1}}"
says "compensation: {inverse-1: {delay: 0.0106[0-9]* s, look-ahead: 0.001 s}}"

# A load cell that lags needs a position that is early, unless the user states otherwise.
try 0 compensate spring.yaml --set 'specimen.0.force-sensor={lag: 4 ms}'
says "compensation: {inverse-1: {delay: 0.0106[0-9]* s, look-ahead: 0.004 s}}"
"$IFD_PROGRAM" compensate spring.yaml --set 'specimen.0.force-sensor={lag: 4 ms}' --look-ahead 0 >out 2>err
says "compensation: {inverse-1: {delay: 0.0106[0-9]* s}}"

# Some can be used, but none within the limits: nothing is recommended.
try 1 compensate spring.yaml --set specimen.0.limits.acceleration=1m/s2 --set specimen.0.limits.velocity=30mm/s
says '^best: no compensator is within margins and limits; .* has the smallest rms error, but: '
! grep -q '^\*' out || fail 'one is recommended'

# An error above the bound of preflight is not recommended either; 2, 4 and 8 times slower, the first one that works is printed.
try 1 compensate spring.yaml --set test.error-bound=0.5% --set 'specimen.0.actuator={delay: {delay: 12 ms}}'
noted polynomial 'rms error above the bound of 0.5 %'
says '^slower  *[a-z0-9-]*, error 0.[0-9]* % rms, with test: {lambda: [248], ticks-per-stage: [248]}'
[ "$(grep -c '^\*   compensation: ' out)" = 1 ] || fail 'there is no line for the slower test'

# None can be used: 60 ms late, and a tracking limit that trips at once.
try 1 compensate spring.yaml --set 'specimen.0.actuator={delay: {delay: 60 ms}}' --set specimen.0.limits.tracking=1um
noted none 'cannot be used: unstable: .* Hz grows'
says "cannot be used: the dry run trips at"
says "^best: no compensator can be used"
lacks 'line for the case file'
try 0 compensate spring.yaml --set specimen.0.actuator=ideal
noted taylor 'cannot be used: the actuator has no delay'
says "^best: none, the only compensator"

# All actuators of a drive are named; the second one moves three times as far, and the slowest one decides where both move a dof.
cat >pair.yaml <<'END'
title: Two springs on one drive
time: {step: 4 ms, end: 0.5 s}
method: lsrt2
model:
  dofs: [x, y]
  mass: [[1000, 0], [0, 1000]]
  damping: [[4000, 0], [0, 4000]]
  stiffness: [[4.0e+5, 0], [0, 4.0e+5]]
initial: {displacement: {x: 10 mm, y: 10 mm}}
specimen:
  - name: sway
    spring: {at: x, stiffness: 2e5 N/m}
    limits: &dof {stroke: 50 mm, velocity: 2 m/s, acceleration: 2000 m/s2, force: 50 kN, tracking: 40 mm}
  - {name: heave, spring: {at: y, stiffness: 2e5 N/m}, limits: *dof}
drives:
  - name: pair
    dofs: [sway, heave]
    matrix: [[1, 0], [0, 3]]
    actuators:
      - name: near
        actuator: {second-order: {frequency: 40 Hz, damping-ratio: 0.7}}
        limits: &reach {stroke: 0.3 m, velocity: 9 m/s, acceleration: 2000 m/s2, force: 50 kN, tracking: 90 mm}
      - {name: far, actuator: {second-order: {frequency: 20 Hz, damping-ratio: 0.7}}, limits: *reach}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, leave: stay}
END
try 0 compensate pair.yaml --set 'drives.0.matrix=[[1, 1], [1, -1]]'
says "^actuator 'near' of drive 'pair': delay 4.57 ms, static gain 1$"
says "^actuator 'far' of drive 'pair': delay 10.1 ms, static gain 1, used for the settings$"
try 0 compensate pair.yaml --json
is actuators/0/name near
is actuators/0/drive pair
is actuators/0/used true
is actuators/1/name far
is actuators/1/used true
is compensators/1/acceleration_of far
is compensators/1/noise_gain_of far

try 2 compensate spring.yaml --look-ahead 11s
complains "look-ahead: found '11s', expected a time from -10 s to 10 s"
# a measured delay, instead of the actuator of the case, and of a real rig without a twin
try 0 compensate spring.yaml --delay 18ms
says "^rig      a pure delay of 18 ms in the actuator, instead of that of the case"
says "^actuator 'spring': delay 18 ms, static gain 1"
sed '/^ *actuator:/d' spring.yaml >bare.yaml
try 2 compensate bare.yaml --set 'test.rig={udp: {port: 9}}'
complains "neither 'twin' nor 'actuator'"
"$IFD_PROGRAM" compensate bare.yaml --set 'test.rig={udp: {port: 9}}' --delay 18ms >out 2>err
says "^rig      a pure delay of 18 ms in the actuator, instead of the twin of the case"
says "^actuator 'spring': delay 1[89]"
try 2 compensate spring.yaml --delay 18
complains "delay: found '18', expected a time from 0 s to 1 s, such as 18ms"
try 2 compensate "$IFD_SOURCE_DIR/cases/column-mixed/column.yaml" --delay 18ms
complains '.*delay is for specimens with one actuator each'
grep -v '^test:' spring.yaml >computed.yaml
try 2 compensate computed.yaml
complains "the section 'test', which names the rig, is missing"
try 2 compensate

# with an estimate: its stiffness, and 0.2 of 1000 kg per tick of 1 ms
try 0 compensate spring.yaml --set 'specimen.0.estimate={stiffness: 200 kN/m}'
says "{energy-damping: {stiffness: 200000, most: 200000, look-ahead: 0.0106"
try 0 compensate spring.yaml --set 'specimen.0.estimate={stiffness: 200 kN/m}' --look-ahead 4ms --set test.error-bound=20%
says "{energy-damping: {stiffness: 200000, most: 200000, look-ahead: 0.0146"
verdict "a table of compensators, each as preflight finds it"
