#!/bin/sh
# SPDX-License-Identifier: MIT
# Compensation of a drive with two coupled actuators through the program: preflight knows it, limits hold, a replay is identical, what is wrong is
# said. Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
case=$IFD_SOURCE_DIR/cases/compensators/platform.yaml
plant='coefficients: [1, 0.01447, 1.119e-4]'

i=0
for compensation in \
    '{decoupling: {velocity: [[0.01447, 0.003095], [0.003095, 0.01447]], acceleration: [[1.119e-4, 4.577e-5], [4.577e-5, 1.119e-4]], doubt: 0.1}}' \
    "{cats: {$plant}}" "{lqg: {$plant}}" '{upper-bound: {bound: 20 ms}}' \
    '{energy-damping: {stiffness: 800 kN/m, most: 10 kN s/m, look-ahead: 14.5 ms}}'; do
    i=$((i + 1))
    try 0 test "$case" --set time.end=1s --set "drives.0.compensation=$compensation" --as-fast-as-possible --out "r$i"
    says '^completed 1 s'
    try 0 replay "r$i"
    says '^identical [0-9 ]* ticks'
done

# The coupled inverse is stable, and each dof alone without compensation is not.
try 0 preflight "$case" --set time.end=1s --as-fast-as-possible --out .
says '^GO'
try 1 preflight "$case" --set time.end=1s --as-fast-as-possible --out . --set drives.0.compensation=none
says 'UNSTABLE'

# A limit of an actuator acts on what the compensation commands.
try 1 preflight "$case" --set time.end=1s --as-fast-as-possible --out . --set drives.0.actuators.1.limits.stroke=20mm
says 'dry run .*outside its stroke'

try 2 check "$case" --set 'drives.0.compensation={decoupling: {}}'
complains "compensation 'decoupling': the matrices have 1 row, expected 2, one per dof of the drive"
try 2 check "$case" --set 'specimen.0.compensation={taylor: {delay: 3 ms}}'
complains "'heave' has a compensation, and its drive has a compensation"
try 2 test "$IFD_SOURCE_DIR/cases/compensators/inverse.yaml" --as-fast-as-possible --out alone \
    --set 'specimen.0.compensation={decoupling: {velocity: [[0.01, 0], [0, 0.01]]}}'
complains "the matrices have 2 rows, but the case has no 'drives': expected 1 x 1"
verdict "compensation of a drive is known to preflight, limits and replay"
