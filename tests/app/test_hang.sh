#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 60 s
# The supervisor: a rig that does not return from one of its functions. The alarm comes once, before the end of the program, and its printed
# age is at most the bound plus one wake-up. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cp "$IFD_BUILD_DIR/tests/plugins/plugin_hang.so" .
cat >spring.yaml <<'END'
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
# A substructure whose worker does not return: the specimens ramp out after half a minute without progress, and the program ends. Beside the rest.
${CC:-cc} -shared -fPIC -O1 "$IFD_SOURCE_DIR/tests/app/frozen.c" -o frozen.so -ldl || exit 1
LD_PRELOAD=./frozen.so IFD_IDLE_WORKER="$PWD/idle" "$IFD_PROGRAM" test "$IFD_SOURCE_DIR/tests/faults/parts.yaml" --without-preflight --set time.end=1000s \
    --set test.overrun=extrapolate --set test.late-for=1000s --out worker >worker.out 2>worker.err </dev/null &
worker=$!
until_says 'state run' worker/events.log
: >idle

# hang FOLDER STATUS KEY=VALUE...: a test whose rig has these parameters
hang() {
    folder=$1 wanted=$2
    shift 2
    set_all=
    for pair in "$@"; do set_all="$set_all --set test.rig.plugin.$pair"; done
    # shellcheck disable=SC2086 # words
    ${before:-} timeout 120 "$IFD_PROGRAM" test spring.yaml --without-preflight --operator A ${more:-} $set_all --out "$folder" >out 2>err </dev/null
    got=$?
    [ "$got" = "$wanted" ] || fail "hang $*: exit status $got, expected $wanted"
}
# alarm BOUND PLACE [FILE]: one alarm there, with this age or one wake-up more. A busy machine can delay a tick: such an alarm is over.
alarm() {
    file=${3:-err}
    open=$(($(grep -c 'engine   STOPPED' "$file") - $(grep -c 'engine   continues' "$file")))
    [ $open = 1 ] || fail "$2: $open alarms, expected one"
    line=$(grep 'engine   STOPPED' "$file" | tail -n 1)
    case $line in
    *"in $2"*) ;;
    *) fail "the alarm is '$line', expected in $2" ;;
    esac
    age=$(echo "$line" | sed 's/.* for \([0-9.]*\) s.*/\1/')
    awk "BEGIN { exit !($age >= $1 && $age <= $1 + 0.0101) }" || fail "$2: the age of the alarm is $age s, expected $1 s or one wake-up more"
}

# In every function, by waiting, spinning and with locks.
hang sense 4
alarm 0.05 "sense of rig 'lab'"
grep -q 'STOPPED: no tick for 0.06 s; last tick 119, in sense' err || fail 'the alarm lacks the last tick'
complains "^         Orders have no effect. Use the emergency stop. Ctrl-C ends now$"
complains "^hung     ended after 2.0 s without a tick; the watchdog of the rig stops it$"
grep -q "engine STOPPED: no tick for 0.0[56] s; last tick 119, in sense of rig 'lab'" sense/events.log || fail 'events.log lacks the alarm'
is /outcome hung sense/summary.json
is /hung/tick 119 sense/summary.json
is /hung/place sense sense/summary.json
is /hung/rig lab sense/summary.json
awk "BEGIN { exit !($(at /hung/seconds sense/summary.json) >= 2) }" || fail 'summary.json: wrong seconds'
try 0 recover sense
says '^recovered 119 ticks'
hang command 4 place=command
alarm 0.05 "command of rig 'lab'"
more='--set test.pace=rig'
hang wait 4 place=wait
alarm 0.05 "wait of rig 'lab'"
more=
hang warm 4 place=warm
alarm 1 "warm of rig 'lab'"
complains '^hung     ended after 2.0 s without an answer'
hang open 4 place=open
alarm 1 "open of rig 'lab'"
more=--start
hang close 4 place=close real=no
more=
alarm 1 "close of rig 'lab'"
complains '^hung     ended after 5.0 s without an answer'
more='--priority 0'
hang spin 4 how=spin
alarm 0.05 "sense of rig 'lab'"
more=
hang stdout 4 how=stdout
alarm 0.05 "sense of rig 'lab'"
is /outcome hung stdout/summary.json
before='env LD_PRELOAD=./plugin_hang.so'
if $before timeout 60 "$IFD_PROGRAM" --version >out 2>&1; then
    hang heap 4 how=heap
    alarm 0.05 "sense of rig 'lab'"
    is /hung/tick 119 heap/summary.json
    is /outcome hung heap/summary.json
else
    echo 'skipped: the lock of the heap, as another heap is preloaded'
fi
before=
hang exit 1 how=exit
complains 'called exit()'


# A tick that returns ends the alarm and is late; the test is completed and tells it. The age counts wake-ups, of which a busy machine loses some.
more=--start
hang returns 0 time=0.4s real=no
more=
grep -q 'engine   continues after [0-9.]* s without a tick' err || fail 'the end of the alarm is not said'
grep -q 'engine continues after' returns/events.log || fail 'events.log lacks the end of the alarm'
is /hung/place sense returns/summary.json
awk "BEGIN { exit !($(at /hung/seconds returns/summary.json) >= 0.05) }" || fail 'summary.json: wrong seconds of an alarm that is over'
is /outcome completed returns/summary.json

