#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Rigs that misbehave, as processes of their own: faults injected over the wire, every command watched.

A peer speaks the protocol of src/link/wire.h with nothing of the library: it answers each command of a real
`interfield test` at once, moves a spring of its own, and goes wrong in a drawn way, in a drawn state, after a drawn
number of ticks. It knows the limits from the lines below and judges what it receives: positions, first and second
differences, the flag "no command", finite numbers, states, ticks, heartbeats. How each fault must end is written in
FAULTS, from docs/reference/faults.md. Each record must replay to the bit.

IFD_PEERS: how many (16); IFD_SEED: which (1); IFD_PEER: only this one, by its number."""

import concurrent.futures
import json
import math
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib

PROGRAM = os.environ["IFD_PROGRAM"]
PATIENCE = 200  # s, for anything that must happen at all

STROKE, VELOCITY, ACCELERATION, TICK = 0.05, 1.0, 100.0, 0.002
SCATTER = 0.005 * 2 * STROKE  # m, by which the first command may differ from what was measured last
ROUND_OFF = 8 * 2.0**-53 * 2 * STROKE  # m, of a second difference
STIFFNESS = 2e5

CASE = """title: A spring on a rig that misbehaves
time: {step: 4 ms, end: 0.8 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 5 mm}
test: {ramp-in: 0.4 s, settle: 0.05 s, leave: start, overrun: extrapolate, late-for: 1000 s, arm-timeout: 3 s,
       stale-for: 12 ms, stale-share: 1, frozen-for: 2000 s}
