#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A specimen breaks in run, on a rig of its own (conduct.py) in lockstep: its force keeps its noise and nothing else. The result names the time."""
import json
import subprocess

from conduct import CASE, PROGRAM, Rig

BREAKS = 1500  # ticks of 2 ms in run: at 3 s


class Breaking(Rig):
    def send(self, to, kind, m, when, word, tick, beat=0, x=0.0, f=0.0):
        runs = sum(state == "run" for state, _ in self.seen) if kind == 3 else 0
        noise = 0.5 if len(self.seen) % 2 else -0.5
        super().send(to, kind, m, when, word, tick, beat, x, noise + (f if runs < BREAKS else 0.0))
        if kind == 1:  # in lockstep a rig begins with a measurement
            super().send(to, 3, m, 0.0, self.inputs(0), 0)


rig = Breaking()
with open("case.yaml", "w", encoding="utf-8") as file:
    file.write(CASE)
done = subprocess.run([PROGRAM, "test", "case.yaml", "--without-preflight", "--set", "time.end=9s", "--out", "result", "--exit-on-trip", "--quiet",
                       "--set", "initial.displacement.x=0 mm", "--set", f"test.rig={{udp: {{port: {rig.port}, timeout: 60 s, lockstep: yes}}}}",
                       "--as-fast-as-possible"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
rig.over = True
rig.join()
with open("result/summary.json", encoding="utf-8") as file:
    summary = json.load(file)
assert "NO_FORCE" in summary["seen"], (summary["outcome"], summary["seen"], done.stderr)
sentence = summary["cautions"][0]
since = float(sentence.split("from ")[1].split(" s on")[0])
assert sentence.startswith("a specimen had no stiffness from") and 2.5 <= since <= 4.1, sentence  # cycles of 1 s: the first empty one begins at or after 3 s
assert "interfield: caution: " + sentence in done.stderr, done.stderr
print(summary["outcome"], "|", sentence)
