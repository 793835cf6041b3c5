#!/bin/sh
# SPDX-License-Identifier: MIT
# Preflight repeats the dry run with the load cell of a controlled force stuck, clipped and with gain 0.3, and judges the true force by the capacity.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"
cases=$IFD_SOURCE_DIR/cases
row() { # EXPECTED SETTINGS...
    expected=$1
    shift
    "$IFD_PROGRAM" preflight "$cases/column-mixed/column.yaml" --set time.end=2s "$@" --out . >out 2>err
    grep '^[A-Za-z-]*  *load cell ' out | grep -Eq -- "$expected" || fail "$*: $(grep 'load cell ' out)"
}
kn='[0-9.]+ kN'
# a cell that sticks at 98 % of 400 kN: a tenth of its limit, at 200 MN/m against 150 MN/m of the loop, is 107 kN more
row "^ok +load cell +true force of gravity with its cell wrong: (49|50|51)[0-9.]* kN stuck, $kn clipped at half the force, $kn with gain 0.3$"
# 200 MN/m against 150 MN/m of the loop: a clipped cell shows 200 kN, and the loop goes on to the limit of its error
row '^ok ' --set 'force-control.0.capacity={force: 600 kN}'
row '^NO-GO .*: beyond the capacity of the specimen' --set 'force-control.0.capacity={force: 250 kN}'
# without the guards of the force loop nothing stops it: the true force is far above the target of 400 kN
row '[0-9.]+ MN (stuck|clipped|with)' --set test.force-stuck=off --set force-control.0.error=10MN --set force-control.0.limits.force=20MN \
    --set drives.0.actuators.1.limits.force=20MN
row '^NO-GO ' --set test.force-stuck=off --set force-control.0.error=10MN --set force-control.0.limits.force=20MN \
    --set drives.0.actuators.1.limits.force=20MN --set 'force-control.0.capacity={force: 600 kN}'
# a case without a controlled force has no such row
"$IFD_PROGRAM" preflight bridge/hybrid --set time.end=1s --out . >out 2>err
! grep -q '^[A-Za-z-]*  *load cell ' out || fail 'a row without a controlled force'
verdict 'the load cell of a controlled force is not trusted'
