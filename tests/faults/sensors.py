#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sensors that are sound, and sensors that lie, on a rig of its own over the wire.

The rig knows the true position and the true force of its specimens. It computes both with nothing of the library,
reports what its sensors make of them, and judges the test by the truth: its fault, and the largest true force before
the command stands still. Each row of TESTS is a case, a rig and what must happen. Each record must replay to the bit.

IFD_ONLY: rows whose name contains this word."""

import json
import math
import os
import random
import socket
import subprocess
import tempfile
import time

import peer

PATIENCE = 200  # s, for anything that must happen at all


class Actuator:
    """Second order behind a dead time, both exact for a command that is held for a tick."""

    def __init__(self, tick, frequency=15.0, damping=0.7, dead=6):
        self.line, self.parts = [0.0] * dead, 20
        self.w, self.z, self.h = 2 * math.pi * frequency, damping, tick / self.parts
        self.x = self.v = 0.0

    def step(self, command):
        self.line.append(command)
        u = self.line.pop(0)
        for _ in range(self.parts):
            self.v += self.h * (self.w**2 * (u - self.x) - 2 * self.z * self.w * self.v)
            self.x += self.h * self.v
        return self.x


class Rig:
    """One test: its case, its actuators, what it measures."""

    def __init__(self, name, case, sense, fault, most=math.inf, tick=0.001, actuators=1, overrides=()):
        self.name, self.case, self.sense, self.fault, self.most = name, case, sense, fault, most
        self.tick, self.actuators, self.overrides = tick, actuators, list(overrides)
        self.dice = random.Random(name)
        self.peak, self.kept, self.states, self.since, self.now = 0.0, {}, [], 0, 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.05)
        self.sequence, self.command = 0, [0.0] * actuators

    def answer(self, m, address):
        """sense() takes the rig and the commands and returns positions, forces, true forces, auxiliary values."""
        state = peer.STATES[m["word"]]
        self.since = 0 if not self.states or self.states[-1] != state else self.since + 1
        self.states.append(state)
        self.now += 1
        if m["commanded"]:
            self.command = list(m["a"][:self.actuators])
        x, f, true, aux = self.sense(self, self.command)
        self.peak = max([self.peak, *[abs(t) for t in true]])
        self.sequence += 1
        self.socket.sendto(self.written(m, x, f, aux), address)

    def written(self, m, x, f, aux):
        pad = [0.0] * (16 - self.actuators)
        body = peer.FRAME.pack(b"IFRG", 3, peer.MEASURE, m["session"], self.sequence, time.monotonic_ns(), m["stamp"],
                               m["tick"], 0.0, peer.NO_STOP | peer.HYDRAULICS, 0, self.actuators, len(aux), *x, *pad,
                               *f, *pad, *aux, *[0.0] * (32 - len(aux)), 0, 0, 0)
        return body + peer.struct.pack("<I", peer.zlib.crc32(body))

    def serve(self, test):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                data, address = self.socket.recvfrom(2048)
            except TimeoutError:
                if test.poll() is not None:
                    return
                continue
            m = peer.decode(data)
            if m and m["kind"] == peer.HELLO:
                self.sequence += 1
                zero = [0.0] * self.actuators
                self.socket.sendto(peer.encode(peer.HELLO, m["session"], self.sequence, time.monotonic_ns(),
                                               m["stamp"], 0, self.tick, peer.WELCOME, self.actuators, zero, zero),
                                   address)
                if self.now == 0:
                    self.answer({"tick": 0, "word": peer.IDLE, "commanded": 0, "stamp": m["stamp"],
                                 "session": m["session"]}, address)
            elif m and m["kind"] == peer.COMMAND:
                self.answer(m, address)
        raise AssertionError("the test does not end")

    def play(self, folder):
        with open(os.path.join(folder, "case.yaml"), "w", encoding="utf-8") as f:
            f.write(self.case)
        rig = f"test.rig={{udp: {{port: {self.socket.getsockname()[1]}, lockstep: yes, timeout: 0.3 s}}}}"
        sets = [x for s in (rig, *self.overrides) for x in ("--set", s)]
        with subprocess.Popen([peer.PROGRAM, "test", "case.yaml", "--without-preflight", "--out", "out", *sets],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
                              text=True) as test:
            try:
                self.serve(test)
                said = test.communicate(timeout=PATIENCE)[0]
            finally:
                if test.poll() is None:
                    test.kill()
        return said

    def check(self, folder, said):
        with open(os.path.join(folder, "out/summary.json"), encoding="utf-8") as f:
            summary = json.load(f)
        found = summary["fault"]["name"] if summary["fault"] else None
        print(f"{self.name}: {found}, {self.peak:.1f} N, {self.states[-1]} after {self.now} ticks")
        assert found == self.fault, f"{self.name}: fault {found}, expected {self.fault}\n{said}"
        assert self.peak <= self.most, f"{self.name}: true force {self.peak} N, permitted {self.most} N\n{said}"
        replay = subprocess.run([peer.PROGRAM, "replay", "out"], capture_output=True, text=True, check=False,
                                cwd=folder)
        assert replay.returncode == 0 and "identical" in replay.stdout, f"no replay: {replay.stdout} {replay.stderr}"


ENCODER = """title: A digital position sensor without noise
time: {step: 2 ms, end: 1 s}
method: lsrt2
model: {dofs: [x], mass: 1 t, damping: 800 N s/m, stiffness: 400 kN/m}
initial: {displacement: {x: 15 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 100 kN/m}
    estimate: {stiffness: 100 kN/m}
    compensation: {polynomial: {delay: 0.0203 s}}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 50 m/s2, force: 20 kN, tracking: 15 mm}
