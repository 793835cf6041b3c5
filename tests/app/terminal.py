#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A test at pseudo-terminals of several widths: no line is longer than the terminal is wide, typed words have their place in the status line, a
terminal without escape sequences gets none, and every terminal is left as it was. terminal.py PROGRAM"""
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time

PROGRAM = sys.argv[1]
CALM = ["--set", "test.late-for=1000s", "--set", "test.stale-for=60s", "--set", "test.stale-share=1", "--set", "test.overrun=extrapolate"]
PATIENCE = 240.0  # s, far more than any step takes


class Terminal:
    def __init__(self, width, words, kind="xterm"):
        self.width, self.said = width, b""
        self.master, self.slave = os.openpty()
        self.resize(width)
        self.before = termios.tcgetattr(self.slave)
        self.child = os.fork()
        if self.child == 0:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for file in (0, 1, 2):
                os.dup2(self.slave, file)
            environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
            os.execve(PROGRAM, [PROGRAM, *words], {**environment, "TERM": kind})

    def resize(self, width):
        self.width = width
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))

    def read(self):
        if select.select([self.master], [], [], 0.05)[0]:
            try:
                self.said += os.read(self.master, 65536)
            except OSError:
                pass

    def until(self, pattern, start=0):
        """Waits for a pattern in what was said since `start`; returns the place after it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = re.search(pattern, self.said[start:])
            if found:
                return start + found.end()
            self.read()
        raise AssertionError(f"{self.width} columns: no {pattern} in {self.said[start:][-1500:]}")

    def type(self, text):
        os.write(self.master, text)

    def end(self):
        """The exit status; the terminal must be as it was."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self.read()
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                break
        else:
            os.kill(self.child, signal.SIGKILL)
            raise AssertionError("the program does not end")
        for _ in range(5):
            self.read()
        assert termios.tcgetattr(self.slave) == self.before, "the terminal was not restored"
        return os.waitstatus_to_exitcode(status)

    def rows(self):
        """What one row of the terminal received: between line ends and carriage returns, without colours."""
        text = re.sub(rb"\x1b\[[0-9;]*[A-Za-z]", b"", self.said).decode()
        return [row for row in re.split(r"[\r\n]", text)]


def no_row_wraps(t):
    for row in t.rows():
        assert len(row) <= t.width, f"{t.width} columns, but {len(row)}: {row!r}"


def status_lines(t):
    return [row for row in t.rows() if re.match(r"(> .*)?\[[#-]{16}\]", row)]


# Tests in real time, all at once.
TESTS = {w: Terminal(w, ["test", "bridge/hybrid", "--out", f"at-{w}", "--set", "time.end=4s", *CALM]) for w in (60, 80, 120, 200)}
DUMB = Terminal(80, ["test", "bridge/hybrid", "--out", "dumb", "--set", "time.end=1s", *CALM], "dumb")
for width, test in TESTS.items():
    place = test.until(rb"\[[#-]{16}\]  0\.[0-9] / 4\.0 s   run")
    test.type(b"hx\x7fo\x1b[Al")  # with an arrow key
    place = test.until(rb"> hol   \[[#-]{16}\]", place)
    test.type(b"\x15reset\x15hold")
    place = test.until(rb"> hold   \[", place)
    assert not re.search(rb"   hold\b", test.said[place:]), "an order before the end of its line"
    test.type(b"\n")
    place = test.until(rb"\r\[[#-]{16}\]  [0-9.]+ / 4\.0 s   hold", place)
    test.type(b"resume\n")
    test.until(rb"\[[#-]{16}\]  [0-9.]+ / 4\.0 s   run", place)
for width, test in TESTS.items():
    assert test.end() == 0, test.said
    no_row_wraps(test)
    lines = status_lines(test)
    assert len(lines) > 5, lines
    assert all(" s   " in line or width == 60 for line in lines), lines
    if width != 120:  # fields go from the right
        assert any("p99.9" in line for line in lines) == (width == 200), (width, lines[-3:])
assert DUMB.end() == 0, DUMB.said
assert b"\x1b" not in DUMB.said, DUMB.said
no_row_wraps(DUMB)

# A terminal that becomes narrower: the next line already fits.
NARROWED = Terminal(200, ["test", "bridge/hybrid", "--out", "narrowed", "--set", "time.end=20s", *CALM])
NARROWED.until(rb"\[[#-]{16}\]  0\.[0-9] / 20\.0 s   run.*p99\.9")
NARROWED.resize(60)
NARROWED.until(rb"\r\[[#-]{16}\][^\r]*\r", len(NARROWED.said))
BEGIN = len(NARROWED.said)
NARROWED.type(b"stop\n")
assert NARROWED.end() in (0, 1), NARROWED.said
NARROWED.said = NARROWED.said[BEGIN:]
no_row_wraps(NARROWED)

# Tables.
for words in (["preflight", "bridge/hybrid", "--out", "."], ["check", "bridge/hybrid"], ["check", "--explain", "bridge/hybrid"], ["help"], ["help", "test"],
              ["help", "specimen"], ["compensate", "bridge/hybrid"]):
    for width in (60, 80, 200):
        table = Terminal(width, words)
        assert table.end() in (0, 1, 3), table.said
        if words[0] != "compensate":  # its lines for a case file are not broken, and 80 columns are its least width
            no_row_wraps(table)
