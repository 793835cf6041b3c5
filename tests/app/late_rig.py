#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A rig of its own behind UDP, in lockstep, with nothing of the library but the frames of tests/faults/peer.py.

usage: late_rig.py PORT [key=value ...]

The position follows the command after `delay` (s, a fraction of a tick by interpolation), the force is that of a spring
`stiffness` (N/m), a dashpot `damping`, friction `friction` (N), a clearance `clearance` (m, total), through a filter of
one pole `filter` (s). `position` and `force` are factors of the sensors (-1: reversed), `noise` and `force-noise` their
noise (m, N). It prints "serves" and answers until it is killed; `scatter` (s): random change of the delay every 37 ticks."""

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
                    "filter": 0.0, "position": 1.0, "force": 1.0, "noise": 1e-6, "force-noise": 5.0, "scatter": 0.0}
        for word in settings:
            key, value = word.split("=")
            assert key in self.set, key
            self.set[key] = float(value)
        self.dice = random.Random(1)
        self.line = [0.0] * 400
        self.x = self.f = self.sticks = 0.0
        self.more = 0.0
        self.sequence = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", port))
        print("serves", flush=True)

    def move(self, command):
        s = self.set
        self.line = [command, *self.line[:-1]]
        if self.sequence % 37 == 0:
            self.more = s["scatter"] * self.dice.uniform(-1, 1)
        age = max(0.0, (s["delay"] + self.more) / s["tick"])
        i = int(age)
        x = self.line[i] + (age - i) * (self.line[i + 1] - self.line[i])
        v, self.x = (x - self.x) / s["tick"], x
        half = s["clearance"] / 2
        loose = x - half if x > half else x + half if x < -half else 0.0
        self.sticks = max(-1.0, min(1.0, self.sticks + v * s["tick"] / 1e-6))  # full friction after 1 um
        f = s["stiffness"] * loose + s["damping"] * v + s["friction"] * self.sticks
        share = 1.0 if s["filter"] == 0 else 1.0 - 2.718281828459045 ** (-s["tick"] / s["filter"])
        self.f += share * (f - self.f)

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
                beat = m["word"] >> 2 & 1
                self.socket.sendto(peer.encode(peer.HELLO, m["session"], self.sequence, time.monotonic_ns(), m["stamp"],
                                               0, self.set["tick"], peer.WELCOME, 1, [0.0], [0.0], beat=beat), address)
                self.answer({"tick": 0, "commanded": 0, "stamp": m["stamp"], "session": m["session"]}, address)
            elif m["kind"] == peer.COMMAND:
                self.answer(m, address)


if __name__ == "__main__":
    Rig(int(sys.argv[1]), sys.argv[2:]).serve()
