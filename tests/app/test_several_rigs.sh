#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 14 s
# The shipped case with three rigs, one of them in another process: a test, its replay, rehearsals and checks of one rig; then a rig that is
# killed: the test trips, names it, and takes leave of the other one. Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Machines that run tests are busy and may stand still for seconds: late ticks and silence are none of the business of this file, except
# where a rig dies.
cp "$IFD_SOURCE_DIR"/cases/several-rigs/*.yaml .
patient='--set test.stale-share=1 --set test.late-for=1000s --set test.rigs.2.trial.watchdog=60s --set test.rigs.1.udp.timeout=60s'
short='--set time.end=0.4s --set test.ramp-in=0.2s --set test.settle=0.05s'

# serve FILE WORDS...: starts a rig in the background, which speaks into the file; its number is in $pid, its port in $port
serve() {
    file=$1
    shift
    : >"$file"
    "$IFD_PROGRAM" rig rigs.yaml --for 1000 --watchdog 60 --port 0 "$@" >>"$file" 2>&1 </dev/null &
    pid=$!
    until_says '^serves' "$file"
    port=$(sed -n 's/^serves.*port //p' "$file")
}

# The network to each rig outside the program, before the test; the rig remains free for it.
serve rig --rig annex
# shellcheck disable=SC2086 # options are words
certify rigs.yaml --echo 0.2s $short --set "test.rigs.1.udp.port=$port"
says '^  annex        answers [0-9.]* ms old (p99'
says '^  bench        answers 2 ms old (p99 2 ms, oldest 2 ms, 0 % lost)'
says '^[A-Za-z-]*  *network      answers'
kill "$pid"
wait "$pid" || fail 'the rig ended with an error'
try 1 preflight rigs.yaml --echo 0.2s --set test.rigs.1.udp.port=9 --set test.rigs.1.udp.timeout=0.2s
complains "this is rig 'annex' of the case"

serve rig --rig annex --once
grep -q 'rig      annex · virtual · 1 actuator' rig || fail 'the served rig has the actuators of its own specimens only'
# shellcheck disable=SC2086 # options are words
try 0 test rigs.yaml --start --without-preflight $patient $short --set "test.rigs.1.udp.port=$port" --set 'test.rigs.1.stale-for=60 s' --out result
wait "$pid" || fail 'the rig ended with an error'
grep -q 'free     the test ended' rig || fail 'the rig does not know that the test ended'
says 'several · 3 actuators'
try 0 replay result
says 'identical'
for column in 'annex round trip' 'annex age' 'annex lost' 'bench taken' 'hall answered command'; do
    grep -q "$column" result/summary.json || fail "the record lacks '$column'"
done

# The clock of one rig leads, beside a rig without a clock and one in another process with `equalise`.
serve rig --rig annex --once
# shellcheck disable=SC2086
try 0 test rigs.yaml --start --without-preflight $patient $short --set "test.rigs.1.udp.port=$port" --set 'test.rigs.1.stale-for=60 s' \
    --set 'test.rigs.1.equalise=20 ms' --set test.rigs.2.pace=rig --set test.rigs.2.trial.clock-error=2e-4 --set test.arm-timeout=600s --out led
wait "$pid" || fail 'the rig ended with an error'
try 0 replay led
says 'identical'
period=$(at /clock/rig_period led/summary.json)
awk "BEGIN { exit !($period > 2.0002e-3 && $period < 2.0006e-3) }" || fail "the mean period is $period s, expected 2.0004e-3"

# Drives, a controlled force and an accelerometer on two rigs; without channels the accelerometer is recorded too.
sed '/^channels:/,$d' "$IFD_SOURCE_DIR/tests/several/mixed.yaml" >mixed.yaml
try 0 test mixed.yaml --as-fast-as-possible --out mixed
try 0 replay mixed

# A test in two parts, with all rigs in this process.
three="$IFD_SOURCE_DIR/tests/several/three.yaml"
try 0 test "$three" --as-fast-as-possible --without-preflight --until 0.3s --out evening
try 0 test "$three" --as-fast-as-possible --without-preflight --continue evening --out morning
try 0 replay morning
says 'identical'

# One rig of a case, by its name. The others need not exist: nothing serves annex.
# shellcheck disable=SC2086
try 0 test rigs.yaml --rehearse --rig bench $patient $short --set 'test.rigs.1.udp.timeout=0.2s' --out rehearsal
says REHEARSAL
# shellcheck disable=SC2086
try 1 test rigs.yaml --rehearse $short --set 'test.rigs.1.udp.timeout=0.2s' --set test.rigs.1.udp.port=9 --out nobody
complains "rig 'annex' of the case does not open"
try 2 test rigs.yaml --rehearse --rig attic
complains 'expected one of hall, annex, bench'
try 2 test rigs.yaml --rig bench --without-preflight
complains '--rehearse is missing'
try 2 test one.yaml --rehearse --rig bench
complains 'this case has one rig'
try 2 rig rigs.yaml
complains '--rig NAME is missing, expected one of hall, annex, bench'
try 0 rig-check trial --channels-of rigs.yaml --rig bench
try 2 rig-check trial --channels-of rigs.yaml
complains 'several rigs'
try 2 test rigs.yaml --without-preflight --as-fast-as-possible
complains "rig 'annex' has its own clock"
try 2 test rigs.yaml --without-preflight --set test.rigs.1.udp.lockstep=yes
complains "rig 'annex' in lockstep would make the other rigs wait"

# Killed in mid-test: the others are stopped with it, and released.
serve annex --rig annex
annex=$pid annex_port=$port
serve bench --rig bench --once --set test.rigs.2.trial.watchdog=60s
# shellcheck disable=SC2086
"$IFD_PROGRAM" test rigs.yaml --start --without-preflight --exit-on-trip --set test.late-for=1000s --set "test.rigs.1.udp.port=$annex_port" \
    --set 'test.rigs.1.stale-for=0.3 s' --set test.stale-share=1 --set time.end=100s --set test.ramp-in=0.2s --set test.rigs.2="{name: bench, udp: {port: $port}, specimens: [brace], stale-for: 60 s}" \
    --out killed >out 2>err </dev/null &
test=$!
until_says 'state run\|state tripped' killed/events.log
kill -9 "$annex"
wait "$test"
got=$?
[ $got = 1 ] || fail "a test with a killed rig: exit status $got, expected 1"
complains "LOST at tick [0-9]*, rig 'annex'"
grep -q "fault LOST: .*, rig 'annex'" killed/events.log || fail "the event log does not name the rig: $(cat killed/events.log)"
wait "$pid" || fail 'the other rig stopped with a fault'
grep -q 'free     the test ended' bench || fail 'the other rig was not released'
try 0 replay killed
verdict 'several rigs: served, recorded, rehearsed, checked and killed one by one'
