#!/bin/sh
# SPDX-License-Identifier: MIT
# Who started a test goes away: its terminal, the program it is attached to, or who read its output. The specimens are brought to rest in order. Sees IFD_PROGRAM.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Machines that run tests are busy: late ticks are none of the business of this file.
cat >spring.yaml <<'END_OF_CASE'
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
END_OF_CASE
python=/usr/bin/python3
[ -x $python ] || python=python3
cat >gone.py <<'END_OF_SCENE'
import os, signal, subprocess, sys, time
how = sys.argv[1]
def ignore():
    signal.signal(signal.SIGHUP, signal.SIG_IGN if how == "nohup" else signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
p = subprocess.Popen([os.environ["IFD_PROGRAM"], "test", "spring.yaml", "--without-preflight", "--out", how] + ["--attached"] * (how == "attached"), stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=ignore)
def until(words):
    for _ in range(6000):
        try:
            if words in open(how + "/events.log", encoding="utf-8").read():
                return
        except OSError:
            pass
        if p.poll() is not None:
            sys.exit(f"{how}: ended with {p.returncode} before '{words}'")
        time.sleep(0.01)
    p.kill()
    sys.exit(f"{how}: no '{words}'")
def say(order):
    p.stdin.write(order.encode() + b"\n")
    p.stdin.flush()
until("state run")
if how == "attached":
    p.stdin.close()
elif how == "reader":
    p.stdout.close()
else:
    p.send_signal(signal.SIGHUP)
if how not in ("terminal", "attached"):  # the test goes on, and is led as ever
    say("hold")
    until("state hold")
    say("ramp-out")
sys.exit(0 if p.wait(60) == 1 else f"{how}: ended with {p.returncode}")
END_OF_SCENE
for how in terminal attached reader nohup; do
    $python gone.py $how >out 2>err || fail "$(cat err)"
    is outcome aborted $how/summary.json
    grep -q 'state ramp-out' $how/events.log || fail "$how: not led out: $(cat $how/events.log)"
done
grep -q 'order stop, automatic: standard input has ended' attached/events.log || fail "attached: $(cat attached/events.log)"
grep -q 'order hold, from the terminal' nohup/events.log || fail "nohup: $(cat nohup/events.log)"
verdict 'a test whose terminal or reader goes away is led out'
