#!/bin/sh
# SPDX-License-Identifier: MIT
# What check says about soil springs: the points of each law once, and of a long pile those of a few laws.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# The points of API: 0.0016 D and 0.3 pi D friction, ..., 0.1 D and Q.
try 0 check pile/springs
says '^p-y *open, points in mm and kN: .*, 11.24 97.61$'
says '^t-z *shaft, points in mm and kN: 0.96 22.62, 1.86 37.7, 3.42 56.55, 4.8 67.86, 6 75.4$'
says '^q-z *tip, points in mm and kN: 1.2 200, 7.8 400, 25.2 600, 43.8 720, 60 800$'
! grep -q '^soil' out || fail "there are no other laws"
try 0 check pile/springs --json
is /soil_springs/0/name open
is /soil_springs/1/kind t-z
is /soil_springs/2/force/4 800000

# 24 nodes across, 24 along in two soils, of which the ends and the interior differ in length.
try 0 check pile/pile
[ "$(grep -c '^p-y' out)" = 3 ] || fail "not three laws of p-y"
says '^t-z *shaft.3.t-z-y and [0-9]* more, points'
laws=$(sed -n 's/^soil *\([0-9]*\) other laws; interfield check --json prints the points of every spring$/\1/p' out)
try 0 check pile/pile --json
distinct=$(/usr/bin/python3 -c 'import json; print(len({(s["kind"], *s["deformation"], *s["force"]) for s in json.load(open("out"))["soil_springs"]}))')
[ "$((laws + 7))" = "$distinct" ] || fail "$laws other laws and 7 printed ones; all are $distinct"

# A specimen, and a substructure.
cat >joined.yaml <<'END'
time: {step: 1 ms, end: 0.1 s}
substructures:
  top: {model: {dofs: [x], mass: [1 t], stiffness: [1 MN/m]}}
  base: {model: {dofs: [x], mass: [1 t], elements: [{name: shaft, t-z: {at: x, diameter: 0.6 m, friction: 40 kPa}}]}}
joints: [top.x = base.x]
END
try 0 check joined.yaml
says '^t-z *base.shaft, points'
cat >tested.yaml <<'END'
time: {step: 1 ms, end: 0.1 s}
model: {dofs: [x], mass: [1 t], stiffness: [1 MN/m]}
specimen: [{name: sand, p-y: {at: x, depth: 1.5 m, diameter: 0.6 m, length: 10 mm, sand: {friction-angle: 35 deg, weight: 10 kN/m3, modulus: 22 MN/m3}},
            limits: {stroke: 100 mm, velocity: 1 m/s, acceleration: 10 m/s2}}]
END
try 0 check tested.yaml
says '^p-y *sand, points in mm and kN: .*, 11.24 0.9761$'

# The springs of a pile are in an exported model, that at the surface too.
if ! sanitized; then
    try 0 export-fmu pile/pile --interface head.x -o pile.fmu
    try 0 fmu pile.fmu --steps 20
fi
verdict 'points of soil springs'
