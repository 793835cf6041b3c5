#!/bin/sh
# SPDX-License-Identifier: MIT
# What check says about many members with fibres, and how a run ends whose bounded Jacobian cannot correct them all.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# tall STOREYS: one bay, 3 members and 9 coordinates in each storey
tall() {
    masses=$(seq "$1" | sed 's/.*/s&c1: 5 t, s&c1.rz: 1e-6 kg m2, s&c2: 5 t, s&c2.rz: 1e-6 kg m2/' | paste -sd,)
    cat >"tall$1.yaml" <<END
time: {step: 1 ms, end: 10 ms}
ground: {signal: {sine: {amplitude: 1 m/s2, frequency: 1 Hz}}}
model:
  frame:
    materials:
      concrete: {concrete: {strength: 30 MPa, strain: 0.002, residual: 6 MPa, ultimate: 0.006}}
      bar: {steel: {young: 200 GPa, yield-stress: 420 MPa, hardening: 0.01}}
    sections:
      post: {fibres: [{rectangle: {material: concrete, width: 0.4 m, depth: 0.4 m, layers: 10}}, {bars: {material: bar, area: 9 cm2, at: [[0.15 m, 0 m], [-0.15 m, 0 m]]}}]}
    grid: {bays: 5 m, storeys: $1 x 3 m, columns: post, beams: post, beam-load: 5 kN/m}
  masses: {$masses}
  rayleigh: {mass: 0.3, stiffness: 0}
record: [displacement]
END
}
tall 6
tall 7
tall 20
try 0 check tall6.yaml
! grep -q '^jacobian' out || fail "54 coordinates are not many"
try 0 check tall7.yaml
says "^jacobian each step corrects 63 coordinates of fibre members; compare with 'jacobian: refactor', and with 'bounded' and 'tangent-cap: 63'$"
try 0 check tall7.yaml --set 'method={lsrt2: {jacobian: bounded}}'
! grep -q '^jacobian' out || fail "63 coordinates are within the cap of 64"
try 0 check tall20.yaml --set 'method={lsrt2: {jacobian: bounded}}'
says "^jacobian fibre members have 180 coordinates, but 'tangent-cap' is 64: .* fault TANGENT; use 'tangent-cap: 180' or 'jacobian: refactor'$"
try 1 run tall20.yaml --set 'method={lsrt2: {jacobian: bounded}}' --out bounded
complains 'bounded Jacobian: elements stiffened beyond the stability budget; raise tangent-cap or use exact'
for way in 'bounded, tangent-cap: 180' refactor; do
    try 0 check tall20.yaml --set "method={lsrt2: {jacobian: $way}}"
    ! grep -q '^jacobian' out || fail "$way needs no advice"
    try 0 run tall20.yaml --set "method={lsrt2: {jacobian: $way}}" --out "${way%%,*}-180"
done
verdict 'many members with fibres'
