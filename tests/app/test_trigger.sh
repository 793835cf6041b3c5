#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 11 s
# Trigger and time stamp: a recorder that knows only the digital outputs and its own clock finds the edges where the result says they are;
# what the forces did on hold, and a resume that is refused because of it. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cat >damper.yaml <<END
title: A damper on the rig
time: {step: 4 ms, end: 1000 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [400], stiffness: [4.0e+4]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: damper
    maxwell: {between: [ground, x], branches: [[20000, 10000]]}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 20 mm}
test: {rig: {plugin: {file: $IFD_BUILD_DIR/tests/plugins/plugin_daq.so}}, ramp-in: 0.2 s, settle: 0.05 s, brake: 0.05 s, allow-resume: yes,
  overrun: extrapolate, late-for: 1000 s, frozen-for: 2000 s, force-stuck: off}
END

# ordered NAME ORDER...: a test that gets each order when the one before has been carried out
ordered() {
    name=$1
    shift
    {
        until_says 'state run' "$name/events.log" >&2
        for order in "$@"; do
            case $order in
            relax) sleep 0.6; continue ;;
            esac
            before=$(grep -c 'state ' "$name/events.log")
            echo "${order%!}"
            case $order in
            *!) until_says "order ${order%!} refused" "$name/events.log" >&2 ;;
            *) while [ "$(grep -c 'state ' "$name/events.log")" = "$before" ]; do sleep 0.02; done ;;
            esac
        done
    } | "$IFD_PROGRAM" test damper.yaml --start --without-preflight --out "$name" $more >out 2>err
    mv daq.txt "$name/daq.txt" || fail "$name: the recorder saw no edge"
}
# edges NAME OUTPUTS...: what the recorder saw, and when, against the result
edges() {
    name=$1
    shift
    [ "$(cut -d' ' -f1 "$name/daq.txt" | tr '\n' ' ')" = "$* " ] || fail "$name: the recorder saw $(cat "$name/daq.txt"), expected $*"
    /usr/bin/python3 - "$name" <<'END' || fail "$name: the edges are not where the result says"
import calendar, h5py, json, sys, time
folder = sys.argv[1]
seen = [line.split() for line in open(folder + '/daq.txt')]
summary = json.load(open(folder + '/summary.json'))
stamp = summary['clock']['start_utc']
whole, fraction = stamp[:-1].split('.')
start = calendar.timegm(time.strptime(whole, '%Y-%m-%dT%H:%M:%S')) * 10**9 + int(fraction)
assert len(fraction) == 9 and 0 <= summary['clock']['start_tai_offset'] < 100, summary['clock']
with h5py.File(folder + '/result.h5', 'r') as f:
    wall = f['wall_time'][:]
    late = f['clock/late'][:]
    took = f['clock/duration'][:]
    assert f.attrs['start_utc'] in (stamp, stamp.encode()), f.attrs['start_utc']
    assert abs(f.attrs['start_monotonic'] - summary['clock']['start_monotonic']) < 1e-9
    assert f.attrs['trigger_rose'] == summary['trigger']['rose']
    for word, at in ((seen[0], summary['trigger']['rose']), (seen[-1], summary['trigger']['fell'])):
        row = abs(wall - at).argmin()
        after = 1e-9 * (int(word[1]) - start) - at
        # the command of a tick leaves between its begin, which may be late, and its end; clocks are read to microseconds
        assert late[row] - 5e-6 <= after <= late[row] + took[row] + 5e-6, (word, at, after, late[row], took[row])
END
}

more=
ordered through hold relax resume ramp-out
edges through 3 1 3 0
ordered tripped hold trip
edges tripped 3 1 0
ordered running trip
edges running 3 0

# The force relaxes: shown, and beyond the bound nothing is resumed.
more='--set test.hold-relaxation=20%'
ordered relaxed hold relax resume! ramp-out
edges relaxed 3 1 0
says '^resume  *refused: the force of a specimen has changed on hold.*(force of damper changed by .* N, limit .* N: 20 % plus noise)'
grep -q 'order resume refused: .*damper changed by' relaxed/events.log || fail "events.log does not name the specimen"
/usr/bin/python3 - <<'END' || fail "the hold is not told as it was"
import json, math
hold, = json.load(open('relaxed/summary.json'))['holds']
force = hold['force']['damper']
assert hold['duration'] > 0.1 and hold['wall_time'] > hold['time'] > 0, hold
assert abs(force['ended'] / force['began'] - math.exp(-hold['duration'] / 0.5)) < 0.01, hold
assert 0.2 < force['relaxation'] < 1 - force['ended'] / force['began'], hold  # as resume judges it: means, from later on
assert (hold['bound'], hold['refused'], hold['next']) == (0.2, 1, 'ramp-out'), hold
END
# The report has the same numbers in a table, one row for each hold.
try 0 report relaxed --no-ideal --quiet
try 0 report through --no-ideal --quiet
/usr/bin/python3 - <<'END' || fail "the table of holds is not that of the summary"
import json, re
for name, bound, outcome in (('relaxed', '20 %', 'ramp-out, resume refused 1 time'), ('through', 'none', 'resumed')):
    hold, = json.load(open(f'{name}/summary.json'))['holds']
    page = open(f'{name}/report.html', encoding='utf-8').read()
    table = re.search(r'<table class=holds>(.*?)</table>', page, re.S).group(1)
    row, = (re.split('<td>', r)[1:] for r in table.split('<tr>')[2:])
    force = hold['force']['damper']
    near = lambda text, value: abs(float(text.split()[0]) * {'ms': 1e-3, 'kN': 1e3, 'mN': 1e-3}.get(text.split()[1], 1) / value - 1) < 6e-3
    assert near(row[0], hold['time']) and near(row[1], hold['duration']) and row[2] == 'damper', (row, hold)
    assert near(row[3], force['began']) and near(row[4], force['ended']), (row, hold)
    assert near(row[5], 100 * force['relaxation']) and row[6:] == [bound, outcome], (row, hold)
