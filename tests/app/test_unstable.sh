#!/bin/sh
# SPDX-License-Identifier: MIT
# A buckled structure is refused by every command that would compute it, unless the case wishes it; then every result says so. A part that
# another part or a specimen holds is no finding.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cat >buckled.yaml <<'END'
time: {step: 10 ms, end: 1 s}
method: newmark
model:
  dofs: [x1]
  mass: [20 t]
  stiffness: [1 MN/m]
  elements: [{name: weight, leaning-column: {between: [ground, x1], load: 6 MN, height: 3 m}}]
loads: [{at: x1, force: 100 kN}]
END
found="the structure is unstable: its stiffness has 1 negative pivot; negative stiffness: 'weight'"
for command in check static modes 'run --out refused' 'stability' 'converge'; do
    # shellcheck disable=SC2086 # words
    try 2 $command buckled.yaml
    complains "$found"
done
[ ! -e refused ] || fail "a refused run has a result"
for command in check static modes 'run --out wished'; do
    # shellcheck disable=SC2086
    try 0 $command buckled.yaml --set model.unstable=yes
    cat out err | grep -q "$found ('unstable: yes')" || fail "$command does not say that the structure is unstable"
done
says 'completed an unstable structure: 1 s'
is /outcome completed wished/summary.json
is /outcome_reason "the structure is unstable ('unstable: yes')" wished/summary.json
try 0 report wished --out wished.html
grep -q "verdict\">completed</span> the structure is unstable" wished.html || fail "the report does not name it: $(grep -o 'class="verdict.\{80\}' wished.html)"
at /setup_notes/0 wished/summary.json | grep -q "$found" || fail "the note is not in the summary"
try 0 static buckled.yaml --set model.unstable=yes --json
at /setup_notes/0 | grep -q "$found" || fail "the note is not in --json"
# A negative matrix, a negative spring.
try 2 check buckled.yaml --set 'model.stiffness=[-1 MN/m]' --set 'model.elements=[]'
complains "negative stiffness: the matrix 'stiffness'"
try 2 check buckled.yaml --set 'model.elements=[{name: soft, spring: {at: x1, stiffness: -2 MN/m}}]'
complains "negative stiffness: 'soft'"
# Free, and exactly critical.
try 0 check buckled.yaml --set 'model.stiffness=[0]' --set 'model.elements=[]'
try 0 check buckled.yaml --set 'model.elements.0.leaning-column.load=3 MN'

# The specimen holds the structure; without enough of it the test is refused.
cat >held.yaml <<'END'
time: {step: 10 ms, end: 0.5 s}
method: lsrt2
model:
  dofs: [x1]
  mass: [20 t]
  elements: [{name: weight, leaning-column: {between: [ground, x1], load: 6 MN, height: 3 m}}]
loads: [{at: x1, force: 1 kN}]
specimen:
  - name: column
    spring: {at: x1, stiffness: 3 MN/m}
    estimate: {stiffness: 3 MN/m}
    limits: {stroke: 60 mm, velocity: 1 m/s, acceleration: 30 m/s2, force: 300 kN, tracking: 5 mm}
test: {rig: virtual, leave: stay}
END
try 0 check held.yaml
try 2 check held.yaml --set 'specimen.0.estimate.stiffness=1 MN/m'
complains "$found"
# One substructure buckles alone, the whole does not.
cat >parts.yaml <<'END'
time: {step: 1 ms, end: 0.1 s}
substructures:
  A: {model: {dofs: [a], mass: [10 t], elements: [{name: weight, leaning-column: {between: [ground, a], load: 6 MN, height: 3 m}}]}}
  B: {model: {dofs: [b], mass: [10 t], stiffness: [3 MN/m]}}
joints: ["A.a = B.b"]
coupling: staggered
method: lsrt2
END
try 0 check parts.yaml
try 2 check parts.yaml --set 'substructures.B.model.stiffness=[1 MN/m]'
complains "$found"
try 0 check parts.yaml --set 'substructures.B.model.stiffness=[1 MN/m]' --set 'substructures.A.model.unstable=yes'
verdict "buckled structures are refused or named"
