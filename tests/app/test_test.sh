#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 13 s
# interfield test on a small virtual rig: dry run, real clock, Ctrl-C once and twice, orders, a trip. Sees IFD_PROGRAM, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
# The result of a test in the background, whose number is in $pid.
ends() {
    wait "$pid"
    got=$?
    [ "$got" = "$1" ] || fail "exit status $got, expected $1"
}
# Starts a test in the background and waits until it moves.
begin() {
    folder=$1
    shift
    : >out
    "$IFD_PROGRAM" test spring.yaml --out "$folder" "$@" >out 2>err </dev/null &
    pid=$!
    until_says 'state run' "$folder/events.log"
}

# Machines that run tests are busy: late ticks are none of the business of this file.
cat >spring.yaml <<'END'
title: A spring on the rig
time: {step: 2 ms, end: 2 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 10 mm}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-for: 1000 s}
END
grep -v '^test:' spring.yaml >computed.yaml

try 2 test computed.yaml
complains "the section 'test', which names the rig, is missing"
complains "test: {rig: virtual}"
{ grep -v '^test:' spring.yaml | sed '/^specimen:/,$d'; } >alone.yaml
try 2 test alone.yaml
complains "sections 'specimen' and 'test' are missing"
try 2 test spring.yaml --core many
complains 'whole number'

try 0 test spring.yaml --out dry --as-fast-as-possible
says '^completed  *2 s of simulated time in '
says 'without a clock'
says 'spring command'
try 0 test spring.yaml --out dry2 --as-fast-as-possible --json
is outcome completed
is state stopped
is /clock/late_ticks 0
is /clock/granted/fifo false
ticks=$(at /timing/ticks)
[ "$(at rows)" = "$ticks" ] || fail "$(at rows) rows of $ticks ticks"

# the clock changes no bit of what was computed and measured
try 0 test spring.yaml --out real
says '^priority '
says '^completed  *2 s of simulated time in '
for group in specimen displacement test; do
    h5diff dry/result.h5 real/result.h5 /$group >out 2>err || fail "the clock changed /$group"
done

try 1 test spring.yaml --out tripped --as-fast-as-possible --set specimen.0.limits.force=1kN
complains "FORCE at tick .*specimen 'spring'.*limit 1000"
says '^tripped '

# Ctrl-C: hold, then ramp-out
begin held --set time.end=1000s
kill -INT $pid
ends 1
says '^aborted  *by the operator in state run '
grep -q '"state": "stopped"' held/summary.json || fail "Ctrl-C did not end in the state stopped"
grep -q '"outcome": "aborted"' held/summary.json || fail "Ctrl-C is no interruption"

# Ctrl-C twice: trip; the brake is slow, so that the second comes in time
begin twice --set time.end=1000s --set test.brake=100s
kill -INT $pid
until_says '^stop '
sleep 0.6 # within half a second two signals are one
kill -INT $pid
ends 1
says '^tripped '
complains 'a trip was ordered'

# Ctrl-C again in ramp-out, which would take hours at this speed: it trips there, too
begin outward --set time.end=1000s --set test.leave=start --set 'test.creep=1e-6 m/s'
kill -INT $pid
until_says 'state ramp-out' outward/events.log
sleep 0.6
kill -INT $pid
ends 1
says '^tripped '
complains 'a trip was ordered'
grep -q '"state": "tripped"' outward/summary.json || fail "the second Ctrl-C did not trip ramp-out"

# orders on stdin: simulated time stands still between hold and resume, however many ticks pass
says_at_tick() { sed -n "s/.*tick \([0-9]*\) .*$1.*/\1/p" orders/events.log | head -n 1; }
for _ in 1 2 3; do # it lasts two seconds: whoever stands still for that long says hold too late
    rm -rf orders
    {
        until_says 'state run\|  end: ' orders/events.log >&2
        echo hold
        until_says 'checkpoint of tick\|  end: ' orders/events.log >&2
        sleep 1
        echo nonsense
        echo resume
    } | "$IFD_PROGRAM" test spring.yaml --out orders >out 2>err
    ! grep -q 'checkpoint of tick' orders/events.log || break
