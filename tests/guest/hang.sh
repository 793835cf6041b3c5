# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The times of the supervisor, by a clock that counts instructions and another program that reads it: a rig that hangs in one of its functions.
set -eu
. "$IFD_SOURCE_DIR/tests/guest/guest.sh"
stage
# shellcheck disable=SC2086 # words
${CC:-cc} -shared -fPIC -D_GNU_SOURCE -I "$IFD_SOURCE_DIR/include" "$IFD_SOURCE_DIR/tests/app/plugin_hang.c" -o copy/plugin_hang.so || fail 'the plug-in'
${CC:-cc} -D_GNU_SOURCE "$IFD_SOURCE_DIR/tests/guest/stamp.c" -o copy/stamp || fail 'the program that reads the clock'
cat >copy/spring.yaml <<'END'
time: {step: 2 ms, end: 0.1 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 40 mm}
test:
  rig: {plugin: {file: ./plugin_hang.so, place: sense}}
  ramp-in: 0.05 s
  settle: 0.01 s
  overrun: extrapolate
  late-for: 1000 s
  arm-timeout: 2 s
END
cat >copy/steps.sh <<'END'
# one NAME KEY=VALUE... [-- OPTION...]: a test whose rig has these parameters
one() {
    name=$1
    shift
    sets=
    while [ $# -gt 0 ] && [ "$1" != -- ]; do sets="$sets --set test.rig.plugin.$1"; shift; done
    [ $# = 0 ] || shift
    echo "== $name"
    ./stamp ./interfield test spring.yaml --without-preflight --operator A $sets "$@" --out "/run/$name" </dev/null | grep -v '^\(case\|model\|rig\|kernel\)'
}
one sense
one command place=command
one wait place=wait -- --set test.pace=rig
one stdout how=stdout
one warm place=warm
one close place=close real=no -- --start
one returns time=0.4s real=no -- --start
# A process that is stopped as a whole raises no alarm.
echo '== stopped'
./interfield test spring.yaml --without-preflight --operator A --start --set test.rig.plugin.real=no --set test.rig.plugin.at=1e9 --set time.end=1s --out /run/stopped >/run/said 2>&1 </dev/null &
until grep -qs 'state run' /run/stopped/events.log; do sleep 0.05; done
kill -STOP $!
sleep 3
kill -CONT $!
status=0
wait $! || status=$?
echo "end $(grep -c 'engine   STOPPED' /run/said) $status"
END
run 0 --steady --shift 2 --timeout 1200 -- sh steps.sh
# judge NAME ALARM END STATUS: the alarm at most ALARM s after the rig hung, the program at most END s; 0 for an alarm that is over
judge() {
    sed -n "/^== $1\$/,/^== /p" said | awk -v alarm="$2" -v latest="$3" -v status="$4" '
        $1 == "engine" && !first { first = $2 }
        $1 == "end" { end = $2; got = $3 }
        END { printf "%s s, end %s s, status %s\n", first, end, got; exit !(first > 0 && first <= alarm && end <= latest && got == status) }' >judged ||
        fail "$1: $(cat judged)"
    echo "$1: alarm after $(cat judged)"
}
for place in sense command wait stdout; do judge $place 0.1 3.5 4; done
judge warm 1.1 3.5 4
judge close 1.1 6.5 4
judge returns 0.1 60 0
sed -n '/^== returns$/,/^== /p' said | grep -c '^engine' | grep -qx 2 || fail 'an alarm of 0.4 s has an end'
grep -qx 'end 0 0' said || fail 'a process that was stopped as a whole raised an alarm'
echo 'alarms, ends and exit statuses of a hung rig within their bounds'