"""

# The rig moves one tick per command and is waited for, so that a busy machine changes nothing; an answer that
# acknowledges another command is waited for in vain. A rig that is not heard before arming
# has a clock: so many timeouts would last too long.
LOCKSTEP, CLOCK = "lockstep: yes, timeout: 0.3 s", "timeout: 60 s"

STATES = ("idle", "ready", "ramp-in", "run", "hold", "ramp-out", "stopped", "tripped", "return")
IDLE, READY, RAMP_IN, RUN, HOLD, RAMP_OUT, STOPPED, TRIPPED, RETURN = range(9)
LEADS = {IDLE: {READY, TRIPPED, RETURN}, READY: {RAMP_IN, STOPPED, TRIPPED}, RAMP_IN: {RUN, HOLD, RAMP_OUT, TRIPPED},
         RUN: {HOLD, RAMP_OUT, TRIPPED}, HOLD: {RUN, RAMP_OUT, STOPPED, TRIPPED}, RAMP_OUT: {STOPPED, TRIPPED},
         STOPPED: {TRIPPED}, TRIPPED: {IDLE}, RETURN: {IDLE, TRIPPED}}
HELLO, COMMAND, MEASURE, BYE = 1, 2, 3, 4
WELCOME, NO_STOP, HYDRAULICS, RIG_STOPPED = 16, 1, 2, 4

FRAME = struct.Struct("<4sHHQQqqQdIIII16d16d32dIII")
NAMES = ("magic", "version", "kind", "session", "sequence", "stamp", "echo", "tick", "time", "word", "heartbeat",
         "actuators", "aux")


def decode(data):
    """A message as a dictionary; None when it is none."""
    if len(data) != 600 or zlib.crc32(data[:596]) != struct.unpack_from("<I", data, 596)[0]:
        return None
    fields = FRAME.unpack_from(data)
    m = dict(zip(NAMES, fields))
    m["a"], m["b"] = fields[13:29], fields[29:45]
    m["commanded"] = fields[78]
    return m if m["magic"] == b"IFRG" and m["version"] == 3 else None


def encode(kind, session, sequence, stamp, echo, tick, when, word, actuators, a, b, version=3, beat=0):
    pad = [0.0] * (16 - len(a))
    body = FRAME.pack(b"IFRG", version, kind, session, sequence, stamp, echo, tick, when, word, beat, actuators, 0,
                      *a, *pad, *b, *pad, *[0.0] * 32, 0, 0, 0)
    return body + struct.pack("<I", zlib.crc32(body))


class Watcher:
    """Judges commands, and counts them."""

    def __init__(self):
        self.broke = []
        self.last = None
        self.step = 0.0
        self.sums = {s: {"commands": 0, "nothing": 0, "stroke": 0.0, "velocity": 0.0, "acceleration": 0.0}
                     for s in STATES}

    def rule(self, m, holds, what):
        if not holds:
            self.broke.append(f"tick {m['tick']}, {STATES[m['word']]}: {what}")

    def see(self, m, measured, power):
        """measured: what was said last of the position; power: whether the test knows of pressure, None: perhaps."""
        p, v, state = m["a"][0], m["b"][0], m["word"]
        sums, last = self.sums[STATES[state]], self.last
        sums["commands" if m["commanded"] else "nothing"] += 1
        self.rule(m, math.isfinite(p) and math.isfinite(v), f"{p} m, {v} m/s")
        self.rule(m, m["actuators"] == 1 and m["commanded"] in (0, 1), "another frame")
        self.rule(m, not m["commanded"] or (state != IDLE and power is not False), "commanded without a right to it")
        if last:
            follows = m["tick"] == last["tick"] + 1 and m["heartbeat"] == (last["heartbeat"] + 1) % 2**32
            self.rule(m, follows, f"tick {m['tick']} after {last['tick']}")
            self.rule(m, state == last["word"] or state in LEADS[last["word"]], f"after {STATES[last['word']]}")
        else:
            self.rule(m, state == IDLE, "the first state")
        if not m["commanded"]:
            self.rule(m, v == 0.0 and (not last or p == last["a"][0]), f"no command, and yet {p} m at {v} m/s")
            self.step = 0.0
        elif not last or not last["commanded"]:
            self.rule(m, state in (READY, RETURN) and abs(p) <= STROKE, f"begins to command {p} m")
            self.rule(m, any(abs(p - x) <= SCATTER for x in measured), f"first command {p}, measured {measured}")
            self.step = 0.0
        else:
            self.motion(m, p, sums)
        self.last = m

    def motion(self, m, p, sums):
        step = p - self.last["a"][0]
        change, self.step = step - self.step, step
        for what, value, limit in (("stroke", p, STROKE), ("velocity", step, VELOCITY * TICK),
                                   ("acceleration", change, ACCELERATION * TICK**2)):
            self.rule(m, abs(value) <= limit + (ROUND_OFF if what != "stroke" else 0.0),
                      f"{what} {abs(value) / limit} of its limit")
            sums[what] = max(sums[what], abs(value) / limit)


# What a peer does from the instant it strikes. Each takes the peer and the measure it is about to send, a dictionary
# of tick, word, x, f, actuators, version, copies (how often it is sent); n: ticks since it struck.


def acknowledge(tick):
    def spoil(peer, m, n):
        m["tick"] = tick(peer, m, n) % 2**64
    return spoil


def setting(**values):
    def spoil(_peer, m, _n):
        m.update(values)
    return spoil


def flags(on=0, off=0):
    def spoil(_peer, m, _n):
        m["word"] = (m["word"] | on) & ~off
    return spoil


def stuck(name):
    def spoil(peer, m, _n):
        m[name] = peer.kept.setdefault(name, m[name])
    return spoil


def reversed_position(_peer, m, _n):
    m["x"] = -m["x"]


def shifted(name, least, most):
    def spoil(peer, m, _n):
        size = peer.kept.setdefault("size", peer.dice.choice((-1, 1)) * peer.dice.uniform(least, most))
        m[name] += size
    return spoil


def noisy(peer, m, _n):
    m["x"] += peer.dice.choice((-1, 1)) * peer.dice.uniform(0.2, 2.0)


def sometimes(share, **values):
    def spoil(peer, m, _n):
        if peer.dice.random() < share:
            m.update(values)
    return spoil


ARMED = ("ready", "ramp-in", "run", "hold", "ramp-out")
ANY = ("idle", *ARMED)
NOT_HELD = ("idle", "ready", "ramp-in", "run", "ramp-out")
STUCK = ["test.frozen-for=0.2 s", "specimen.0.limits.tracking=45 mm"]
FREE = []

# name, what it does, states, the fault that must end the test (None: it is borne, and the test completes), overrides.
# In idle a fault that trips is noted, and the test cannot be armed: it ends as NOT_ARMED.
FAULTS = [
    ("acknowledges tick 0", acknowledge(lambda p, m, n: 0), ANY, "LOST", FREE),
    ("acknowledges tick -1", acknowledge(lambda p, m, n: -1), ANY, "LOST", FREE),
    ("acknowledges what was not sent", acknowledge(lambda p, m, n: m["tick"] + 1000), ANY, "LOST", FREE),
    ("acknowledges every second time what was not sent",
     acknowledge(lambda p, m, n: m["tick"] + (1000 if n % 2 else 0)), ANY, "LOST", FREE),
    ("acknowledges every second time a tick far back",
     acknowledge(lambda p, m, n: m["tick"] - 100 * (n % 2) if m["tick"] > 100 else 0), ANY, "LOST", FREE),
    ("acknowledges 2^62", acknowledge(lambda p, m, n: 2**62), ANY, "LOST", FREE),
    ("acknowledges one tick for ever", acknowledge(lambda p, m, n: p.kept.setdefault("at", m["tick"])), ANY, "LOST",
     FREE),
    ("acknowledges backwards", acknowledge(lambda p, m, n: max(0, p.kept.setdefault("at", m["tick"]) - n)), ANY,
     "LOST", FREE),
    ("acknowledges at random", acknowledge(lambda p, m, n: m["tick"] + p.dice.randrange(1000, 2**63)), ANY, "LOST",
     FREE),
    ("falls silent", setting(copies=0), ANY, "LOST", FREE),
    ("speaks another version", setting(version=2), ANY, "LOST", FREE),
    ("has another number of actuators", setting(actuators=2), ANY, "LOST", FREE),
    ("has a wrong checksum", setting(damaged=True), ANY, "LOST", FREE),
    ("goes on in another session", setting(session=7), ANY, "LOST", FREE),
    ("repeats an old message", setting(old=True), ANY, "LOST", FREE),
    ("a position that is no number", setting(x=math.nan), ANY, "NOT_FINITE", FREE),
    ("an infinite position", setting(x=-math.inf), ANY, "NOT_FINITE", FREE),
    ("a force that is no number", setting(f=math.nan), ARMED, "NOT_FINITE", FREE),
    ("a position outside the stroke", shifted("x", 0.08, 1e3), ANY, "POSITION", FREE),
    ("a position sensor full of noise", noisy, ANY, "POSITION", FREE),
    ("a reversed position sensor", reversed_position, ("ramp-in",), "TRACKING", FREE),
    ("a force beyond its limit", shifted("f", 2e4, 1e9), ARMED, "FORCE", FREE),
    ("a stuck position sensor", stuck("x"), ("ramp-in", "run"), "FROZEN", STUCK),
    ("a stuck load cell", stuck("f"), ("ramp-in", "run"), "FORCE_STUCK", STUCK),
    ("the emergency stop", flags(off=NO_STOP), ANY, "STOP_PRESSED", FREE),
    ("hydraulics that go off", flags(off=HYDRAULICS), ANY, "HYDRAULICS", FREE),
    ("a rig that stopped", flags(on=RIG_STOPPED), ANY, "RIG_STOPPED", FREE),
    ("every message twice", setting(copies=2), NOT_HELD, None, FREE),
    ("every message five times", setting(copies=5), NOT_HELD, None, FREE),
    ("one message in fifty is lost", sometimes(0.02, copies=0), NOT_HELD, None, FREE),
    ("damaged messages in between", sometimes(0.2, besides={"damaged": True}), NOT_HELD, None, FREE),
    ("old messages in between", sometimes(0.2, besides={"old": True}), NOT_HELD, None, FREE),
    ("a stranger's messages in between", sometimes(0.2, besides={"session": 99, "x": 9.0}), NOT_HELD, None, FREE),
]

# Of the first samples only: how many are wrong, which fault ends the test.
FIRST = [
    ("a first sample inside the stroke, but wrong", shifted("x", 0.01, 0.049), 1, None),
    ("a few first samples inside the stroke, but wrong", shifted("x", 0.01, 0.049), 20, None),
    ("a first sample outside the stroke", shifted("x", 0.06, 1.5), 1, None),
    ("first samples outside the stroke", shifted("x", 0.06, 1.5), 200, None),
    ("samples outside the stroke for ever", shifted("x", 0.06, 1.5), 10**9, "NOT_ARMED"),
    ("first samples full of noise", noisy, 200, None),
    ("samples full of noise for ever", noisy, 10**9, "NOT_ARMED"),
    ("hydraulics that come late", flags(off=HYDRAULICS), 300, None),
    ("a load cell that is dead from the first sample on", setting(f=0.0), 10**9, "FORCE_STUCK"),
]


class Peer:
    """One rig, its fault and the test that it serves."""

    def __init__(self, number, seed, work):
        self.dice = random.Random(f"{seed}.{number}")
        self.kept = {}
        if self.dice.random() < 0.2:
            self.name, self.spoil, self.most, self.fault = self.dice.choice(FIRST)
            self.state, self.sets, self.onset = IDLE, STUCK if self.fault == "FORCE_STUCK" else FREE, 0
        else:
            self.name, self.spoil, states, self.fault, self.sets = FAULTS[number % len(FAULTS)]
            self.state, self.most = STATES.index(self.dice.choice(states)), 10**9
            self.onset = self.dice.randrange({IDLE: 10, READY: 1, RAMP_OUT: 20}.get(self.state, 100))
        unheard = self.fault == "LOST" and self.state == IDLE
        self.line = CLOCK if unheard else LOCKSTEP
        if self.state == IDLE and self.fault and self.fault != "FORCE_STUCK":
            self.fault = "NOT_ARMED"
            self.sets = [*self.sets, "test.stale-for=60 ms"]
        if self.state == HOLD:
            self.sets = [*self.sets, "time.end=1000 s"]
        self.folder = os.path.join(work, str(number))
        os.mkdir(self.folder)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.05)
        self.watcher = Watcher()
        self.sequence, self.x, self.since, self.inside, self.struck = 0, 0.0, 0, 0, None
        self.old, self.off_since, self.asked, self.greeted = None, None, False, False
        self.said = []

    def begin(self):
        with open(os.path.join(self.folder, "case.yaml"), "w", encoding="utf-8") as f:
            f.write(CASE)
        rig = f"test.rig={{udp: {{port: {self.socket.getsockname()[1]}, {self.line}}}}}"
        sets = [x for s in (rig, *self.sets) for x in ("--set", s)]
        with open(os.path.join(self.folder, "test.txt"), "w", encoding="utf-8") as out:
            self.test = subprocess.Popen([PROGRAM, "test", "case.yaml", "--start", "--without-preflight", "--out", "out", *sets],
                                         stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT,
                                         cwd=self.folder, text=True)

    def order(self, word):
        try:
            self.test.stdin.write(word + "\n")
            self.test.stdin.flush()
        except OSError:
            pass  # it has ended: what it came to is looked at later

    def strikes(self, m):
        """Whether the fault is there in the answer to m; a hold is asked for."""
        self.inside = self.inside + 1 if m["word"] == self.state else 0
        if self.state == HOLD and m["word"] == RUN and self.since == 0 and not self.asked:
            self.order("hold")
            self.asked = True
        if self.since == 0 and self.inside > self.onset:
            self.since, self.struck = 1, m["word"]
        elif self.since:
            self.since += 1
        waited_for = self.line is LOCKSTEP and m["word"] == TRIPPED  # answered again, or each tick takes a timeout
        return 0 < self.since <= self.most and not waited_for

    def answer(self, m, address):
        if m["commanded"]:
            self.x = m["a"][0]
        noise = self.dice.gauss(0.0, 1.0)
        out = {"tick": m["tick"], "word": NO_STOP | HYDRAULICS, "x": self.x + 1e-6 * noise,
               "f": STIFFNESS * self.x + 5.0 * self.dice.gauss(0.0, 1.0), "actuators": 1, "version": 3, "copies": 1,
               "session": m["session"], "damaged": False, "old": False}
        if self.strikes(m):
            self.spoil(self, out, self.since)
        stamp = time.monotonic_ns()
        if not out["word"] & HYDRAULICS and self.off_since is None:
            self.off_since = stamp
        elif out["word"] & HYDRAULICS:
            self.off_since = None
        self.sequence += 1
        if "besides" in out:
            self.socket.sendto(self.written({**out, **out["besides"]}, stamp, m["stamp"]), address)
        data = self.written(out, stamp, m["stamp"])
        self.old = self.old or data
        for _ in range(out["copies"]):
            self.socket.sendto(data, address)
        self.said = [*self.said[-300:], out["x"]]

    def written(self, out, stamp, echo):
        pad = [0.0] * (out["actuators"] - 1)
        data = encode(MEASURE, out["session"], self.sequence, stamp, echo, out["tick"], 0.0, out["word"],
                      out["actuators"], [out["x"], *pad], [out["f"], *pad], out["version"])
        if out["damaged"]:
            data = data[:100] + bytes([data[100] ^ 1]) + data[101:]
        return self.old if out["old"] and self.old else data

    def serve(self):
        """Until the test has ended."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                data, address = self.socket.recvfrom(2048)
            except TimeoutError:
                if self.test.poll() is not None:
                    return
                continue
            m = decode(data)
            if m is None:
                self.watcher.broke.append("a message that is none")
            elif m["kind"] == HELLO:
                self.sequence += 1
                self.socket.sendto(encode(HELLO, m["session"], self.sequence, time.monotonic_ns(), m["stamp"], 0,
                                          TICK, WELCOME, 1, [0.0], [0.0], beat=m["word"] >> 2 & 1), address)  # simulated
                if not self.watcher.last and not self.greeted:
                    self.greeted = True
                    self.answer({"tick": 0, "word": IDLE, "commanded": 0, "stamp": m["stamp"],
                                 "session": m["session"]}, address)
            elif m["kind"] == COMMAND:
                known = self.off_since is not None and m["echo"] >= self.off_since
                self.watcher.see(m, self.said, not known)
                self.answer(m, address)
        raise AssertionError("the test does not end")

    def text(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except OSError:
            return ""

    def check(self):
        assert not self.watcher.broke, f"{len(self.watcher.broke)} rules broken, first: {self.watcher.broke[0]}"
        assert self.since > 0, "the fault never struck"
        status, wanted = self.test.wait(PATIENCE), 1 if self.fault else 0
        assert status == wanted, f"status {status}, expected {wanted}"
        with open(os.path.join(self.folder, "out/summary.json"), encoding="utf-8") as f:
            summary = json.load(f)
        found = summary["fault"]["name"] if summary["fault"] else None
        assert found == self.fault, f"fault {found}, expected {self.fault}"
        replay = subprocess.run([PROGRAM, "replay", "out"], capture_output=True, text=True, check=False,
                                cwd=self.folder)
        assert replay.returncode == 0 and "identical" in replay.stdout, f"no replay: {replay.stdout} {replay.stderr}"

    def play(self):
        self.begin()
        try:
            self.serve()
            self.check()
            return None
        except (AssertionError, OSError, ValueError, KeyError) as e:
            return f"{e}\n{self.text('test.txt')}{self.text('out/events.log')}"
        finally:
            if self.test.poll() is None:
                self.test.kill()
                self.test.wait()


def play(number, seed, work):
    for _ in range(5):
        peer = Peer(number, seed, work)
        said = peer.play()
        subprocess.run(["rm", "-rf", peer.folder], check=False)
        if not said or "no rig answered" not in said:  # within 0.3 s, on a machine that stood still
            break
    where = f"fault {number} of seed {seed}: {peer.name}, in {STATES[peer.state]} after {peer.onset} ticks"
    return said and f"{where}: {said}", STATES[peer.state], peer.watcher.sums, len(peer.watcher.broke)


def show(injected, sums):
    print("\n| state | faults injected | commands | no command | of the stroke | of the velocity | "
          "of the acceleration |\n|---|---|---|---|---|---|---|")
    for s in STATES:
        t = sums[s]
        print(f"| {s} | {injected[s]} | {t['commands']} | {t['nothing']} | {t['stroke']:.4f} | {t['velocity']:.4f} | "
              f"{t['acceleration']:.4f} |")


def main():
    count, seed = int(os.environ.get("IFD_PEERS", "16")), os.environ.get("IFD_SEED", "1")
    only = os.environ.get("IFD_PEER")
    numbers = [int(only)] if only else range(count)
    failures = outside = messages = 0
    injected, sums = dict.fromkeys(STATES, 0), Watcher().sums
    with tempfile.TemporaryDirectory(prefix="interfield-peers-") as work:
        with concurrent.futures.ProcessPoolExecutor(int(os.environ.get("IFD_JOBS", "4"))) as pool:
            for said, state, seen, broken in pool.map(play, numbers, [seed] * len(numbers), [work] * len(numbers)):
                if said:
                    print(f"FAILED: {said}", flush=True)
                failures += said is not None
                outside += broken
                injected[state] += 1
                for s, t in seen.items():
                    messages += t["commands"] + t["nothing"]
                    for what, value in t.items():
                        add = what in ("commands", "nothing")
                        sums[s][what] = sums[s][what] + value if add else max(sums[s][what], value)
    show(injected, sums)
    print(f"\nfaults injected over the wire {len(numbers)}, failed {failures}; messages watched {messages}, outside "
          f"limits {outside}; replayed to the bit {len(numbers) - failures} of {len(numbers)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
