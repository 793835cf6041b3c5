#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A rig server on a network moves a real rig only after its own operator typed allow for this connection. The rig (plugin_watch.c) writes down each
command that it receives; a client of its own speaks the datagrams of src/link/wire.h and ignores what it is asked to wait for."""
import os
import socket
import struct
import subprocess
import time
import zlib

PROGRAM = os.environ["IFD_PROGRAM"]
PLUGINS = os.environ["IFD_BUILD_DIR"] + "/tests/plugins"
PATIENCE = 120.0
FRAME = struct.Struct("<4sHHQQqqQdIIII16d16d32dIII")
NOT_ALLOWED, RIG_STOPPED, ENABLE, LOW = 64, 4, 4, 8
CASE = """title: A spring behind a rig server
time: {step: 4 ms, end: 60 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 10 kN, tracking: 40 mm}
test: {ramp-in: 1 s, settle: 0.05 s, leave: start, overrun: extrapolate, late-for: 1000 s, stale-for: 60 s}
"""


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Program:
    """One with a terminal: what it prints is in the file NAME."""

    def __init__(self, name, *words):
        self.name = name
        with open(name, "wb") as out:
            self.p = subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT)

    def type(self, word):
        self.p.stdin.write(word.encode() + b"\n")
        self.p.stdin.flush()

    def said(self):
        with open(self.name, encoding="utf-8") as file:
            return file.read()

    def until(self, text, count=1):
        end = time.monotonic() + PATIENCE
        while self.said().count(text) < count:
            assert time.monotonic() < end and self.p.poll() is None, (text, self.said())
            time.sleep(0.02)

    def end(self):
        self.p.terminate()
        return self.p.wait(PATIENCE)


def serve(host, rig, name):
    port = free_port()
    server = Program(name, "rig", "case.yaml", "--host", host, "--insecure", "--port", str(port), "--watchdog", "60", "--set", f"test.rig={rig}")
    server.until("serves")
    return server, port


def connect(port, name):
    return Program(name, "test", "case.yaml", "--without-preflight", "--operator", "A. Smith", "--out", f"{name}.d", "--set",
                   f"test.rig={{udp: {{port: {port}, timeout: 30 s}}}}")


def commands(log):
    """State, outputs and whether a position is commanded, of each command that the rig received."""
    with open(log, encoding="utf-8") as file:
        return [(line.split()[0], int(line.split()[1]), line.split()[2] == "1") for line in file if line.endswith("\n")]


def until(holds, what):
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def untouched(log, since=0):
    return all(not outputs and not commanded for _, outputs, commanded in commands(log)[since:])


def arm(test):
    """Types arm until the test is ready: a busy machine misses a measurement in the tick of the order, which is refused and forgotten."""
    test.until("idle     at rest")
    refused = test.said().count("arm      refused")
    test.type("arm")
    while "ready    held" not in test.said():
        until(lambda: "ready    held" in test.said() or test.said().count("arm      refused") > refused, "no answer to arm")
        if test.said().count("arm      refused") > refused:
            refused += 1
            time.sleep(0.2)
            test.type("arm")


def a_real_rig_waits_for_its_operator():
    server, port = serve("0.0.0.0", f"{{plugin: {{file: {PLUGINS}/plugin_watch.so, log: network.log}}}}", "network")
    server.type("allow")  # for nobody
    server.until("allow    refused: no test waits for it")
    test = connect(port, "first")
    server.until("it moves nothing until you type allow")
    test.until("the operator of the rig server has not allowed this connection: type allow there")
    for k, order in enumerate(("arm", "low", "arm")):
        test.type(order)
        test.until("refused: the operator of the rig server has to type allow for this connection first", k + 1)
    assert untouched("network.log"), commands("network.log")[-1]
    server.type("nonsense")
    server.until("'nonsense' is no order here")
    assert untouched("network.log")
    server.type("allow")
    server.until("allow    the connected test may move this rig")
    arm(test)
    until(lambda: any(c and o & ENABLE for _, o, c in commands("network.log")), "the rig is not commanded")
    test.type("stop")
    assert test.p.wait(PATIENCE) in (0, 1), test.said()
    server.until("free     the test ended")
    mark = len(commands("network.log"))
    test = connect(port, "second")  # it is asked anew
    server.until("it moves nothing until you type allow", 2)
    test.until("type allow there")
    test.type("arm")
    test.until("refused: the operator of the rig server has to type allow")
    assert all(not c for _, _, c in commands("network.log")[mark + 1:]), "a second test moved the rig"
    test.end()
    server.end()


def message(kind, session, sequence, tick, word, beat, outputs, commanded, x):
    body = FRAME.pack(b"IFRG", 3, kind, session, sequence, time.monotonic_ns(), 0, tick, 0.002 if kind == 1 else 0.0, word, beat, 1, 0,
                      x, *[0.0] * 15, *[0.0] * 48, outputs, commanded, 0)
    return body + struct.pack("<I", zlib.crc32(body))


def a_client_that_does_not_wait_is_stopped():
    server, port = serve("0.0.0.0", f"{{plugin: {{file: {PLUGINS}/plugin_watch.so, log: rude.log}}}}", "rude")
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.settimeout(1.0)
    for sequence in range(1, 1000):  # it is welcome when the rig is at rest
        client.sendto(message(1, 99, sequence, 0, 0, 0, 0, 0, 0.0), ("127.0.0.1", port))
        try:
            answer = FRAME.unpack_from(client.recv(2048))
        except TimeoutError:
            continue
        if answer[2] == 3 or answer[9] == 16:
            break
    words = set()
    end = time.monotonic() + PATIENCE
    while not any(w & RIG_STOPPED for w in words):
        assert time.monotonic() < end, words
        sequence += 1
        client.sendto(message(2, 99, sequence, sequence, 3 if len(words) else 0, sequence, ENABLE | LOW, len(words) > 0, 0.0), ("127.0.0.1", port))
        try:
            m = FRAME.unpack_from(client.recv(2048))
        except TimeoutError:
            continue
        if m[2] == 3:
            words.add(m[9])
    assert all(w & NOT_ALLOWED for w in words), words
    server.until("stopped  its operator had not allowed this connection to move it")
    assert untouched("rude.log"), "a position or a request for power reached the rig"
    client.close()
    server.end()


def a_real_rig_is_not_moved_in_lockstep():
    """Neither by itself nor as fast as the test computes, whatever its case says."""
    server, port = serve("127.0.0.1", f"{{plugin: {{file: {PLUGINS}/plugin_watch.so, log: lockstep.log}}}}", "lockstep")
    for options in (["--as-fast-as-possible"], ["--as-fast-as-possible", "--orders", "--operator", "A. Smith"]):
        test = Program("lockstep-test", "test", "case.yaml", "--without-preflight", "--out", f"lockstep.{len(options)}", *options, "--set",
                       f"test.rig={{udp: {{port: {port}, timeout: 30 s, lockstep: yes}}}}")
        assert test.p.wait(PATIENCE) == 1 and "the rig is real and has its own clock; 'lockstep' is for simulated rigs only" in test.said(), test.said()
    assert untouched("lockstep.log"), commands("lockstep.log")[-1]
    server.end()


def nobody_is_asked_on_this_computer_or_without_iron():
    server, port = serve("127.0.0.1", f"{{plugin: {{file: {PLUGINS}/plugin_watch.so, log: near.log}}}}", "near")
    test = connect(port, "near-test")
    arm(test)
    test.type("quit")
    assert test.p.wait(PATIENCE) in (0, 1), test.said()
    assert "type allow" not in server.said() + test.said(), server.said()
    server.end()
    server, port = serve("0.0.0.0", "virtual", "simulated")
    test = Program("simulated-test", "test", "case.yaml", "--without-preflight", "--start", "--out", "simulated.d", "--set", "time.end=0.5 s", "--set",
                   f"test.rig={{udp: {{port: {port}, timeout: 30 s}}}}")
    assert test.p.wait(PATIENCE) == 0, test.said()
    assert "allow" not in server.said() + test.said(), server.said()
    server.end()


if __name__ == "__main__":
    with open("case.yaml", "w", encoding="utf-8") as made:
        made.write(CASE)
    for scene in (a_real_rig_waits_for_its_operator, a_client_that_does_not_wait_is_stopped, a_real_rig_is_not_moved_in_lockstep, nobody_is_asked_on_this_computer_or_without_iron):
        scene()
        print(scene.__name__.replace("_", " "), flush=True)
