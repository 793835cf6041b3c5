#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 10 s
# A test whose measurements are missing is not armed, or not plainly completed: stale.py.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"
scene() { # scene STATUS NAME: a machine on which the rig answers late gets 8 times, then 64 times the patience
    for patience in 1 8 64; do
        rm -rf result
        /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/stale.py" "$2" $patience >out 2>err
        got=$?
        grep -q '^no rig answered' err || [ $got != "$1" ] || return
    done
    fail "$2: exit status $got, expected $1"
}
scene 0 sound
says '^completed '
is stale_fraction 0 result/summary.json
scene 1 fourth
says '^waiting  too few ticks of the last second had a new measurement'
complains 'NOT_ARMED .*value 0\.2[0-9]*, limit 0\.95'
scene 1 ordered
says '^arm      refused: 2[0-9.]* % of the ticks of the last second had a new measurement, 95 % are required'
scene 3 tenth
says '^completed with caution .* · [0-9]* % of the run without a new measurement'
complains '^interfield: caution: 1[0-9]\.[0-9] % of the ticks of the run had no new measurement; test: {stale-share: 5 %} permits fewer'
is outcome 'completed with caution' result/summary.json
try 0 report result --out report.html
grep -q 'Measurements: missed</b>: 1[0-9] % of the ticks of the run had no new one; 5 % are permitted' report.html || fail 'the report lacks the share'
try 0 recover result --out recovered
is outcome 'completed with caution' recovered/summary.json
try 0 replay result
scene 0 few
says '^completed .* · [34][0-9.]* % of the run without a new measurement'
scene 0 permitted
# the network of such a rig is a row of preflight until it is measured; in lockstep it costs time only
for how in yes no; do
    "$IFD_PROGRAM" preflight case.yaml --set time.end=1s --set "test.rig={udp: {port: 9, lockstep: $how}}" >out 2>err
    [ "$(grep -c '^[A-Za-z-]*  *network .*not measured' out)" = $([ $how = yes ] && echo 0 || echo 1) ] || fail "lockstep: $how"
done
verdict 'missing measurements are named'
