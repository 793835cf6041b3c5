#!/bin/sh
# SPDX-License-Identifier: MIT
# A brace along the chord of two nodes through the program: with a preload, erected under the loads, on two rigs, after a cut, with a
# reduced frame; each test and its replay. Characterisation, stability and a study of it. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cp "$IFD_SOURCE_DIR"/cases/braced-frame/*.yaml .
short='--set time.end=0.6s'
loaded='model.frame.members=[[a, b, column], [d, c, column], {from: b, to: c, section: beam, load: 20 kN/m}]'
fine='model.frame.members=[[a, b, column], {from: d, to: c, section: column, segments: 8}, {from: b, to: c, section: beam, segments: 8}]'

# tested NAME WORDS...: a test and its replay
tested() {
    name=$1
    shift
    # shellcheck disable=SC2086 # options are words
    try 0 test rig.yaml --as-fast-as-possible $short "$@" --out "$name"
    says '^completed 0.6 s'
    try 0 replay "$name"
    says '^identical'
}
# peak NAME COLUMN: of its result
peak() { awk -F'[:,]' -v name="\"$2\"" 'index($0, name) { found = 1 } found && /"value"/ { gsub(/ /, "", $2); print $2; exit }' "$1/summary.json"; }

tested plain
tested preload --set "$loaded" --set test.preload=yes --set specimen.0.force-offset=keep
tested erected --set "$loaded" --set specimen.0.brb.origin=loaded
tested cut --set 'model.masses={b: 25 t, c: 25 t, b.rz: 1 kg m2, c.rz: 1 kg m2}' --set 'cut={parts: {left: b, right: [b, c]}}'
tested full --set "$fine" --set 'model.frame.material.density=7850 kg/m3'
tested reduced --set "$fine" --set 'model.frame.material.density=7850 kg/m3' --set 'model.reduce={frequency: 60 Hz}'
[ "$(peak full 'brace deformation' | cut -c 1-9)" = "$(peak reduced 'brace deformation' | cut -c 1-9)" ] || fail 'the reduced frame moves otherwise'

# Without a preload the force of a brace that carries the load is not known.
try 2 check rig.yaml --set "$loaded"
complains "or the specimen 'origin: loaded' if it is erected in the gravity state"
try 0 check rig.yaml --set "$loaded" --set specimen.0.brb.origin=loaded
says 'q = 0.8 c.x + 0.6 c.y, counted from -63.5 um'
try 0 check frame.yaml --set "$loaded"
says 'q = 0.8 c.x + 0.6 c.y, starts at -7.8[0-9]* um'

# The brace of each bay on its own rig; a law of its own delays the second.
sed '/^test:/d' rig.yaml >two.yaml
cat >>two.yaml <<'CASE'
  - name: other
    spring: {between: [d, b], stiffness: 6 MN/m}
    limits: {stroke: 30 mm, velocity: 0.3 m/s, acceleration: 20 m/s2, force: 250 kN, tracking: 20 mm}
test:
  leave: stay
  rigs:
    - {name: one, virtual: {}, specimens: [brace], pace: own}
    - {name: two, virtual: {}, specimens: [other], stale-for: 400 ms, equalise: 12 ms}
CASE
# shellcheck disable=SC2086 # options are words
try 0 test two.yaml --as-fast-as-possible $short --out two
says '^completed 0.6 s'
try 0 replay two
says '^identical'

# A brace of a frame of reinforced concrete: a test with a preload starts and moves like the run with the brace as an element.
cp "$IFD_SOURCE_DIR/cases/rc-frame/frame.yaml" concrete.yaml
brace='{name: brace, spring: {between: [s0c1, s1c2], stiffness: 20 MN/m}'
on_rig='estimate: {stiffness: 20 MN/m}, limits: {stroke: 30 mm, velocity: 0.5 m/s, acceleration: 30 m/s2, force: 500 kN, tracking: 5 mm}'
try 0 run concrete.yaml --set "model.elements=[$brace}]" --out concrete-run
try 0 test concrete.yaml --as-fast-as-possible --set "specimen=[$brace, force-offset: keep, $on_rig}]" \
    --set 'test={rig: virtual, leave: stay, preload: {tolerance: 1e-9 m}}' --out concrete-test
try 0 replay concrete-test
says '^identical'
[ "$(peak concrete-run 's2c2.x displacement' | cut -c 1-10)" = "$(peak concrete-test 's2c2.x displacement' | cut -c 1-10)" ] ||
    fail 'the test with a preload moves otherwise than the run'

try 0 characterise rig.yaml --out found
says '^brace    stiffness [56].*e+07 N/m'
try 0 stability rig.yaml --set "$loaded" --set specimen.0.brb.origin=loaded
says '^stable'
says '4\.53[0-9]*  *Hz' # 4.53373031 Hz of an independent program with the brace in place of the specimen

cat >yield.study.yaml <<'CASE'
case: frame.yaml
set: {time.end: 1 s}
vary:
  yield: {key: model.elements.0.brb.yield-force, list: [100 kN, 150 kN]}
keep:
  peak: {peak: brace deformation}
CASE
try 0 study yield.study.yaml --out study
says '2; 2 completed'
verdict 'braces between two nodes pass through the program'
