#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 4 of the first, never with sanitizers
# A whole day in a laboratory against a rig in a process of its own (docs/start/test-day.md): channels shown and zeroed, characterisation, its
# fragment included, preflight and dry run, rehearsal, elastic shakedown, the test with preload, hold and resume, ramp-out to zero force,
# export; and a slow test over two days. The rig waits for each command (lockstep), so that a busy machine changes nothing.
# Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-day-XXXXXX") || exit 1
server=
cleanup() {
    [ -n "$server" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
failures=0
: >out
: >err
: >rig.log
# shellcheck disable=SC2046 # flags are words
${CC:-cc} -o json_ok "$IFD_SOURCE_DIR/tests/app/json_ok.c" $(pkg-config --cflags --libs libfyaml) || exit 1

fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    echo "    stdout: $(head -c 900 out)"
    echo "    stderr: $(head -c 900 err)"
}
try() {
    wanted=$1
    shift
    timeout 300 "$IFD_PROGRAM" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$wanted" ] || fail "interfield $*: exit status $got, expected $wanted"
}
# A preflight that allows the test: a busy machine may turn its verdict into a caution, whose exit status is 3.
certify() {
    timeout 300 "$IFD_PROGRAM" preflight "$@" >out 2>err </dev/null
    got=$?
    wanted=0
    ! grep -q 'GO WITH CAUTION' out || wanted=3
    [ "$got" = $wanted ] || fail "interfield preflight $*: exit status $got, expected $wanted"
}
says() { grep -q -- "$1" out || fail "stdout lacks '$1'"; }
complains() { grep -q -- "$1" err || fail "stderr lacks '$1'"; }
logs() { grep -q -- "$2" "$1/events.log" || fail "$1/events.log lacks '$2': $(cat "$1/events.log")"; }
at() { ./json_ok "$2" <"$1"; }
# near WHAT VALUE EXPECTED TOLERANCE
near() {
    awk "BEGIN {d = ($2) - ($3); exit !(d <= ($4) && d >= -($4))}" || fail "$1 is $2, expected $3 +- $4"
}
# Until a program in the background has said a line. Machines that run tests are busy.
until_says() { # PATTERN FILE
    tries=0
    until grep -qs -- "$1" "$2" || [ $tries = 3000 ]; do
        sleep 0.04
        tries=$((tries + 1))
    done
}
# Measured position (mm) of the device as the rig says it now.
stands() {
    timeout 200 "$IFD_PROGRAM" channels frame.yaml --json >now.json 2>err || fail "channels: $(cat err)"
    /usr/bin/python3 -c "import json; print(next(c['value'] for c in json.load(open('now.json'))['channels'] if c['name'] == 'stroke'))"
}

switch_off() {
    [ -n "$server" ] && kill "$server" && wait "$server"
    server=
}
# A rig of that case with a specimen nobody has moved yet, in a process of its own.
switch_on() {
    switch_off
    : >rig.log
    "$IFD_PROGRAM" rig "$1" --shm "$shm" --for 1000 --watchdog 60 >rig.log 2>&1 </dev/null &
    server=$!
    until_says '^serves' rig.log
}

shm=ifd-day-$$
# The shipped case, with a name of its own for the shared memory.
cp "$IFD_SOURCE_DIR"/cases/test-day/*.yaml .
sed -i "s/name: test-day,/name: $shm,/" frame.yaml

# Morning: the rig is switched on; its channels are looked at and zeroed.
switch_on frame.yaml
try 0 channels frame.yaml --once
says '^stroke  *0\.[78]'
try 0 zero frame.yaml --for 0.5
says '^zeroed   stroke: offset 0\.[78]'
near 'the stroke after zero' "$(stands)" 0 0.02

# What stands there: the closed form of the lag is 2 z / w less half a tick, for a command is held for the tick before its instant.
try 0 characterise frame.yaml --as-fast-as-possible --out runs/characterise -o device.yaml --json
near 'delay (ms)' "$(at out /device/delay) * 1e3" '2e3 * 0.7 / (2 * 3.14159265 * 25) - 1' 0.1
near 'stiffness (N/m)' "$(at out /device/stiffness)" 4e5 4e3
[ -s runs/characterise/result.h5 ] && [ -s runs/characterise/events.log ] || fail "the characterisation left no record"
try 2 characterise frame.yaml --as-fast-as-possible -o device.yaml
complains 'an earlier characterisation is not overwritten'
sed -i 's/# include: device.yaml/include: device.yaml/' frame.yaml
grep -q '^compensation: {polynomial: {delay: 0.00[78]' device.yaml || fail "no delay in the fragment: $(cat device.yaml)"

# Before anything moves far: preflight, dry run on the twin, rehearsal.
try 2 test frame.yaml --as-fast-as-possible --out early
complains 'preflight'
certify frame.yaml
says '^GO'
try 0 run frame.yaml --out truth
try 0 test frame.yaml --set test.rig=virtual --as-fast-as-possible --out dry
says '^completed'
peak=$(at truth/summary.json '/peaks/x2 displacement/value')
near 'the dry run beside the ideal specimen' "$(at dry/summary.json '/peaks/x2 displacement/value') / $peak" 1 0.02
before=$(stands)
try 0 test frame.yaml --as-fast-as-possible --rehearse --out rehearsal
says '^REHEARSAL'
[ "$(at rehearsal/summary.json rehearsal)" = true ] || fail "the summary does not say that it was a rehearsal"
near 'commands of the rehearsal' "$(at rehearsal/summary.json '/peaks/x2 displacement/value') / $peak" 1 0.02
near 'the device after the rehearsal' "$(stands)" "$before" 0.02

# Elastic shakedown: a twentieth of the motion about the whole preload.
certify frame.yaml --scale 0.05 --out shakedown
try 0 test frame.yaml --scale 0.05 --certificate shakedown/frame.certificate.json --as-fast-as-possible --out runs/shakedown
says '^scale    0.05'
[ "$(at runs/shakedown/summary.json scale)" = 0.05 ] || fail "the scale is not recorded"
logs runs/shakedown 'scale 0.05'

# The test, with a clock: somebody holds it and lets it go on.
{
    until_says 'state run' main/events.log
    echo hold
    until_says 'checkpoint of tick' main/events.log
    echo resume
} | timeout 300 "$IFD_PROGRAM" test frame.yaml --note 'bolts tightened' --out main >out 2>err
got=$?
[ $got = 0 ] || fail "the test: exit status $got"
says '^completed'
for line in 'operator Ada' 'specimen D-17' 'note: bolts tightened' 'granted' 'state ramp-in' 'order hold, from the terminal' \
    'state hold' 'checkpoint of tick' 'order resume, from the terminal' 'state ramp-out' 'end: completed'; do
    logs main "$line"
done
[ "$(at main/summary.json operator)" = Ada ] && [ "$(at main/summary.json specimen_id)" = D-17 ] || fail "the summary forgets people"
near 'the test beside the ideal specimen' "$(at main/summary.json '/peaks/x2 displacement/value') / $peak" 1 0.02
try 0 replay main
says identical

# Nothing of it is ever written over.
try 2 test frame.yaml --as-fast-as-possible --out main
complains "already contains a result"
try 2 run frame.yaml --out main --force
complains 'the record of a test is never replaced'
try 2 test frame.yaml --force
complains "has no option '--force'"

# Files for colleagues, opened by another program.
try 0 export main --csv -o csv
try 0 export main --mat -o mat
try 2 export main --mat -o mat
complains 'already exists'
try 2 export main
complains 'needs --csv, --mat or both'
for word in 'device force' 'x2 displacement' 'units  *SI'; do
    grep -q "$word" csv/README.txt && grep -q "$word" mat/README.txt || fail "a README lacks '$word'"
done
cat >check.py <<'END'
import struct, sys
data = open("mat/result.mat", "rb").read()
def tag(at):
    kind, size = struct.unpack_from("<II", data, at)
    return (kind & 0xffff, kind >> 16, at + 4, at + 8) if kind >> 16 else (kind, size, at + 8, at + 8 + (size + 7) // 8 * 8)
at, found = 128, {}
while at < len(data):
    _, _, inside, end = tag(at)
    _, _, flags, nxt = tag(inside)
    _, _, _, nxt = tag(nxt)
    _, n, name, nxt = tag(nxt)
    if data[flags] == 6:
        _, size, first, _ = tag(nxt)
        found[data[name:name + n].decode()] = struct.unpack_from("<%dd" % (size // 8), data, first)
    at = end
head, *rows = [line.rstrip("\n").split(",") for line in open("csv/columns.csv")]
i = next(k for k, h in enumerate(head) if h == "device force [N]")
same = [float(r[i]) for r in rows] == list(found["device_force"]) and [float(r[0]) for r in rows] == list(found["time"])
print("columns", len(head), "rows", len(rows), "last", abs(found["device_force"][-1]) / max(map(abs, found["device_force"])))
sys.exit(0 if same and len(found) == len(head) else 1)
END
/usr/bin/python3 check.py >py 2>&1 || fail "result.mat differs from columns.csv: $(cat py)"
near 'the force that is left after ramp-out, of the largest' "$(sed 's/.*last //' py)" 0 0.02
opened='a reader of its own in Python'
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    opened='h5py'
    /usr/bin/python3 -c '
import csv, h5py
head, *rows = csv.reader(open("csv/columns.csv"))
force = [float(r[head.index("device force [N]")]) for r in rows]
with h5py.File("main/result.h5") as f:
    assert list(f["specimen/device/force"]) == force and list(f["time"]) == [float(r[0]) for r in rows]
    assert f["specimen/device/force"].attrs["unit"] in ("N", b"N") and "stroke" in str(list(f["channel"]))' >py 2>&1 ||
        fail "h5py reads other numbers: $(tail -n 2 py)"
fi
if command -v octave-cli >/dev/null 2>&1; then
    opened="$opened and Octave"
    octave-cli --quiet --eval 'r = load("mat/result.mat"); c = dlmread("csv/columns.csv", ",", 1, 0);
        k = find(strcmp(r.names, "device force")); v = r.(r.variables{k});
        if (! isequal(v, c(:, k)) || ! isequal(r.time, c(:, 1)) || ! strcmp(r.units{k}, "N") || ! strcmp(r.outcome, "completed")) error("other numbers"); end
        disp("Octave reads them");' >py 2>&1 || true
    grep -q 'Octave reads them' py || fail "Octave reads other numbers: $(head -c 300 py)"
else
    echo 'Octave is not installed: it did not read result.mat'
fi

# A slow test over two days: the first day ends on hold, the second goes on; bit by bit as if nobody had gone home.
cut_csv() { cut -d, -f"$2" "$1/result.csv" | awk -F, -v from="$3" 'NR > 1 && $1 > from && $1 != last {print; last = $1}'; }
try 0 test slow.yaml --as-fast-as-possible --csv --out whole
columns=$(head -n 1 whole/result.csv | tr ',' '\n' | grep -n '^time\|displacement' | cut -d: -f1 | paste -sd,)
try 0 test slow.yaml --as-fast-as-possible --csv --until 0.5 --out day1
says '^parked'
logs day1 'order park, from --until'
kept=$(at day1/summary.json time)
try 0 test slow.yaml --as-fast-as-possible --csv --continue day1 --out day2
says '^continues'
[ "$(at day2/summary.json continues)" = day1 ] || fail "the summary does not say what it continues"
cut_csv whole "$columns" "$kept" >a
cut_csv day2 "$columns" "$kept" >b
[ "$(wc -l <a)" -gt 50 ] || fail "nothing to compare: $(wc -l <a) rows after $kept s"
cmp -s a b || fail "the second day differs: $(diff a b | head -n 4)"
try 0 replay day2
says identical
try 0 compare whole day2 --columns 'device deformation,device force' --tolerance 0.05 # over simulated time, which is known to a step where a test goes on
try 2 test slow.yaml --as-fast-as-possible --continue day1 --set time.end=1s --out day3
complains 'belongs to another case'
try 2 test slow.yaml --as-fast-as-possible --continue whole --out day3
complains 'contains no checkpoint'

# The same with a rig in a process of its own that stays switched on over night. An elastic device gives the same bits; one that has yielded
# remembers the way it went, which a hold makes another one by a rounding error.
for yield in '1 m' '6 mm'; do
    sed "s/  rig: virtual/  rig: {shm: {name: $shm, lockstep: yes, timeout: 60 s}}/; s/end: 1.6 s/end: 0.604 s/; s/yield: 6 mm/yield: $yield/" slow.yaml >apart.yaml
    rm -rf whole-apart night1 night2
    switch_on apart.yaml
    try 0 test apart.yaml --as-fast-as-possible --csv --without-preflight --out whole-apart
    switch_on apart.yaml
    try 0 test apart.yaml --as-fast-as-possible --csv --without-preflight --until 0.4 --out night1
    says '^parked'
    try 0 test apart.yaml --as-fast-as-possible --csv --without-preflight --continue night1 --out night2
    says '^completed'
    columns=$(head -n 1 whole-apart/result.csv | tr ',' '\n' | grep -n '^time\|displacement\|device force' | cut -d: -f1 | paste -sd,)
    kept=$(at night1/summary.json time)
    cut_csv whole-apart "$columns" "$kept" | awk -F, '$1 < 0.602' >a # the end is shown in ramp-out: its force is not of the run
    cut_csv night2 "$columns" "$kept" | awk -F, '$1 < 0.602' >b
    [ "$(wc -l <a)" -ge 50 ] || fail "nothing to compare: $(wc -l <a) rows after $kept s"
    elastic="$(at night1/summary.json '/peaks/device force/value') / (4e5 * $(at night1/summary.json '/peaks/device deformation/value'))"
    if [ "$yield" = '1 m' ]; then
        cmp -s a b || fail "the morning differs: $(diff a b | head -n 4)"
        near 'the force over that of an elastic device' "$elastic" 1 1e-9
    else
        off=$(paste -d, a b | awk -F, '{for (i = 1; i <= 4; i++) {d = $i - $(i + 4); if (d < 0) d = -d; if (d > most) most = d}} END {print most + 0}')
        near 'the largest difference (N, m) after a night' "$off" 0 1e-11
        near 'the force over that of an elastic device' "$elastic" 0.5 0.4
    fi
    try 0 replay night2
    says identical
done

[ $failures = 0 ] && echo "a day in the laboratory; exports opened by $opened" || echo "$failures failures"
[ $failures = 0 ]