END
# The progress line of a hold names the force that has changed most, in per cent of what it was; in N where it was next to nothing.
${CC:-cc} -std=c11 -Wall -Wextra -Werror -I "$IFD_SOURCE_DIR/include" -I "$IFD_SOURCE_DIR/app" -D_GNU_SOURCE -o progress_ok \
    "$IFD_SOURCE_DIR/tests/app/progress_ok.c" -lm -pthread || fail "progress_ok.c does not compile"
shows() {
    ./progress_ok "$1" 2>err || fail "progress_ok $1"
    grep -q "$2" err || fail "the progress line of $1 is: $(cat err)"
}
shows one-without '   b 950 N, -5.0 % since the hold'
shows bounded '   b 980 N, -2.0 % since the hold (bound 2.5 %)'
shows from-zero '   a 210 N, +210 N since the hold'
shows loses-to-zero '   a -211 N, -210 N since the hold'
shows noise '   b 950 N, -5.0 % since the hold'
shows no-force 'delay 0 s   p99.9 0 s.\[K$'
./progress_ok no-force log 2>err || fail 'progress_ok no-force log'
grep -q '^progress \[-*\].*delay 0 s   p99.9 0 s$' err || fail "the progress line in a log is: $(cat err)"
# Work that reports nothing itself has a line with its name and its time, which a terminal loses at the end.
${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I "$IFD_SOURCE_DIR/include" -I "$IFD_SOURCE_DIR/app" -o working_ok \
    "$IFD_SOURCE_DIR/tests/app/working_ok.c" -pthread || fail "working_ok.c does not compile"
./working_ok 2>err || fail working_ok
grep -qx 'progress long work   1 s' err && [ "$(tail -n 1 err)" = end ] || fail "the line of work in a log is: $(cat err)"
if on_terminal 'the line of long work'; then
    script -qec './working_ok set-up' /dev/null >out </dev/null || fail 'working_ok on a terminal'
    case $(tr -d '\r' <out) in
    "$(printf 'set-up: 12 dofs   1 s\033[K')"*"$(printf '\033[Kend')") ;;
    *) fail "the line of work on a terminal is: $(cat -v out)" ;;
    esac
fi
for bad in -1 1.01 5; do
    try 2 check damper.yaml --set test.hold-relaxation=$bad
    complains "hold-relaxation"
done

# Another day: the reference is that of the evening. One order; where it is refused and nobody is there, the test is led out. The bound is no
# part of the case, neither in its file nor by --set.
sed -i 's/allow-resume: yes,/allow-resume: yes, hold-relaxation: 20 %,/' damper.yaml
try 0 test damper.yaml --start --without-preflight --until 0.5 --out evening
sed -i 's/hold-relaxation: 20 %/hold-relaxation: 2.5 %/' damper.yaml
"$IFD_PROGRAM" test damper.yaml --start --without-preflight --continue evening --accept-change --out morning >out 2>err </dev/null
got=$?
[ $got = 1 ] || fail "a test that could not be continued ends with $got"
[ "$(grep -c 'order resume' morning/events.log)" = 2 ] || fail "one order and its answer: $(grep 'order resume' morning/events.log)"
grep -q 'order resume refused: .*damper changed by .*: 2.5 % plus noise' morning/events.log || fail "the refusal is not told"
grep -q 'state ramp-out' morning/events.log || fail "nobody led the test out"
says '^continue  *refused: the test stays on hold'
says '^aborted  *because no operator responded in state hold '
# The key itself may be neither removed nor added: the forces of the evening are in the checkpoint, or are not.
sed 's/ hold-relaxation: 2.5 %,//' damper.yaml >unbounded.yaml
mv damper.yaml bounded.yaml
mv unbounded.yaml damper.yaml
try 2 test damper.yaml --start --without-preflight --continue evening --out removed
complains 'the checkpoint was written with `test: {hold-relaxation: ...}`, which the case does not have'
complains 'add the key to the case'
try 0 test damper.yaml --start --without-preflight --until 0.5 --out unbounded
try 2 test damper.yaml --start --without-preflight --continue unbounded --out added --set test.hold-relaxation=10%
complains 'the checkpoint was written without `test: {hold-relaxation: ...}`, which the case has'
complains 'remove the key from the case'
mv bounded.yaml damper.yaml
# The operator's order is not lost.
{
    until_says 'order resume refused' late/events.log >&2
    echo hold
    until_says 'order hold refused' late/events.log >&2
    echo ramp-out
    until_says 'state ramp-out' late/events.log >&2
} | "$IFD_PROGRAM" test damper.yaml --start --without-preflight --continue evening --accept-change --out late --set test.hold-relaxation=12.5% >out 2>err
[ "$(grep -c 'order resume' late/events.log)" = 2 ] || fail "--continue does not leave off: $(grep 'order resume' late/events.log)"

verdict "edges of the trigger are where the result says; forces on hold are told and bounded"
