#!/bin/sh
# SPDX-License-Identifier: MIT
# Hinges, pivot hinges and self-centring braces as specimens: a test on an ideal virtual rig moves as the model does, and both come close to
# the reference solution of cases/hinges.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"

fast="--set time.step=1ms --set method=kr-alpha"
for law in takeda pivot flag; do
    estimate=$(sed -n 's/^.*name: lower.* stiffness: \([0-9]*\) kN.*$/\1/p' "$IFD_SOURCE_DIR/cases/hinges/$law.yaml") # kN/m
    whole=$IFD_SOURCE_DIR/cases/hinges/$law.yaml
    {
        sed '/name: lower/d' "$whole"
        echo 'specimen:'
        sed -n "s/^ *- {name: lower, \(.*\)}$/  - {name: lower, \1, estimate: {stiffness: $estimate kN\/m},/p" "$whole"
        echo '     limits: {stroke: 0.4 m, velocity: 3 m/s, acceleration: 80 m/s2, force: 30 kN, tracking: 0.1 m}}'
        echo 'test: {rig: virtual, leave: stay}'
    } >rig.yaml
    try 0 run "$whole" --set time.end=5.9s --out exact-$law
    # shellcheck disable=SC2086 # options are words
    try 0 run "$whole" $fast --set time.end=5.9s --out model-$law
    # shellcheck disable=SC2086
    try 0 test rig.yaml $fast --as-fast-as-possible --without-preflight --out test-$law
    try 0 compare exact-$law model-$law --columns 'x*displacement' --tolerance 0.1%
    try 0 compare model-$law test-$law --columns 'x*displacement' --tolerance 1e-9
done
verdict "hinges, pivot hinges and self-centring braces move as specimens as they do in the model"
