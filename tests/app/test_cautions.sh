#!/bin/sh
# SPDX-License-Identifier: MIT
# A caution is an outcome: exit status 3, the sentence on the terminal also with --quiet, at the top of the summary, in the report, in Python and
# in a column of a study. Notes of the set-up are none.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Newmark's method with gamma = 1/2 - d multiplies the energy of an undamped mass by 1 + d W^2/(1 + W^2/4) in each step, W = omega h = 0.1: after
# 200 steps it has made 1 - (...)^-200 of what is there, 9 % with d = 0.0473 and 11 % with d = 0.0584.
cat >made.yaml <<'END1'
time: {step: 10 ms, end: 2 s}
method: {newmark: {gamma: 0.4416}}
model: {dofs: [x], mass: 1 kg, stiffness: 100 N/m}
initial: {displacement: {x: 10 mm}}
END1
# One Newton iteration is not enough for a step through the corner of a spring that yields.
cat >newton.yaml <<'END1'
time: {step: 20 ms, end: 1 s}
method: {newmark: {iterations: 1}}
model: {dofs: [x], mass: 1 kg, elements: [{name: spring, bilinear: {between: [ground, x], stiffness: 100 N/m, ratio: 0.05, yield: 3 mm}}]}
initial: {displacement: {x: 10 mm}}
END1
for n in 'made of the energy, more than one tenth' 'newton the iterations of a step did not converge, first at'; do
    name=${n%% *}
    try 3 run $name.yaml --quiet --out $name
    [ ! -s out ] || fail "--quiet prints $(cat out)"
    complains "^interfield: caution: .*${n#* }"
    is /outcome 'completed with caution' $name/summary.json
    at /outcome_reason $name/summary.json | grep -q "${n#* }" || fail "$name: reason '$(at /outcome_reason $name/summary.json)'"
    [ "$(at /cautions/0 $name/summary.json)" = "$(at /outcome_reason $name/summary.json)" ] || fail "$name: the first caution is not the reason"
    try 0 report $name --out $name.html
    grep -q 'class="verdict caution">completed with caution</span> .*'"${n#* }" $name.html || fail "$name: the report does not begin with the caution"
    try 3 run $name.yaml --json --force --out $name
    is /outcome 'completed with caution'
done
# The error of blocks in the shortest step exceeds its tolerance while the stop is touched.
try 3 run rts-variable/stop --quiet --out inner
complains '^interfield: caution: the error exceeds its tolerance at the shortest inner step in [1-9][0-9]* steps$'
is /outcome 'completed with caution' inner/summary.json
try 3 run made.yaml --out shown
says '^completed with caution '
# sound ones are not touched
try 0 run made.yaml --set method.newmark.gamma=0.4527 --out useful
says '^completed '
is /outcome completed useful/summary.json
[ "$(at /cautions/0 useful/summary.json 2>/dev/null)" = '' ] || fail 'a caution below a tenth'
try 0 run newton.yaml --set method.newmark.iterations=20 --out converged
[ ! -s err ] || fail 'a converged run complains'
# a study counts such members, and has the sentence in a column
cat >many.study.yaml <<'END1'
case: made.yaml
vary: {gamma: {key: method.newmark.gamma, list: [0.4416, 0.4527, 0.44]}}
keep: {peak: {peak: x displacement}}
END1
try 0 study many.study.yaml --quiet --out many
complains '^interfield: 2 of the completed members have a caution (column .caution.), for example member 0: the time-integration method created'
try 0 study many.study.yaml --json --out again
is /with_caution 2
/usr/bin/python3 - many/study.csv <<'END1' || fail "study.csv: $(cat many/study.csv)"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [bool(r["caution"]) for r in rows] == [True, False, True] and all(r["outcome"] == "completed" and not r["reason"] for r in rows)
assert "more than one tenth" in rows[0]["caution"]
END1
# The structure of a test is judged by the same table; nearly all of it is computed here. A Taylor series of order 2 multiplies the energy by
# 1 + W^4/4 in each step: with W = 0.25 it has made 11 % after 120 steps.
cat >test.yaml <<'END1'
time: {step: 25 ms, end: 3 s}
method: {taylor: {order: 2}}
model: {dofs: [x], mass: 1 kg, stiffness: 100 N/m}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {at: x, stiffness: 0.1 N/m}
    estimate: {stiffness: 0.1 N/m}
    limits: {stroke: 100 mm, velocity: 5 m/s, acceleration: 200 m/s2, force: 10 N}
test: {rig: virtual, leave: start, settle: 0.1 s, ramp-in: 0.5 s}
END1
try 3 test test.yaml --as-fast-as-possible --without-preflight --quiet --out tested
complains '^interfield: caution: the time-integration method, with the forces that it received in time, created 1[01] % of the energy'
is /outcome 'completed with caution' tested/summary.json
grep -q 'end: completed with caution' tested/events.log || fail "events.log: $(tail -2 tested/events.log)"
try 0 recover tested --out recovered
is /outcome 'completed with caution' recovered/summary.json
try 0 test test.yaml --set method.taylor.order=4 --as-fast-as-possible --without-preflight --quiet --out sound

# Notes: a record without a unit, and a number without one beside others.
printf '0 0\n0.01 0.3\n0.02 0\n' >ground.csv
cat >bare.yaml <<'END1'
time: {step: 10 ms, end: 1 s}
ground: {record: ground.csv}
model: {dofs: [x], mass: 1 kg, elements: [{name: spring, bilinear: {between: [ground, x], stiffness: 100 N/m, ratio: 0.05, yield: 3}}]}
END1
try 0 check bare.yaml
says "^note  *'ground.csv' states no unit and is taken in m/s2: 3 samples, step 0.01 s, peak 0.3; 'unit' states another"
says "^note  *'yield: 3' has no unit and is in m; other keys beside it have units"
try 0 check bare.yaml --set ground.unit=g --set model.elements.0.bilinear.yield=3mm
lacks '^note'
verdict 'a caution is an outcome'
