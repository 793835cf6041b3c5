#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shares of missing measurements, judged by a rig of its own (conduct.py), in lockstep: answers that it leaves out are waited for in vain, and
the share does not depend on the machine. stale.py SCENE PATIENCE"""
import subprocess
import sys

from conduct import CASE, PROGRAM, Rig


class Sparing(Rig):
    """Answers as `answers` decides, from the number of the command and its state."""

    def __init__(self, answers):
        self.answers = answers
        super().__init__()

    def send(self, to, kind, m, when, word, tick, beat=0, x=0.0, f=0.0):
        if kind != 3 or self.answers(len(self.seen), self.seen[-1][0]):
            super().send(to, kind, m, when, word, tick, beat, x, f)
        if kind == 1:  # in lockstep a rig begins with a measurement
            super().send(to, 3, m, 0.0, self.inputs(0), 0)


def conduct(answers, timeout, words, said=b""):
    """Types arm and then quit when the program says `said`."""
    rig = Sparing(answers)
    with open("case.yaml", "w", encoding="utf-8") as file:
        file.write(CASE)
    test = subprocess.Popen([PROGRAM, "test", "case.yaml", "--without-preflight", "--set", "time.end=2s", "--out", "result", "--exit-on-trip",
                             "--as-fast-as-possible", "--set", f"test.rig={{udp: {{port: {rig.port}, timeout: {timeout * int(sys.argv[2])} ms, lockstep: yes}}}}", *words],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for line in test.stdout:
        sys.stdout.buffer.write(line)
        if said and said in line:
            test.stdin.write(b"arm\nquit\n")
            test.stdin.flush()
    status = test.wait()
    rig.over = True
    rig.join()
    return status, rig


def fourth(n, _):
    """A rig that measures in every fourth tick."""
    return n % 4 == 0


SCENES = {
    "sound": lambda: conduct(lambda n, state: True, 60000, ()),
    "fourth": lambda: conduct(fourth, 5, ("--set", "test.arm-timeout=2s")),  # the program starts it
    "ordered": lambda: conduct(fourth, 5, ("--orders", "--operator", "A. Smith"), b"waiting  too few ticks"),
    "tenth": lambda: conduct(lambda n, state: state != "run" or n % 10 > 0, 5, ()),  # sound until it runs
    "few": lambda: conduct(lambda n, state: state != "run" or n % 25 > 0, 50, ()),
    "permitted": lambda: conduct(lambda n, state: n % 10 > 0, 5, ("--set", "test.stale-share=30 %")),
}
STATUS, RIG = SCENES[sys.argv[1]]()
assert sys.argv[1] not in ("fourth", "ordered") or not RIG.positions(), "it was moved"
sys.exit(STATUS)
