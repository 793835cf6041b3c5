#!/bin/sh
# SPDX-License-Identifier: MIT
# A test on a rig server behind a network with latency, jitter, loss and a cut, over the authenticated link: the result is that of the test
# beside the specimen. Then the same test in two parts. Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Late ticks of a busy machine are none of the business of this file.
cat >site.yaml <<'END'
title: Column at a distant site
time: {step: 10 ms, end: 0.12 s}
method: lsrt2
model: {dofs: [x], mass: [10000], damping: [4000], stiffness: [2.0e+5]}
initial: {displacement: {x: 20 mm}}
specimen:
  - name: column
    spring: {between: [ground, x], stiffness: 150 kN/m}
    limits: {stroke: 50 mm, velocity: 500 mm/s, acceleration: 20 m/s2, force: 10 kN, tracking: 20 mm}
test:
  rig: {udp: {port: 4711, key: site.key, timeout: 60 s}}
  lambda: 8
  ticks-per-stage: 40
  ramp-in: 0.2 s
  settle: 0.05 s
  overrun: extrapolate
  late-for: 1000 s
  elastic: {delay: 12 ms, brake: 50 ms, patience: 0.1 s}
END
try 0 key site.key
try 0 test site.yaml --as-fast-as-possible --without-preflight --set test.rig=virtual --out beside
try 0 export beside --csv -o beside-csv

: >rig
"$IFD_PROGRAM" rig site.yaml --for 1000 --port 0 --key site.key >>rig 2>&1 </dev/null &
pid=$!
until_says '^serves' rig
port=$(sed -n 's/^serves.*port \([0-9]*\).*/\1/p' rig)
mkfifo line
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/relay.py" "$port" --delay 0.01 --jitter 0.8 --loss 0.05 --cut-after 900 --cut 0.8 <line >relay 2>&1 &
relay=$!
exec 9>line # the relay ends when this is closed
until_says '^relay' relay
through="--set test.rig.udp.port=$(sed -n 's/^relay //p' relay)"

# near RESULT: every displacement within 1e-3 of the peak of the test beside the specimen
near() {
    try 0 export "$1" --csv -o "$1-csv"
    /usr/bin/python3 - "$1-csv/columns.csv" beside-csv/columns.csv "${2:-0}" <<'END' || fail "$1 differs from the test beside the specimen"
import csv, sys
def read(name):
    rows = list(csv.reader(open(name)))
    names = rows[0]
    t = next(i for i, n in enumerate(names) if n.startswith("time"))
    x = next(i for i, n in enumerate(names) if n.startswith("x displacement"))
    out = {}
    for row in rows[1:]:
        out[round(float(row[t]), 5)] = float(row[x])
    return out
far, near = read(sys.argv[1]), read(sys.argv[2])
steps = [t for t in near if t > 0 and t > float(sys.argv[3]) and round(t * 100, 6) == round(t * 100)]
worst = max(abs(far[t] - near[t]) for t in steps) / max(abs(near[t]) for t in near)
print(f"{len(steps)} steps, largest difference {worst:.1e} of the peak")
sys.exit(not (worst < 1e-3 and len(steps) > 4))
END
}

# shellcheck disable=SC2086 # options are words
try 0 test site.yaml --start --without-preflight $through --out far
says '^elastic  *time took [0-9.]* times as long, at rest [0-9]* time'
grep -q '^joined' relay || fail "the line was not cut: $(cat relay)"
[ "$(at elastic/rests far/summary.json)" -ge 1 ] || fail 'the test did not rest while the line was cut'
near far
try 0 replay far
says identical

# shellcheck disable=SC2086
{
    try 0 test site.yaml --start --without-preflight $through --until 0.05s --out evening
    try 0 test site.yaml --start --without-preflight $through --continue evening --out morning
}
near morning 0.05
try 0 replay morning
says identical

# another key: nothing is moved
try 0 key other.key
# shellcheck disable=SC2086
try 1 test site.yaml --start --without-preflight $through --set test.rig.udp.key=other.key --set test.rig.udp.timeout=0.3s --out stranger

exec 9>&-
wait "$relay"
kill -INT "$pid"
wait "$pid"
verdict 'a distant site is tested as one beside, through latency, jitter, loss and a cut, in one part and in two; a stranger is not answered'
