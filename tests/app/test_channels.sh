#!/bin/sh
# SPDX-License-Identifier: MIT
# Channels and their tares as a laboratory sees them: on the rig in this process, and on one in a process of its own.
# Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-channels-XXXXXX") || exit 1
server=
cleanup() {
    [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
failures=0

# check NAME STATUS WANTED_STATUS FILE PATTERN
check() {
    if [ "$2" != "$3" ] || ! grep -q -e "$5" "$4"; then
        echo "FAILED: $1: status $2, expected $3; looked for '$5' in"
        cat "$4"
        failures=$((failures + 1))
    else
        echo "ok: $1"
    fi
}

# Until the rig in the background serves. Machines that run tests are busy.
until_serves() {
    tries=0
    until grep -qs '^serves' rig.log; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || { echo "FAILED: the rig does not serve: $(cat rig.log)"; exit 1; }
        sleep 0.2
    done
}

cat > "$work/day.yaml" <<'CASE'
title: A bearing whose sensors are off
time: {step: 4 ms, end: 0.4 s}
model: {dofs: [x], mass: [2 t], stiffness: [[200 kN/m]], damping: [[1 kN s/m]]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: bearing
    spring: {at: x, stiffness: 100 kN/m}
    estimate: {stiffness: 100 kN/m}
    actuator: {second-order: {frequency: 30 Hz, damping-ratio: 0.7}}
    position-sensor: {bias: 1.5 mm, noise: 20 um}
    force-sensor: {bias: -200 N, noise: 5 N, seed: 2}
    limits: {stroke: 100 mm, velocity: 1 m/s, acceleration: 50 m/s2, force: 20 kN, tracking: 5 mm}
channels:
  zero: day.zero.yaml
  stroke: {input: position 1, measures: position of bearing, unit: mm, sensitivity: 25, range: [-120, 120], zero-limit: 2}
  cell: {input: aux 3, measures: force of bearing, unit: kN, sensitivity: 10, sign: -1, range: [-30, 30], zero-limit: 0.5}
  top: {input: aux 1, unit: g, sensitivity: 0.5, range: [-20, 20], calibrated: 2026-09-01, twin: acceleration of bearing}
test: {leave: start, ramp-in: 0.3 s, overrun: extrapolate, late-for: 1000 s, stale-for: 60 s, stale-share: 1}
CASE
cd "$work" || exit 1
value() { # FILE NAME
    /usr/bin/python3 -c "import json,sys; print(next(c['value'] for c in json.load(open('$1'))['channels'] if c['name'] == '$2'))"
}
near() { # NAME VALUE EXPECTED TOLERANCE
    if ! awk "BEGIN {d = $2 - $3; exit !(d <= $4 && d >= -$4)}"; then
        echo "FAILED: $1: $2, expected $3 +- $4"
        failures=$((failures + 1))
    else
        echo "ok: $1"
    fi
}

timeout 200 "$IFD_PROGRAM" channels day.yaml --once > out 2>&1
check "channels of a rig in this process" $? 0 out "^stroke  *1\.4.* mm .*raw .*\[-*#-*\]"
check "a tare that is not there yet is no error" 0 0 out "day.zero.yaml' does not exist yet"
timeout 200 "$IFD_PROGRAM" zero day.yaml --for 0.5 > out 2>&1
check "sensors are tared" $? 0 out "^zeroed   cell: offset -0\.\(20\|199\)"
check "the file says by how much and when" $? 0 day.zero.yaml '^stroke: {zero: 1\.4.*, tared: "20.*Z"} # mm'
cp day.zero.yaml first.yaml
timeout 200 "$IFD_PROGRAM" channels day.yaml --json > out.json 2>&1
near "after it the stroke shows zero" "$(value out.json stroke)" 0 0.02
near "and the cell" "$(value out.json cell)" 0 0.005

timeout 200 "$IFD_PROGRAM" zero day.yaml --channels stroke --for 0.2 > out 2>&1
check "an older tare is kept under a number" $? 0 out "^previous .*day.zero.yaml.1"
cmp -s first.yaml day.zero.yaml.1 && check "as it was" 0 0 day.zero.yaml.1 stroke || check "as it was" 1 0 day.zero.yaml.1 stroke
check "the tare of a channel that was not chosen stays" 0 0 day.zero.yaml "$(grep '^cell' first.yaml | cut -c1-30)"
cp day.zero.yaml before.yaml
timeout 200 "$IFD_PROGRAM" zero day.yaml --for 0.2 --set specimen.0.force-sensor.bias=-600 > out 2>&1
check "a sensor that is too far off is refused" $? 1 out "cell' needs a total offset of -0\.\(60\|599\).* kN, above its zero-limit of 0.5"
cmp -s before.yaml day.zero.yaml; check "and nothing is tared then" $? 0 before.yaml stroke
timeout 200 "$IFD_PROGRAM" zero day.yaml --channels top > out 2>&1
check "a channel without a zero-limit is never tared" $? 2 out "channel 'top' has no zero-limit"
timeout 200 "$IFD_PROGRAM" zero day.yaml --channels tip > out 2>&1
check "an unknown one is named" $? 2 out "unknown channel 'tip'"

timeout 200 "$IFD_PROGRAM" test day.yaml --as-fast-as-possible --out r1 > out 2>&1
check "a test with tared sensors" $? 0 out "^completed"
check "its summary holds the tares" 0 0 r1/summary.json '"zero": 1\.4'
timeout 200 "$IFD_PROGRAM" replay r1 > out 2>&1
check "and it replays with the tares it had" $? 0 out identical
mv day.zero.yaml away.yaml
timeout 200 "$IFD_PROGRAM" replay r1 > out 2>&1
check "wherever the file has gone" $? 0 out identical
mv away.yaml day.zero.yaml

# The same over shared memory and datagrams: raw numbers on the wire, in lockstep no clock can be late.
for way in "shm: {name: ifd-channels-$$, lockstep: yes, timeout: 60 s}" "udp: {port: 0}"; do
    kind=${way%%:*}
    rm -f rig.log # what the one before said must not be taken for this one's
    if [ "$kind" = shm ]; then
        "$IFD_PROGRAM" rig day.yaml --shm "ifd-channels-$$" --for 1000 --watchdog 60 > rig.log 2>&1 &
    else
        "$IFD_PROGRAM" rig day.yaml --port 0 --for 1000 --watchdog 60 > rig.log 2>&1 &
    fi
    server=$!
    until_serves
    port=$(sed -n 's/^serves .* port \([0-9]*\).*/\1/p' rig.log)
    [ "$kind" = udp ] && way="udp: {port: $port, timeout: 60 s}"
    timeout 200 "$IFD_PROGRAM" channels day.yaml --json --set "test.rig={$way}" > out.json 2>&1
    near "$kind: the stroke of a rig elsewhere" "$(value out.json stroke)" 0 0.05
    timeout 200 "$IFD_PROGRAM" zero day.yaml --channels cell --for 0.3 --set "test.rig={$way}" > out 2>&1
    check "$kind: tared from here" $? 0 out "^zeroed   cell"
    if [ "$kind" = shm ]; then
        timeout 200 "$IFD_PROGRAM" test day.yaml --without-preflight --as-fast-as-possible --out r2 --set "test.rig={$way}" > out 2>&1
        check "$kind: a test in raw numbers" $? 0 out "^completed"
    fi
    kill "$server" 2>/dev/null
    wait "$server" 2>/dev/null
    server=
done

# Two actuators on one head, one of them keeping a force: the same numbers from a rig in another process, bit by bit.
cp -r "$IFD_SOURCE_DIR/cases/column-mixed" column
rm -f rig.log
"$IFD_PROGRAM" rig column/column.yaml --shm "ifd-column-$$" --for 1000 --watchdog 60 > rig.log 2>&1 &
server=$!
until_serves
for where in near far; do
    rig=virtual
    [ $where = far ] && rig="{shm: {name: ifd-column-$$, lockstep: yes, timeout: 60 s}}"
    timeout 200 "$IFD_PROGRAM" test column/column.yaml --without-preflight --as-fast-as-possible --csv --out $where \
        --set time.end=1s --set "test.rig=$rig" > out 2>&1
    check "$where: a column under mixed control" $? 0 out "^peaks    gravity .* largest force error"
    cut -d, -f6- $where/result.csv > $where.csv
done
cmp -s near.csv far.csv
check "near and far are equal" $? 0 out "^completed"
kill "$server" 2>/dev/null
wait "$server" 2>/dev/null
server=

timeout 200 "$IFD_PROGRAM" channels "$IFD_SOURCE_DIR/cases/three-actuators/block.yaml" --once > out 2>&1
check "without channels in the case, positions and forces" $? 0 out "^foot2 force "
exit $((failures > 0))
