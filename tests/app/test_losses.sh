#!/bin/sh
# SPDX-License-Identifier: MIT
# A force that lags, friction, a clearance and a specimen that yields, on a rig in a process of its own without the library (late_rig.py): what
# characterise states and writes, and that the twin has the same lag. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
. "$IFD_SOURCE_DIR/tests/app/late_rig.sh"
case_with storey.yaml '    estimate: {stiffness: 600 kN/m}'

# found RIG...: the JSON in found.json, the text in out, the fragment in fragment.yaml
found() {
    switch_on delay=0.005 "$@"
    rm -f fragment.yaml
    try 0 characterise storey.yaml --as-fast-as-possible -o fragment.yaml
    cp "$(ls -d runs/storey-* | tail -1)/characterisation.json" found.json
}
# near PATH VALUE TOLERANCE
near() {
    at "$1" found.json >value
    [ -s value ] && awk -v x="$(cat value)" "BEGIN {d = x - ($2); exit !(d <= $3 && d >= -($3))}" || fail "$1 is $(cat value), expected $2 +- $3"
}
# kept KEY LOW HIGH: the twin of the fragment has it
kept() {
    sed -n "s/^  actuator: .*$1: \([0-9.e-]*\).*/\1/p" fragment.yaml >value
    awk -v x="$(cat value)" "BEGIN {exit !(x >= $2 && x <= $3)}" || fail "$1 of the twin is '$(cat value)', expected $2 to $3"
}
# forecast LINE: preflight with the twin of the fragment has it; without play and clearance nothing goes wrong
forecast() {
    case_with twin.yaml '    include: fragment.yaml'
    cp storey.characterisation.json twin.characterisation.json
    "$IFD_PROGRAM" preflight twin.yaml >out 2>err
    says "^[A-Za-z-]*  *$1"
    "$IFD_PROGRAM" preflight twin.yaml --set 'specimen.0.twin={actuator: {delay: {delay: 5 ms}}}' >out 2>err
    says '^[A-Za-z-]*  *error  *0\.00[0-9]* % rms'
}
# read_back KEY MM VALUE TOLERANCE: a virtual rig that has it is found to have it
read_back() {
    rm -f of-twin.yaml
    try 0 characterise storey.yaml --as-fast-as-possible --set test.rig=virtual --set "specimen.0.actuator={delay: {delay: 5 ms, $1: $2 mm}}" --json -o of-twin.yaml
    cp out found.json
    near "spring/$1" "$3" "$4"
}
lacks() { ! grep -q -- "$1" out || fail "stdout has '$1'"; }

found
near spring/force_lag 0 0.1e-3
near spring/rest 0 1e-3
lacks 'force lags\|loss\|play\|clearance\|yields\|uncertain'
lacks 'look-ahead'

# A load cell with a filter of 4 ms: stated, in the twin and in the compensation. A delay of 3 ms likewise.
found late=0.003
near spring/force_lag 0.00302 0.15e-3
says 'CAUTION  force lags position by \(2.9[0-9]*\|3\|3.[01][0-9]*\) ms, or more, if the specimen is damped'
found filter=0.004
near spring/force_lag 0.00396 0.15e-3
says 'CAUTION  force lags position by \(3.9[0-9]*\|4\|4.[01][0-9]*\) ms, or more, if the specimen is damped'
says 'damping hidden by the lag of the force'
grep -q '^compensation: .*look-ahead: 0.00\(39\|4\)' fragment.yaml || fail "no look-ahead: $(cat fragment.yaml)"
grep -q '^  force-sensor: .*lag: 0.00\(39\|4\)' fragment.yaml || fail "no lag in the twin: $(cat fragment.yaml)"
case_with twin.yaml '    include: fragment.yaml'
cp storey.characterisation.json twin.characterisation.json
"$IFD_PROGRAM" preflight twin.yaml >out 2>err
lacks '^[A-Za-z-]*  *force lag'
"$IFD_PROGRAM" preflight twin.yaml --set 'specimen.0.twin={actuator: {delay: {delay: 5 ms}}}' >out 2>err
says '^CAUTION *force lag .*spring: \(3.9[0-9]*\|4\|4.[01][0-9]*\) ms was measured, the twin has 0 s.*: use the twin'
try 0 characterise twin.yaml --as-fast-as-possible --set test.rig=virtual --set 'specimen.0.force-sensor={lag: 3.5 ms}' --json -o of-twin.yaml
cp out found.json
near spring/force_lag 0.0035 0.05e-3

found friction=100
near spring/force_lag 0 0.1e-3
near spring/friction 100 5
says 'loss [19][0-9.]* N at rest (friction, or the specimen)'
lacks clearance # friction that slides after a micrometre has no clearance
grep -q '^  actuator: {delay: .*friction: [19]' fragment.yaml || fail "no friction in the twin: $(cat fragment.yaml)"
found friction=100 filter=0.004
near spring/force_lag 0.00392 0.2e-3
near spring/friction 100 5
found damping=2400
near spring/force_lag -0.004 0.15e-3
lacks 'force lags'
says 'damping 2[34]'
found clearance=0.0005
near spring/clearance 0.0005 0.01e-3
near spring/stiffness 600000 1500 # outside of the clearance; the slope of the whole cycle is 5.1e5
grep -q '^estimate: {stiffness: \(599\|60[01]\)' fragment.yaml || fail "the clearance is in the estimate: $(cat fragment.yaml)"
lacks uncertain
says 'CAUTION  clearance 0.[45]'
kept clearance 0.000495 0.000505 # as the twin: the force of the dry run is that beyond the dead band
forecast 'error  *3\.[0-9]* % rms'
read_back clearance 0.5 0.0005 0.005e-3
found play=0.0002
near spring/play 0.00019 0.01e-3
says 'CAUTION  play 0.[12][0-9]* mm behind the position sensor'
lacks clearance
kept play 0.00018 0.0002
forecast 'error  *1\.[0-9]* % rms'
read_back play 0.2 0.00019 0.01e-3
# A gap of the case has its own clearance; a specimen that yields has its own loss.
cp storey.yaml plain.yaml
spring='spring: {between: \[ground, x\], stiffness: 600 kN\/m}'
sed -i "s/$spring/gap: {between: [ground, x], stiffness: 600 kN\/m, gap: 0.25 mm, side: both}/" storey.yaml
found clearance=0.0005
says 'CAUTION  clearance 0.[45]'
grep -q '^  actuator' fragment.yaml || fail 'no twin beside a gap'
! grep -q 'clearance:' fragment.yaml || fail "a gap has the clearance twice: $(cat fragment.yaml)"
cp plain.yaml storey.yaml
sed -i "s/$spring/bilinear: {between: [ground, x], stiffness: 600 kN\/m, yield: 20 mm, ratio: 0.1}/" storey.yaml
found friction=100
near spring/friction 100 5
grep -q '^  actuator' fragment.yaml || fail 'no twin beside a bilinear specimen'
! grep -q 'friction:' fragment.yaml || fail "a specimen with its own loss has friction in its twin: $(cat fragment.yaml)"
cp plain.yaml storey.yaml
# A specimen that yields at a third of the amplitude: the stiffness is that of small motions.
found yield=0.0008
near spring/stiffness 600000 6000
says 'the specimen yields: the stiffness is that of a quarter of the amplitude'
lacks CAUTION.*clearance
# A device of negative stiffness with the same filter.
sed -i 's/estimate: {stiffness: 600/estimate: {stiffness: -600/' storey.yaml
found stiffness=-600000 filter=0.004
near spring/force_lag 0.00396 0.15e-3
verdict "lag and losses are stated and written"
