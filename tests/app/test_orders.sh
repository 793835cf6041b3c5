#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 11 s
# Orders that are refused, and a test that waits after a trip: every order is answered, on the terminal and in the log. Sees IFD_PROGRAM.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Machines that run tests are busy: late ticks are none of the business of this file.
cat >spring.yaml <<'END'
title: A spring on the rig
time: {step: 2 ms, end: 1000 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-for: 1000 s}
END
logs() { grep -q -- "$2" "$1/events.log" || fail "$1/events.log lacks '$2': $(cat "$1/events.log")"; }

# said beforehand
rate='--set test.rate-dependent=yes'
try 0 check spring.yaml $rate
says '^note  *this test cannot resume after a hold: .*allow-resume: yes'
try 0 check spring.yaml $rate --set test.allow-resume=yes
! grep -q 'cannot be resumed' out || fail "check speaks of a hold that can be resumed"
certify spring.yaml $rate --set time.end=0.2s --out .
says '^note  *this test cannot resume after a hold: .*allow-resume: yes'

# each order of a line is answered, in its order
{
    until_says 'state run' refused/events.log >&2
    echo resume reset run arm quit
    until_says 'order quit refused' refused/events.log >&2
    echo hold
    until_says 'checkpoint of tick' refused/events.log >&2
    echo resume
    until_says 'order resume refused: the specimen is rate-dependent' refused/events.log >&2
    echo hold
    until_says 'order hold refused' refused/events.log >&2
    echo checkpoint
    until_says '^saved ' out >&2
    echo ramp-out
} | "$IFD_PROGRAM" test spring.yaml $rate --out refused >out 2>err
got=$?
[ $got = 1 ] || fail "exit status $got of a test that the operator ended"
says '^resume  *refused: the test is not on hold'
says '^resume  *refused: the specimen is rate-dependent.*allow-resume: yes.*ramp-out'
says '^reset  *refused: the test is not tripped'
says '^run  *refused: the test is already running'
says '^arm  *refused: the test is already armed'
says '^quit  *refused: the test is under way'
says '^hold  *refused: the test is already on hold'
says '^saved  *checkpoint at '
says '^aborted  *by the operator in state hold '
logs refused 'order reset refused: the test is not tripped'
logs refused 'end: aborted by the operator in state hold'
try 0 replay refused

# the time scale of a slow test changes while it runs: answered, logged, shown, recorded and replayed
{
    until_says 'state run' paced/events.log >&2
    echo slower
    until_says 'order slower, from' paced/events.log >&2
    echo faster faster
    until_says 'order faster refused' paced/events.log >&2
    echo ramp-out
} | "$IFD_PROGRAM" test spring.yaml --without-preflight --set test.lambda=4 --out paced >out 2>err
says '^faster  *refused: the test already runs with the .lambda. of the case'
says '^scale  *2 orders, at most 2 times slower than the case'
grep -A4 '"time_scale"' paced/summary.json | tr -d ' \n' | grep -q '"orders":2,"slowest":0.5,"last":1,' || fail "summary: $(grep -A4 time_scale paced/summary.json)"
try 0 replay paced
try 0 report paced
grep -q 'The operator changed the time scale 2 times' paced/report.html || fail "the report lacks the time scale"

# a state that nobody could continue is not made on purpose; one that was made by a hold goes on when that is allowed
fast='--as-fast-as-possible --without-preflight --set time.end=1s'
try 2 test spring.yaml $rate $fast --until 0.5 --out paused
complains '--until ends the test on hold, but this test cannot continue: .*allow-resume: yes'
[ ! -e paused ] || fail "a refused test left a folder"
try 0 test spring.yaml $rate $fast --set test.allow-resume=yes --until 0.5 --out paused
timeout 60 "$IFD_PROGRAM" test spring.yaml $rate $fast --continue paused --out continued >out 2>err </dev/null
got=$?
[ $got = 2 ] || fail "exit status $got of a state on hold that cannot be resumed, expected 2"
complains 'was saved on hold: .*allow-resume: yes'
try 0 test spring.yaml $rate $fast --set test.allow-resume=yes --continue paused --out continued2
cp spring.yaml kept.yaml
for change in 's/^test: {/test: {allow-resume: yes, /' 's/settle: 0.05 s/&, allow-resume: yes/' 's/late-for: 1000 s}/late-for: 1000 s, allow-resume: yes}/'; do
    sed "$change" kept.yaml >spring.yaml
    rm -rf continued3
    try 0 test spring.yaml $rate $fast --continue paused --out continued3