# begin FOLDER WORDS...: in the background; its number is $test, its words are in err
begin() {
    folder=$1
    shift
    : >out
    : >err
    "$IFD_PROGRAM" test spring.yaml --without-preflight --operator A "$@" --out "$folder" >out 2>err <in &
    test=$!
}
# over STATUS WHAT: it has ended
over() {
    wait $test
    got=$?
    [ $got = "$1" ] || fail "$2: exit status $got, expected $1"
}
mkfifo in
sleep 600 >in &
hold=$!

# A process that was stopped as a whole raises no alarm.
begin stopped --start --set test.rig.plugin.real=no --set test.rig.plugin.at=1e9 --set time.end=1s
until_says 'state run' stopped/events.log
kill -STOP $test
sleep 3
kill -CONT $test
over 0 'stopped for 3 s'
! grep 'STOPPED: no tick for [1-9]' err || fail 'a stopped process raised an alarm'

# A signal ends at once; a simulated rig would have 30 s.
begin signal --set test.rig.plugin.real=no
until_says 'engine   STOPPED' err
kill -TERM $test
over 4 'a signal after the alarm'
grep -q '^hung     ended after [0-9]\.' err || fail "the end by a signal: $(tail -n 1 err)"

# So does quit; other orders are not executed.
begin quit --set test.rig.plugin.real=no
until_says 'engine   STOPPED' err
echo hold >in
until_says '^hold     not executed: the engine has stopped'
grep -q 'order hold.*not executed' quit/events.log || fail 'events.log lacks the order that was not executed'
echo quit >in
over 4 'quit after the alarm'

# The page answers an order with the reason, and shows the alarm.
begin page --live 0 --set test.rig.plugin.real=no
until_says 'engine   STOPPED' err
/usr/bin/python3 - <<'END' || fail 'the page does not answer that an order was not executed'
import http.client
address = next(line.split()[1] for line in open("out") if line.startswith("live "))
connection = http.client.HTTPConnection(address.split("/")[2], timeout=60)
connection.request("POST", "/order/stop", headers={"X-Interfield-Token": address.split("#")[1], "X-Interfield-Name": "B. Jones"})
answer = connection.getresponse()
text = answer.read().decode()
assert answer.status == 409 and "not executed: the engine has stopped" in text, (answer.status, text)
END
grep -q 'order stop.*not executed' page/events.log || fail 'events.log lacks the order of the page that was not executed'
kill -TERM $test
over 4 'a signal after the alarm, with a page'

# In lockstep nothing ends by itself.
begin lockstep --as-fast-as-possible --set test.rig.plugin.lockstep=yes
until_says 'engine   STOPPED' err
alarm 1 "sense of rig 'lab'"
sleep 3
kill -0 $test || fail 'a test in lockstep ended by itself'
echo quit >in
over 4 'quit in lockstep'

# With a clock neither: its tick waits for the rig as long.
begin paced --set test.rig.plugin.lockstep=yes
until_says 'engine   STOPPED' err
alarm 1 "sense of rig 'lab'"
echo quit >in
over 4 'quit in lockstep with a clock'
kill $hold

# With --json the only text on standard output is one object.
more=--json
hang json 4
more=
is /outcome hung
is /hung/place sense
is /hung/rig lab
grep -q '^hung     ended after' err || fail 'with --json the alarm is not on standard error'

# Every command that opens a rig.
cp spring.yaml zero.yaml
cat >>zero.yaml <<'END'
channels:
  stroke: {input: position 1, measures: position of spring, unit: mm, sensitivity: 25, range: [-120, 120], zero-limit: 2}
END
sed 's/^method.*/master: {opensees: {elements: [[x]]}}/; /^model/d; /^initial/d' spring.yaml >serve.yaml
timeout 60 "$IFD_PROGRAM" rig spring.yaml --port 0 >out 2>err
[ $? = 4 ] || fail 'a rig server that hangs has another exit status'
alarm 0.05 "sense of rig 'lab'"
for words in 'channels spring.yaml --load' 'rig-check ./plugin_hang.so --param place=sense' 'characterise spring.yaml --operator A --out found' \
    'rig-check spring.yaml --stop --operator A' 'zero zero.yaml --operator A --load' 'preflight spring.yaml --echo 10s' \
    'serve opensees serve.yaml --without-preflight --operator A --port 0 --out served'; do
    # shellcheck disable=SC2086 # words
    timeout 60 "$IFD_PROGRAM" $words >out 2>err </dev/null
    got=$?
    [ $got = 4 ] || fail "$words: exit status $got, expected 4"
    alarm 0.05 "sense of rig 'lab'"
done

wait $worker
got=$?
[ $got = 4 ] || fail "a worker that does not return: exit status $got, expected 4: $(tail -n 3 worker.err)"
grep -q 'fault STANDSTILL' worker/events.log || fail 'a worker that does not return: no STANDSTILL'
alarm 1 'close of a substructure on a worker' worker.err
grep -q '^hung     ended after 3.0 s without an answer' worker.err || fail "a worker that does not return: $(tail -n 1 worker.err)"

verdict 'a rig that does not return ends the program'
