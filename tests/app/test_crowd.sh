#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 7 s
# The live page in a crowd that means harm: orders are answered, malformed hosts refused. Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-crowd-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >spring.yaml <<'END'
time: {step: 2 ms, end: 600 s}
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
loads: [{at: x, force: {sine: {amplitude: 1 kN, frequency: 2 Hz}}}]
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 20 mm}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-for: 1000 s}
END
timeout 600 /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/live_crowd.py"