done
says "'nonsense' is no order; in state hold: .*resume"
says '^completed  *2 s of simulated time in '
held=$(($(says_at_tick 'order resume') - $(says_at_tick 'state hold')))
[ $held -gt 20 ] || fail "nothing was held: $(cat orders/events.log)"
[ "$(at /timing/ticks orders/summary.json)" -ge $((ticks + held)) ] || fail "a hold of $held ticks cost less"

# beside a test that was not held it shows no difference but that of lines between steps, (w h)^2 / 8
try 0 compare dry orders --columns 'x displacement' --tolerance 1e-3
try 0 report orders
grep -q 'The test was on hold' orders/report.html || fail "the report does not say that the test was held"

# whatever happened to them, all of these replay
for folder in dry real tripped held twice orders; do
    try 0 replay $folder
    says '^identical '
done
try 0 replay orders --json
is verdict identical
is other_program false
try 0 recover orders
says '^outcome  *completed$'
grep -q '"outcome": "completed"' orders-recovered/summary.json || fail "a whole record is not recovered as completed"
try 2 recover orders
complains 'already contains a result'
try 2 replay computed.yaml
complains 'cannot be read as a journal'

# one bit in the middle of the record
size=$(wc -c <orders/result.journal)
cp -r orders damaged
dd if=/dev/zero of=damaged/result.journal bs=1 count=64 seek=$((size / 2)) conv=notrunc 2>/dev/null
try 1 replay damaged
complains 'the record is damaged: record [0-9]* at byte [0-9]*, tick [0-9]*'

# killed: only the record is left of it
begin killed --set time.end=1000s
kill -KILL $pid
wait $pid 2>/dev/null
try 0 replay killed
says 'the record is truncated there'
try 0 recover killed --out found
says '^outcome  *incomplete: '
says 'the record is truncated'
is outcome incomplete found/summary.json
is outcome_reason 'the program ended before it could close the record' found/summary.json
h5dump -a record_cut found/result.h5 | grep -q '(0): 1' || fail "result.h5 does not say that it was cut"
# its start is that of the log, to the microsecond; that of a record with an end is that of the test itself
grep -q "start: wall-clock time 0 is $(at clock/start_utc found/summary.json | cut -c 1-26)" killed/events.log || fail "the start of a recovered test: $(at clock/start_utc found/summary.json), the log: $(grep start: killed/events.log)"
for key in start_utc start_tai_offset; do
    [ "$(at clock/$key orders/summary.json)" = "$(at clock/$key orders-recovered/summary.json)" ] || fail "the $key of a recovered test"
done
h5dump -a start_utc found/result.h5 | grep -q "$(at clock/start_utc found/summary.json)" || fail "result.h5 does not have the start"
try 2 plot killed
complains 'interfield recover'

# a disk that is full: the test is led out, and what it could write can be read; the way out is longer than what was kept free for it
(ulimit -f 20000 && exec "$IFD_PROGRAM" test spring.yaml --out full --set time.end=1000s --set 'loads=[{at: x, force: 3 kN}]' \
    --set test.leave=start --set 'test.creep=0.05 mm/s' --as-fast-as-possible >out 2>err </dev/null)
[ $? = 1 ] || fail "a test that cannot be recorded did not fail"
says 'the record cannot be written'
complains 'result.journal. could not be written: File too large'
try 0 replay full
says 'the record is truncated there'

# a run is made again from the case in its result
try 0 run computed.yaml --out computed --set time.end=1s
rm computed.yaml
try 0 replay computed
says '^identical  *501 rows'

# what the monitor does is in the event log
try 0 test "$IFD_SOURCE_DIR/tests/hybrid/loop.yaml" --set 'test.monitor={caution: slow}' --set 'specimen.0.actuator={delay: {delay: 1.5 ms}}' --set time.end=3s --as-fast-as-possible --without-preflight --out slowed
grep -q 'note LOOP_SLOWED: the monitor of stability has halved the rate.*; energy ratio [0-9.]*, level [123]' slowed/events.log || fail "a slowed test is not in the event log: $(cat slowed/events.log)"

verdict "interfield test behaves"
