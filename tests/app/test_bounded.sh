#!/bin/sh
# SPDX-License-Identifier: MIT
# Without a clock a test ends at eight times its planned ticks, whatever keeps it going: here an operator makes it sixteen times slower.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cat >slow.yaml <<'END'
time: {step: 0.1 s, end: 300 s}
method: lsrt2
model: {dofs: [x], mass: 1000 kg, damping: 0, stiffness: 4 N/m}
initial: {displacement: {x: 10 mm}}
record: [x]
specimen:
  - name: s
    spring: {between: [ground, x], stiffness: 1 N/m}
    estimate: {stiffness: 1 N/m}
    limits: {stroke: 200 mm, velocity: 5 m/s, acceleration: 100 m/s2, force: 100 N, tracking: 200 mm}
test: {rig: virtual, ramp-in: 0.5 s, settle: 0.1 s, leave: start}
END
cat >slower.py <<'END'
"""Holds the test in the first half of its run, makes it sixteen times slower and resumes; a run that was quicker is repeated."""
import json, os, subprocess, sys
for attempt in range(20):
    out = "slow%d" % attempt
    test = subprocess.Popen([os.environ["IFD_PROGRAM"], "test", "slow.yaml", "--as-fast-as-possible", "--without-preflight", "--out", out],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    def order(word):
        try:
            test.stdin.write(word + "\n")
            test.stdin.flush()
        except BrokenPipeError:
            pass
    said = []
    for line in test.stdout:
        said.append(line)
        if line.startswith("priority") or line.startswith("hold     refused: the test is in ramp-in"):
            order("hold")
        if line.startswith("hold     simulated"):
            order("slower\n" * 12)
        if line.startswith("slower   refused"):
            order("resume")
    status = test.wait()
    summary = json.load(open(out + "/summary.json"))
    if summary["outcome"] == "completed" or summary["time"] > 299:  # held too late
        continue
    print("".join(said), status, summary["outcome"], summary["outcome_reason"], summary["time"])
    assert any("eight times the planned ticks" in line for line in said)
    assert status == 1 and summary["outcome"] == "aborted" and summary["time"] < 299
    with open(out + "/events.log") as log:
        assert "eight times the planned ticks" in log.read()
    sys.exit(0)
sys.exit("the test was never held in time")
END
/usr/bin/python3 slower.py >said 2>&1 || fail "$(tail -40 said)"
verdict 'a test without a clock is bounded'
