#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A client of its own for the reference rigs, with nothing of the library: what docs/reference/udp-wire.md promises about the conversation.

udp_references.py PORT TICK WATCHDOG SIMULATED       (s; heartbeat of the welcome)
udp_references.py --bridge PORT TICK WATCHDOG OCTAVE the datagrams of a test through interfield_wire.m, every one of its bytes compared"""
import os
import socket
import struct
import subprocess
import sys
import time
import zlib

FRAME = struct.Struct("<4sHHQQqqQdIIII16d16d32dIII")
NAMES = ("magic", "version", "kind", "session", "sequence", "stamp", "echo", "tick", "time", "word", "heartbeat", "actuators", "aux")


def encode(kind, session, sequence, **other):
    m = {"stamp": 5000 + sequence, "echo": 0, "tick": 0, "time": 0.0, "word": 0, "heartbeat": 0, "actuators": 1, "aux": 0, "a": [],
         "b": [], "outputs": 0, "commanded": 0, **other}
    numbers = [*m["a"], *[0.0] * (16 - len(m["a"])), *m["b"], *[0.0] * (16 - len(m["b"])), *[0.0] * 32]
    body = FRAME.pack(b"IFRG", 3, kind, session, sequence, m["stamp"], m["echo"], m["tick"], m["time"], m["word"], m["heartbeat"],
                      m["actuators"], m["aux"], *numbers, m["outputs"], m["commanded"], 0)
    return body + struct.pack("<I", zlib.crc32(body))


def decode(data):
    """The fields of a message whose every byte is right: unused ones are 0."""
    assert len(data) == 600, len(data)
    v = FRAME.unpack(data[:596])
    m = dict(zip(NAMES, v)) | {"a": v[13:29], "b": v[29:45], "c": v[45:77], "outputs": v[77], "commanded": v[78]}
    n = m["actuators"]
    again = encode(m["kind"], m["session"], m["sequence"], a=m["a"][:n], b=m["b"][:n] if m["kind"] == 3 else [],
                   **{k: m[k] for k in ("stamp", "echo", "tick", "time", "word", "heartbeat", "actuators")})
    assert data == again, [i for i in range(600) if data[i] != again[i]]
    return m


class Client:
    def __init__(self, port, session):
        self.link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.link.connect(("127.0.0.1", port))
        self.link.settimeout(60)
        self.session, self.sequence = session, 0

    def say(self, kind, **other):
        self.sequence += 1
        self.link.send(encode(kind, self.session, self.sequence, **other))

    def hear(self, kind, fits=lambda m: True):
        """The next message of a kind that fits; a busy machine may send it late."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            m = decode(self.link.recv(700))
            assert m["session"] == self.session
            if m["kind"] == kind and fits(m):
                return m
        raise AssertionError(f"no message {kind}")

    def greet(self, tick, word=0, actuators=1):
        self.say(1, time=tick, word=word, actuators=actuators)
        return self.hear(1)


def converse(port, tick, watchdog, simulated):
    c = Client(port, 77)
    assert c.greet(2 * tick)["word"] == 20, "another tick"
    assert c.greet(tick, actuators=2)["word"] == 19, "another number of actuators"
    assert c.greet(tick, word=1)["word"] == 24, "lockstep"
    c.link.send(b"IFRG\3\0\1\0" + bytes(592))  # a wrong checksum: no answer
    for word in (0, 4):
        m = c.greet(tick, word)
        assert (m["word"], m["time"], m["actuators"]) == (16, tick, 1), m
        assert m["heartbeat"] == (simulated if word else 0), m
        assert m["echo"] == 5000 + c.sequence, m
    first = c.hear(3)
    assert first["tick"] == 0 and first["word"] == 3 and first["b"][0] == 2e5 * first["a"][0], first
    # Until a position is commanded the watchdog does not count.
    c.say(2, tick=1, a=[0.02], commanded=0)
    assert c.hear(3, lambda m: m["tick"] == 1)["word"] == 3
    time.sleep(1.5 * watchdog)
    c.link.setblocking(False)
    try:
        while c.link.recv(700):  # what it sent meanwhile
            pass
    except BlockingIOError:
        c.link.settimeout(60)
    m = c.hear(3)
    assert m["word"] == 3 and m["a"] == first["a"], m
    other = Client(port, 78)
    c.say(2, tick=2, a=[first["a"][0] + 5e-4], commanded=1)
    assert other.greet(tick)["word"] == 17, "serves another test"
    assert c.hear(3, lambda m: m["tick"] == 2 and m["a"][0] > first["a"][0] + 1e-4)["word"] == 3
    began = time.monotonic()
    m = c.hear(3, lambda m: m["word"] & 4)
    assert time.monotonic() - began < watchdog + 30, "the watchdog"
    c.say(2, tick=3, a=[first["a"][0]], commanded=1)
    assert c.hear(3, lambda again: again["tick"] == 3)["a"] == m["a"], "a stopped rig ignores commands"
    old = c.sequence
    c.sequence = 0
    c.say(2, tick=99, a=[0.0], commanded=1)  # an old number does not count
    c.sequence = old
    c.say(4)
    c.hear(4)
    assert other.greet(tick, 4)["word"] == 16, "free after the bye"
    assert other.hear(3)["word"] == 3, "a new test is not stopped"
    other.say(4)
    other.hear(4)


def bridge(port, tick, watchdog, octave):
    path = os.environ["IFD_SOURCE_DIR"]
    script = (f"addpath('{path}/matlab'); x = 0; u = 0; while true, h = fread(stdin, 601, 'uint8=>uint8'); if numel(h) < 601, break; end;"
              f" k = 600 * double(h(1)); [o, u, c, s] = interfield_wire(h(2:601), k, x, 2e5 * x, 3, {tick}, {watchdog}, 1e9 * time);"
              f" if ~s, x = x + (u - x) * (1 - exp(-{tick} / 10e-3)); end; fwrite(stdout, o, 'uint8'); fflush(stdout); end")
    engine = subprocess.Popen([octave, "--quiet", "--no-init-file", "--eval", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("127.0.0.1", port))
    link.setblocking(False)
    waiting, owner, due = [], None, time.monotonic()
    while True:
        try:
            while True:
                got = link.recvfrom(700)
                waiting = [*[w for w in waiting if got[0][6] != 2 or w[0][6] != 2], got]  # of several commands the newest
        except BlockingIOError:
            pass
        data, sender = waiting.pop(0) if waiting else (b"", None)
        engine.stdin.write(bytes([len(data) == 600]) + data.ljust(600, b"\0")[:600])
        engine.stdin.flush()
        out = engine.stdout.read(600)
        if out[0]:
            m = decode(out)
            owner = sender if m["word"] == 16 and m["kind"] == 1 else owner
            link.sendto(out, owner if m["kind"] == 3 else sender)
        due += tick
        time.sleep(max(0.0, due - time.monotonic()))


if sys.argv[1] == "--bridge":
    bridge(int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]), sys.argv[5])
else:
    converse(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