done
sed 's/settle: 0.05 s/settle: 0.06 s, allow-resume: yes/' kept.yaml >spring.yaml
try 2 test spring.yaml $rate $fast --continue paused --out continued4
complains 'belongs to another case'
cp kept.yaml spring.yaml

# a hold in ramp-in
{
    until_says 'state ramp-in' early/events.log >&2
    echo hold
    until_says '  end: ' early/events.log >&2
} | "$IFD_PROGRAM" test spring.yaml --set test.ramp-in=20s --out early >out 2>err
got=$?
[ $got = 1 ] || fail "exit status $got of a hold in ramp-in"
says '^hold  *the test has not begun, so there is nothing to hold: the specimens ramp out and the test ends'
says '^aborted  *by the operator in state ramp-in '
is outcome aborted early/summary.json
is aborted_in ramp-in early/summary.json

# on a terminal a tripped test waits for reset or quit; --exit-on-trip does not, nor does one without a terminal
cat >on_terminal.py <<'END'
import os, pty, sys, time
folder, words = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(os.environ["IFD_PROGRAM"], [os.environ["IFD_PROGRAM"], "test", "spring.yaml", "--out", folder, *words])
os.set_blocking(terminal, False)
said = b""
def listen():
    global said
    try:
        said += os.read(terminal, 65536)
    except OSError:
        pass
def log():
    listen()
    try:
        return open(folder + "/events.log", encoding="utf-8").read()
    except OSError:
        return ""
def until(words):
    end = time.monotonic() + 120
    while words not in log():
        assert time.monotonic() < end, (words, log())
        time.sleep(0.02)
def order(word):
    os.write(terminal, word.encode() + b"\n")
until("state run")
order("trip")
until("state tripped")
if "--exit-on-trip" not in words:
    time.sleep(5)  # five times the second after which a test without an operator ends
    assert "  end: " not in log(), log()
    order("hold")
    until("order hold refused: the test is tripped")
    order("reset")
    until("waiting: for the order arm")  # when the rig was found again
    ready, refused = log().count("state ready"), -1
    end = time.monotonic() + 120
    while log().count("state ready") == ready:  # an order that is refused is forgotten
        if log().count("order arm refused") > refused:
            refused = log().count("order arm refused")
            order("arm")
        assert time.monotonic() < end, log()
        time.sleep(0.02)
    order("run")
    while log().count("state run") < 2:
        assert time.monotonic() < end, log()
        time.sleep(0.02)
    order("trip")
    while log().count("state tripped") < 2:
        assert time.monotonic() < end, log()
        time.sleep(0.02)
    time.sleep(1)
    order("reset")
    while log().count("waiting: for the order arm") < 2:
        assert time.monotonic() < end, log()
        time.sleep(0.02)
    order("quit")  # of a test that was reset: the trip remains its outcome
while os.waitpid(pid, os.WNOHANG)[0] == 0:
    listen()
    time.sleep(0.02)
listen()
assert "--exit-on-trip" in words or b"Nothing starts by itself: reset, arm and run are new orders" in said, said
END
if ! on_terminal 'a tripped test on a terminal'; then
    verdict 'every order is answered'
    exit
fi
/usr/bin/python3 on_terminal.py waited >out 2>err || fail "a tripped test on a terminal"
is outcome tripped waited/summary.json
is outcome_reason 'a trip was ordered' waited/summary.json
rows=$(at rows waited/summary.json)
ticks=$(at /timing/ticks waited/summary.json)
[ $((ticks - rows)) -gt 2000 ] || fail "$rows rows of $ticks ticks: while it waits one a second is recorded"
try 0 replay waited
says 'identical'
is /record/thinned $((ticks - rows)) waited/summary.json
is /record/dropped 0 waited/summary.json
/usr/bin/python3 on_terminal.py ended --exit-on-trip >out 2>err || fail "--exit-on-trip"
is outcome tripped ended/summary.json
verdict 'every order is answered, and a tripped test waits'
