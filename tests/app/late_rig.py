#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A rig of its own behind UDP, in lockstep, with nothing of the library but the frames of tests/faults/peer.py.

usage: late_rig.py PORT [key=value ...]

The position follows the command after `delay` (s, a fraction of a tick by interpolation), with a lag of second order if
`frequency` (Hz) and `ratio` are given, and never faster than `velocity` (m/s). The force is that of a spring `stiffness`
(N/m) that yields at `yield` (m, elastic-plastic), a dashpot `damping`, friction `friction` (N), a clearance `clearance`
and play `play` (m, total, behind the position sensor), zero at `at` (m), where the rig begins, measured `late` (s) after it, or through a filter of one pole
`filter` (s). `position` and `force` are factors of the sensors (-1: reversed), `noise` and `force-noise` their noise (m, N).
It prints "serves" and answers until it is killed; `scatter` (s): random change of the delay every 37 ticks."""

import math
import random
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "faults"))
import peer  # noqa: E402  the frames


class Rig:
    def __init__(self, port, settings):
        self.set = {"tick": 1e-3, "delay": 0.0, "stiffness": 6e5, "damping": 0.0, "friction": 0.0, "clearance": 0.0,
                    "filter": 0.0, "position": 1.0, "force": 1.0, "noise": 1e-6, "force-noise": 5.0, "scatter": 0.0,
                    "frequency": 0.0, "ratio": 0.7, "velocity": 0.0, "yield": 0.0, "play": 0.0, "late": 0.0, "at": 0.0}
        for word in settings:
            key, value = word.split("=")
            assert key in self.set, key
            self.set[key] = float(value)
        self.dice = random.Random(1)
        self.line = [self.set["at"]] * 400
        self.forces = [0.0] * 400
        self.v = self.f = self.sticks = self.plastic = self.played = 0.0
        self.x = self.set["at"]
        self.more = 0.0
        self.sequence, self.simulated = 0, 1
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", port))
        print("serves", flush=True)

    def follow(self, target):
        """The piston after a tick: its position."""
        s, steps = self.set, 20
        x, w, h = self.x, 2 * math.pi * s["frequency"], s["tick"] / steps
        most = s["velocity"] or math.inf
        if w == 0:
            return max(x - most * s["tick"], min(x + most * s["tick"], target))
        for _ in range(steps):
            self.v += h * (w * w * (target - x) - 2 * s["ratio"] * w * self.v)
            self.v = max(-most, min(most, self.v))
            x += h * self.v
        return x

    def resist(self, x, v):
        """The force of the specimen."""
        s = self.set
        half, play = s["clearance"] / 2, s["play"] / 2
        x -= s["at"]
        self.played = max(x - play, min(x + play, self.played))
        y = self.played - half if self.played > half else self.played + half if self.played < -half else 0.0
        if s["yield"] > 0:
            self.plastic = max(y - s["yield"], min(y + s["yield"], self.plastic))
        self.sticks = max(-1.0, min(1.0, self.sticks + v * s["tick"] / 1e-6))  # full friction after 1 um
        return s["stiffness"] * (y - self.plastic) + s["damping"] * v + s["friction"] * self.sticks

    def move(self, command):
        s, h = self.set, self.set["tick"]
        self.line = [command, *self.line[:-1]]
        if self.sequence % 37 == 0:
            self.more = s["scatter"] * self.dice.uniform(-1, 1)
        age = max(0.0, (s["delay"] + self.more) / h)
        i = int(age)
        x = self.follow(self.line[i] + (age - i) * (self.line[i + 1] - self.line[i]))
        v, self.x = (x - self.x) / h, x
        before = self.forces[0]
        self.forces = [self.resist(x, v), *self.forces[:-1]]
        T, change = s["filter"], self.forces[0] - before
        if T == 0:
            self.f = self.forces[round(s["late"] / h)]
            return
        fades = math.exp(-h / T)  # exact for a force that varies linearly over a tick
        self.f = fades * self.f + (1 - fades) * before + change * (1 - T / h * (1 - fades))

    def answer(self, m, address):
        if m["commanded"]:
            self.move(m["a"][0])
        self.sequence += 1
        s = self.set
        x = s["position"] * self.x + s["noise"] * self.dice.gauss(0, 1)
        f = s["force"] * self.f + s["force-noise"] * self.dice.gauss(0, 1)
        self.socket.sendto(peer.encode(peer.MEASURE, m["session"], self.sequence, time.monotonic_ns(), m["stamp"],
                                       m["tick"], 0.0, peer.NO_STOP | peer.HYDRAULICS, 1, [x], [f]), address)

    def serve(self):
        while True:
            data, address = self.socket.recvfrom(2048)
            m = peer.decode(data)
            if m is None:
                continue
            if m["kind"] == peer.HELLO:
                self.sequence += 1
                beat = m["word"] >> 2 & self.simulated
                self.socket.sendto(peer.encode(peer.HELLO, m["session"], self.sequence, time.monotonic_ns(), m["stamp"],
                                               0, self.set["tick"], peer.WELCOME, 1, [0.0], [0.0], beat=beat), address)
                self.answer({"tick": 0, "commanded": 0, "stamp": m["stamp"], "session": m["session"]}, address)
            elif m["kind"] == peer.COMMAND:
                self.answer(m, address)


if __name__ == "__main__":
    Rig(int(sys.argv[1]), sys.argv[2:]).serve()
