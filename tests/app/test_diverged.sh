#!/bin/sh
# SPDX-License-Identifier: MIT
# A run that diverges is called so, with exit status 1, also where it ends before its numbers are absurd.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Central difference beyond its limit of 2/omega = 0.2 s: in 12 s the amplitude grows by 1e6, to some kilometres.
cat >explicit.yaml <<'END'
time: {step: 202 ms, end: 12 s}
method: central-difference
model: {dofs: [x], mass: 1 kg, stiffness: 100 N/m}
initial: {displacement: {x: 10 mm}}
END
try 1 run explicit.yaml --out explicit
says '^failed '
complains "the run diverged at .*dof 'x'"
complains 'try half the step'
grep -q '"outcome": *"diverged"' explicit/summary.json || fail 'the summary has another outcome'
grep -q '"name": *"DIVERGED"' explicit/summary.json || fail 'the summary has no fault'
try 0 run explicit.yaml --set time.step=198ms --out stable
says '^completed '

# Motion that grows by itself, because the structure feeds it, has not diverged.
cat >active.yaml <<'END'
time: {step: 5 ms, end: 4 s}
method: newmark
model: {dofs: [x], mass: 1 kg, stiffness: 100 N/m, damping: -1 N s/m}
initial: {displacement: {x: 10 mm}}
END
try 0 run active.yaml --out active
says '^completed '
# Less than that is a caution, from a tenth of the energy on. Newmark's method with gamma = 1/2 - d multiplies the energy of an undamped mass by 1 + d W^2/(1 + W^2/4) in each step, W = omega h = 0.1:
# after 200 steps it has made 1 - (...)^-200 of what is there, 9 % with d = 0.0473 and 11 % with d = 0.0584 (half a percent more or less, by the phase at the end).
cat >made.yaml <<'END'
time: {step: 10 ms, end: 2 s}
method: {newmark: {gamma: 0.4416}}
model: {dofs: [x], mass: 1 kg, stiffness: 100 N/m}
initial: {displacement: {x: 10 mm}}
END
try 0 run made.yaml --out made
says '^completed '
says 'energy balance 1[01]\.* *[0-9]* %'
says '^caution *the time-integration method created more than one tenth of the energy of this run'
grep -q '"caution": *"the time-integration method created more than one tenth' made/summary.json || fail 'the summary does not carry the caution'
try 0 run made.yaml --set method.newmark.gamma=0.4527 --out useful
says 'energy balance [89]\.[0-9]* %'
if grep -q '^caution' out || grep -q '"caution": *"' useful/summary.json; then fail 'a caution below a tenth'; fi
verdict 'runs that diverge are called so'
