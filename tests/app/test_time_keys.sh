#!/bin/sh
# SPDX-License-Identifier: MIT
# Keys in time: one case with ticks of 1 ms and of 0.25 ms trips, or holds, after the same time, as a rig of its own code counts it. One count
# of late ticks. Which half of the communication is lost. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cp "$IFD_BUILD_DIR/tests/plugins/plugin_times.so" .
cat >spring.yaml <<'END'
time: {step: 2 ms, end: 2 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 40 mm}
test:
  rig: {plugin: {file: ./plugin_times.so, log: log, fault: silent}}
  ramp-in: 0.05 s
  settle: 0.01 s
  force-stuck: bits
  overrun: extrapolate
  late-for: 1000 s
END
# broken STATUS FAULT STEP [WORDS...]: a test whose rig has this fault; the rig writes the time until it had an effect
broken() {
    wanted=$1 fault=$2 step=$3
    shift 3
    rm -rf result log
    timeout 300 "$IFD_PROGRAM" test spring.yaml --start --without-preflight --exit-on-trip --set test.rig.plugin.fault="$fault" \
        --set time.step="$step" --out result "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$wanted" ] || fail "$fault, step $step: exit status $got, expected $wanted"
    read -r took now tick <log || fail "$fault, step $step: no effect"
}
# within LOW HIGH STATE: s
within() {
    awk "BEGIN { exit !($took >= $1 && $took <= $2) }" && [ "$now" = "$3" ] ||
        fail "$fault, step $step: $now after $took s, expected $3 after $1 to $2 s"
}
free='--as-fast-as-possible --set test.rig.plugin.lockstep=yes'
for step in '2 ms' '0.5 ms'; do
    # The time, and at most two ticks.
    broken 1 silent "$step" $free --set test.stale-for=50ms
    within 0.050 0.052 tripped
    is /fault/name LOST result/summary.json
    complains "LOST at tick $tick: no measurement from rig 'times' for 5[01.25]* ms (stale-for 50 ms); the last one came at tick"
    broken 1 deaf "$step" $free --set test.stale-for=50ms
    within 0.050 0.053 tripped
    complains "rig 'times' measures, but has acknowledged no command since tick [0-9]* (5[01.25]* ms, stale-for 50 ms)"
    broken 1 ahead "$step" $free --set test.stale-for=50ms
    within 0 0.002 tripped
    complains "rig 'times' acknowledges tick $((tick + 19)); the last command was tick $((tick - 1))"
    broken 1 frozen "$step" $free --set test.frozen-for=300ms --set specimen.0.limits.tracking=45mm
    within 0.300 0.306 tripped
    is /fault/name FROZEN result/summary.json
    broken 1 stuck "$step" $free --set test.frozen-for=100ms
    within 0.100 0.106 tripped
    is /fault/name FORCE_STUCK result/summary.json
    # The presets: 10 ms and 0.2 s, both more than their numbers of ticks.
    broken 1 silent "$step" $free
    within 0.010 0.012 tripped
    broken 1 stuck "$step" $free
    within 0.200 0.206 tripped
done

# Late ticks: with a clock; each command takes longer than a tick, so that every following tick is late. The number of them in a row is exact
# on a busy machine too.
for tick in 1 0.25; do
    step=$(awk "BEGIN { print 2 * $tick }")
    late=$(awk "BEGIN { print 50 / $tick + 1 }") after=$(awk "BEGIN { print 500 * $tick }")
    broken 1 slow "${step}ms" --set test.late-for=50ms
    says "^hold     $late ticks late (worst [0-9.]* [mu]*s, late-after $after us): interfield doctor$"
done
# one_count: the same number of late ticks in the last line, the report, the events, and as faults LATE
one_count() {
    count=$(at /clock/late_ticks result/summary.json)
    is /seen/LATE "$count" result/summary.json
    says " ticks, $count late, at most by"
    logged=$(sed -n 's/.*  late: \([0-9]*\) tick.*/\1/p' result/events.log | awk '{ n += $1 } END { print n + 0 }')
    [ "$logged" = "$count" ] || fail "events.log has $logged late ticks, summary.json $count"
    grep -q "  end: .* ticks, $count late," result/events.log || fail "the last event has not $count late ticks"
    cp out kept
    try 0 report result
    grep -q "<b>[^<]*</b>: $count of [0-9 ]* ticks were late" result/report.html || fail "the report has not $count late ticks"
    cp kept out
}
one_count
# A test that tolerates them is completed with them, and its deadlines are missed.
broken 3 slow 2ms --set time.end=0.2s --set test.missed-deadlines=5
complains "caution: $(at /clock/late_ticks result/summary.json) ticks were late; test: {missed-deadlines: 5} permits fewer"
one_count
try 0 replay result
says '^identical'

# Before the first measurement inputs are not known: neither the stop nor the pressure is a fault.
broken 0 mute 2ms $free --set test.rig.plugin.at=1s
for name in STOP_PRESSED HYDRAULICS; do
    [ -z "$(at /seen/$name result/summary.json)" ] || fail "$name before the first measurement"
done
verdict 'keys in time'