test: {ramp-in: 1 s, settle: 0.5 s, leave: start, overrun: extrapolate, late-for: 1000 s}
"""


def digital(step, stuck=None):
    """A sensor with this step; stuck: from this tick of run on."""
    def sense(rig, command):
        actuator = rig.kept.setdefault("actuator", Actuator(rig.tick))
        x = actuator.step(command[0])
        f = 1e5 * x + rig.dice.gauss(0.0, 5.0)
        if stuck is not None and rig.states[-1] == "run" and rig.since >= stuck:
            x = rig.kept.setdefault("x", x)
        return [step * math.floor(x / step + 0.5)], [f], [f], []
    return sense


LOADED = """title: A loaded spring that is unloaded
time: {step: 2 ms, end: 0.1 s}
method: lsrt2
model: {dofs: [x], mass: 1000 t, damping: 0 N s/m, stiffness: 0 N/m}
initial: {displacement: {x: -20 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 100 kN/m}
    estimate: {stiffness: 100 kN/m}
    limits: {stroke: 80 mm, velocity: 1 m/s, acceleration: 50 m/s2, force: 5 kN, tracking: 15 mm}
test: {ramp-in: 1 s, settle: 0.5 s, leave: zero-force, overrun: extrapolate, late-for: 1000 s}
"""


def unloaded(spoil):
    """A spring of 100 kN/m; from ramp-out on its load cell shows spoil(true force)."""
    def sense(rig, command):
        x = rig.kept.setdefault("actuator", Actuator(rig.tick)).step(command[0])
        true = 1e5 * x
        shown = spoil(true) if rig.states[-1] in ("ramp-out", "tripped") else true
        return [x + rig.dice.gauss(0.0, 1e-6)], [shown + rig.dice.gauss(0.0, 5.0)], [true], []
    return sense


REVERSED = """title: A bearing on a rig
time: {step: 2 ms, end: 0.2 s}
method: lsrt2
model: {dofs: [x], mass: 100 t, damping: 0 N s/m, stiffness: 0 N/m}
initial: {displacement: {x: 50 mm}}
specimen:
  - name: bearing
    spring: {between: [ground, x], stiffness: 600 kN/m}
    estimate: {stiffness: 600 kN/m}
    limits: {stroke: 200 mm, velocity: 1 m/s, acceleration: 50 m/s2, force: 60 kN, tracking: 40 mm}
test: {ramp-in: 2 s, settle: 0.5 s, leave: start, overrun: extrapolate, late-for: 1000 s}
"""

# x: a specimen; gravity: a force of 400 kN on a column of 200 MN/m, which the loop takes for 150 MN/m.
PRESSED = """title: A column under a controlled force
time: {step: 2 ms, end: 0.5 s}
method: lsrt2
model: {dofs: [x], mass: 100 t, damping: 0 N s/m, stiffness: 0 N/m}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: side
    spring: {between: [ground, x], stiffness: 600 kN/m}
    limits: {stroke: 200 mm, velocity: 1 m/s, acceleration: 50 m/s2, force: 60 kN, tracking: 40 mm}
force-control:
  - name: gravity
    force: 400 kN
    stiffness: 150 MN/m
    bandwidth: 4 Hz
    error: 40 kN
    limits: {stroke: 20 mm, velocity: 0.1 m/s, acceleration: 10 m/s2, force: 800 kN, tracking: 2 mm}
test: {ramp-in: 2 s, settle: 0.5 s, leave: start, overrun: extrapolate, late-for: 1000 s}
"""


def cell(gain):
    """A spring of 600 kN/m behind a load cell with this gain."""
    def sense(rig, command):
        x = rig.kept.setdefault("actuator", Actuator(rig.tick)).step(command[0])
        return [x + rig.dice.gauss(0.0, 1e-6)], [gain * 6e5 * x + rig.dice.gauss(0.0, 10.0)], [6e5 * x], []
    return sense


def pressed(shown, noise=200.0):
    """shown: what the load cell of the column makes of the true force and of the rig."""
    def sense(rig, command):
        if "a" not in rig.kept:
            rig.kept.update(a=Actuator(rig.tick), b=Actuator(rig.tick, 20.0, 0.7, 1))
        x, y = rig.kept["a"].step(command[0]), rig.kept["b"].step(command[1])
        true = 2e8 * y
        f = shown(rig, true) + rig.dice.gauss(0.0, noise)
        return ([x + rig.dice.gauss(0.0, 1e-6), y + rig.dice.gauss(0.0, 1e-8)],
                [6e5 * x + rig.dice.gauss(0.0, 10.0), f], [true], [])
    return sense


def stuck_from(value):
    """From this true force on the same value is shown, with noise."""
    def shown(rig, true):
        if abs(true) > value:
            rig.kept.setdefault("f", true)
        return rig.kept.get("f", true)
    return shown


def stuck_in_run(rig, true):
    """In run, 8 kN below the target: the error is smaller than its limit."""
    if rig.states[-1] == "run" and rig.since > 20:
        return 392e3
    return true


def dies(tick):
    """From this tick of run on the load cell of the spring shows noise only."""
    def sense(rig, command):
        x = rig.kept.setdefault("actuator", Actuator(rig.tick)).step(command[0])
        dead = rig.kept.setdefault("dead", False) or (rig.states[-1] == "run" and rig.since >= tick)
        rig.kept["dead"] = dead
        true = 1e5 * x
        return [x + rig.dice.gauss(0.0, 1e-6)], [(0.0 if dead else true) + rig.dice.gauss(0.0, 5.0)], [true], []
    return sense


TESTS = [
    Rig("an encoder with steps of 1 um", ENCODER, digital(1e-6), None),
    Rig("an encoder with steps of 100 um", ENCODER, digital(1e-4), None),
    Rig("an encoder that gets stuck in run", ENCODER, digital(1e-6, 100), "FROZEN",
        overrides=["test.frozen-for=0.1 s", "specimen.0.limits.tracking=45 mm"]),
    Rig("a sound load cell in unloading", LOADED, unloaded(lambda f: f), None, 2010),
    Rig("a load cell that is stuck at 2 kN, the force at -2 kN", LOADED, unloaded(lambda f: 2000.0), "UNLOADING",
        2600),
    Rig("a load cell that dies in run and keeps its noise", ENCODER, dies(1000), "NO_FORCE", 2000,
        overrides=["time.end=6 s", "model.damping=20 N s/m"]),
    Rig("a sound bearing", REVERSED, cell(1.0), None, 30.3e3),
    Rig("a reversed load cell", REVERSED, cell(-1.0), "STIFFNESS", 800),
    Rig("a sound column", PRESSED, pressed(lambda rig, f: f), None, 410e3, actuators=2),
    Rig("a column whose load cell is stuck", PRESSED, pressed(stuck_from(30e3)), "STIFFNESS", 160e3, actuators=2),
    Rig("a column whose load cell is stuck close to its target", PRESSED, pressed(stuck_from(370e3)), "STIFFNESS",
        510e3, actuators=2),
    Rig("a column whose load cell is clipped", PRESSED, pressed(lambda rig, f: max(-250e3, min(f, 250e3))),
        "STIFFNESS", 390e3, actuators=2),
    Rig("a column whose load cell has a gain of 0.3", PRESSED, pressed(lambda rig, f: 0.3 * f), "STIFFNESS", 100e3,
        actuators=2),
    Rig("a column whose load cell has a gain of 3", PRESSED, pressed(lambda rig, f: 3 * f), "STIFFNESS", 100e3,
        actuators=2),
    Rig("a column whose load cell is stuck in run", PRESSED, pressed(stuck_in_run), "STIFFNESS", 530e3, actuators=2,
        overrides=["time.end=20 s"]),
]


def main():
    only = os.environ.get("IFD_ONLY", "")
    for rig in TESTS:
        if only in rig.name:
            with tempfile.TemporaryDirectory() as folder:
                rig.check(folder, rig.play(folder))
        rig.socket.close()


if __name__ == "__main__":
    main()
