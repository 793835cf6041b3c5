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
lacks '^  force lag'
"$IFD_PROGRAM" preflight twin.yaml --set 'specimen.0.twin={actuator: {delay: {delay: 5 ms}}}' >out 2>err
says '^  force lag .*spring: \(3.9[0-9]*\|4\|4.[01][0-9]*\) ms was measured, the twin has 0 s .*CAUTION: use the twin'
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
says 'CAUTION  clearance 0.[45]'
found play=0.0002
near spring/play 0.00019 0.01e-3
says 'CAUTION  play 0.[12][0-9]* mm behind the position sensor'
lacks clearance
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
