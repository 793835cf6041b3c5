#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An operator at the terminal of a test: operate.py PROGRAM WORDS... types arm when the program is idle and asks for it, and run when it is
ready, each once; a trip ends the test. What the program says is passed on; its exit status is the one of this script."""
import subprocess
import sys


def main():
    test = subprocess.Popen([*sys.argv[1:], "--operator", "A. Smith", "--exit-on-trip"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    asked = {b"idle     at rest": b"arm\n", b"ready    held": b"run\n"}
    again = (b"the rig is not ready", b"% of the ticks of the last second had a new measurement")  # on a busy machine
    for line in test.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        words = [asked.pop(q) for q in list(asked) if line.startswith(q)] + [b"arm\n"] * (line.startswith(b"arm      refused") and any(a in line for a in again))
        for word in words:
            try:
                test.stdin.write(word)
                test.stdin.flush()
            except BrokenPipeError:
                pass
    return test.wait()


sys.exit(main())
