#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""characterise on a real rig with a clock: late_rig.py, which shares no code with the program, here does not declare itself simulated and logs every
command. A person types the orders. Judged by that log: nothing moves without arm and run, for the burst neither.

usage: clocked.py [SCENE...]; sees IFD_PROGRAM, the case storey.yaml and soft.yaml in the folder"""
import glob
import json
import os
import subprocess
import sys
import threading
import time

import late_rig
from conduct import STATES

MOVES = ["idle", "ready", "ramp-in", "run", "ramp-out"]
PATIENCE = 240.0
GAP = 0.02  # s, five ticks: the motion is another one than commanded
LATE = []
AGAIN = ("arm again after", "had a new measurement", "the rig is not ready")  # on a busy machine


class Clocked(late_rig.Rig, threading.Thread):
    """Logs (state, position or None) of each command."""

    def __init__(self, *settings):
        threading.Thread.__init__(self, daemon=True)
        late_rig.Rig.__init__(self, 0, ["tick=0.004", "delay=0.02", *settings])
        self.port, self.seen, self.simulated, self.last = self.socket.getsockname()[1], [], 0, time.monotonic()
        self.start()

    def run(self):
        self.serve()

    def answer(self, m, address):
        before, self.last = self.last, time.monotonic()
        if "a" in m:
            state = STATES[m["word"]]
            if state == "run" and self.seen and self.seen[-1][0] == state and self.last - before > GAP:
                LATE.append(f"{self.last - before} s between two commands")
            self.seen.append((state, m["a"][0] if m["commanded"] else None))
        super().answer(m, address)

    def quiet(self):
        return time.monotonic() - self.last

    def segments(self):
        """Each state in a row once, with its positions. The last commands of a record can be lost."""
        out = []
        for state, x in self.seen:
            if not out or out[-1][0] != state:
                out.append((state, []))
            out[-1][1].append(x)
        return [s for s in out if s[0] != "stopped"]


class Terminal:
    """What the program says. orders: (beginning of a line, what is typed then: text, or a function that does it)."""

    def __init__(self, rig, words, orders):
        self.said, self.rig = [], rig
        self.p = subprocess.Popen(
            [os.environ["IFD_PROGRAM"], *words, "--operator", "A. Smith", "--set", f"test.rig={{udp: {{port: {rig.port}, timeout: 30 s}}}}", "--set",
             "test.stale-for=60s", "--set", "test.stale-share=1", "--set", "test.late-for=1000s", "--set", "test.overrun=extrapolate"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        late = threading.Timer(PATIENCE, self.p.kill)  # a rig that waits for orders waits without end
        late.start()
        for raw in self.p.stdout:
            line = raw.decode()
            self.said.append(line)
            print(line, end="", file=sys.stderr, flush=True)
            if "missed:" in line or "the rig answers irregularly" in line:
                LATE.append(line)
            if any(a in line for a in AGAIN):
                self.type("arm")
            elif orders and line.startswith(orders[0][0]):
                act = orders.pop(0)[1]
                act(self) if callable(act) else self.type(act)
        self.status = self.p.wait()
        late.cancel()
        assert not orders, ("never said", orders)

    def type(self, text):
        self.p.stdin.write(text.encode() + b"\n")
        self.p.stdin.flush()

    def says(self, text):
        assert any(text in line for line in self.said), f"it did not say '{text}'"


def nothing_moved(rig):
    """Commands of a position in ready hold it; there is none in idle."""
    for state, x in rig.segments():
        if state == "idle":
            assert x == [None] * len(x), "a position in idle"
        if state == "ready":
            held = [p for p in x if p is not None]
            assert max(held) - min(held) < 1e-9, f"it moved in ready by {max(held) - min(held)} m"


def states(rig):
    nothing_moved(rig)
    return [s for s, _ in rig.segments()]


def largest(rig, which):
    """Largest distance of the commands of the run number `which` from where it begins, m."""
    x = [p for s, xs in rig.segments() if s == "run" for p in [xs]][which]
    return max(abs(p - x[0]) for p in x)


def orders_of_a_person(session):
    """Of both records: in events.log each with its source."""
    for folder in (session, session + "/velocity"):
        with open(folder + "/events.log", encoding="utf-8") as file:
            log = file.read()
        assert "operator A. Smith" in log and "order arm, from the terminal" in log and "order run, from the terminal" in log, log


def fresh(name):
    """A folder for the record, of each try its own."""
    return f"{name}-{len(glob.glob(name + '-*'))}"


def newest(name):
    return f"{name}-{len(glob.glob(name + '-*')) - 1}"


def a_burst_is_armed_and_run_again():
    rig = Clocked()
    at = Terminal(rig, ["characterise", "soft.yaml", "--out", fresh("burst")],
                  [("idle", "arm"), ("ready", "run\nrun\narm\nrun"), ("motion   bursts", ""), ("idle", "arm"), ("ready", "run")])
    assert at.status == 0 and states(rig) == MOVES * 2, (at.status, states(rig))
    at.says("of the test reached (")
    orders_of_a_person(newest("burst"))
    with open(newest("burst") + "/characterisation.json", encoding="utf-8") as file:
        found = json.load(file)["spring"]
    assert 0.95 < found["velocity"]["share"] < 1.05, found["velocity"]
    amplitude = found["velocity"]["commanded"] / (2 * 3.14159265 * found["velocity"]["frequency"])
    assert 0.95 * amplitude < largest(rig, 1) < 1.05 * amplitude, (largest(rig, 1), amplitude)
    assert abs(found["delay"] - 0.02) < 1e-3 and abs(found["stiffness"] / 6e5 - 1) < 0.01, found["delay"]


def an_order_before_the_question_is_forgotten():
    """Between both records the program computes: what is typed then would arm the burst before anybody was asked."""
    rig = Clocked()

    def soon(at):
        at.type("run")

        def type_between():
            while "ramp-out" not in [s for s, _ in rig.segments()] or rig.quiet() < 0.2:
                time.sleep(0.01)
            at.type("arm\nrun")
        threading.Thread(target=type_between, daemon=True).start()

    def later(at):
        time.sleep(2)
        at.type("quit")
    at = Terminal(rig, ["characterise", "soft.yaml", "--out", fresh("between")], [("idle", "arm"), ("ready", soon), ("idle", later)])
    at.says("what was typed before this line is forgotten")
    assert at.status == 0 and states(rig) == MOVES + ["idle"], (at.status, states(rig))
    at.says("not verified: the burst was not completed")
    at.says("ms beside 4 ms of the connection")


def without_an_order_nothing_moves():
    rig = Clocked()

    def later(at):
        time.sleep(5)
        at.type("run\nquit")
    at = Terminal(rig, ["characterise", "soft.yaml", "--out", fresh("never")], [("idle", later)])
    assert at.status == 1 and states(rig) == ["idle"] and len(rig.seen) > 1000, (at.status, states(rig))
    at.says("refused: not armed. Type arm first")
    assert not os.path.exists(newest("never") + "/spring.yaml")


def a_free_actuator_shows_its_velocity():
    rig = Clocked("stiffness=0")
    at = Terminal(rig, ["characterise", "storey.yaml", "--out", fresh("free"), "--free"],
                  [("idle", "arm"), ("ready", "run"), ("idle", "arm"), ("ready", "run")])
    assert at.status == 0 and states(rig) == MOVES * 2, (at.status, states(rig))
    at.says("of the test reached (")
    assert 4e-3 < largest(rig, 1) < 6e-3, largest(rig, 1)  # about 0.26 m/s at 7.8 Hz, more than the 2.4 mm of stroke-share
    at.says("without a specimen: only the twin of the actuator is written")


if __name__ == "__main__":
    for scene in [globals()[name] for name in sys.argv[1:]] or [a_burst_is_armed_and_run_again, an_order_before_the_question_is_forgotten,
                                                                without_an_order_nothing_moves, a_free_actuator_shows_its_velocity]:
        for tries in range(4):  # late ticks of a busy machine spoil the measurement: again, with the same assertions
            late = len(LATE)
            try:
                scene()
                break
            except AssertionError:
                if tries == 3 or len(LATE) == late:
                    raise
        print(scene.__name__.replace("_", " "), flush=True)
