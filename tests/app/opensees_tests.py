# SPDX-License-Identifier: MIT
"""What a server for OpenSees must do, seen from the wire."""
import glob
import json
import math
import os
import shutil
import socket
import struct
import sys
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from opensees_peer import *  # noqa: E402,F403

PROGRAM = os.environ["IFD_PROGRAM"]
CASES = os.path.join(os.environ["IFD_SOURCE_DIR"], "cases")
K1 = 39.4784176043574
runs = [0]

LIMITS = "limits: {stroke: 300 mm, velocity: 3 m/s, acceleration: 100 m/s2%s}"
CASE = """title: a case of this test
time: {step: 10 ms, end: 10 s}
master:
  opensees: {stall: %(stall)s, %(more)s elements: %(elements)s}
specimen:
%(specimens)s
test: {ramp-in: 0.05 s, settle: 0.01 s, overrun: extrapolate, late-limit: 1000000, leave: start}
"""


def case(elements, springs, more="", stall="20 s", force=None):
    """springs: (between, stiffness)"""
    limits = LIMITS % (", force: %g N" % force if force else "")
    specimens = "".join("  - spring: {%s, stiffness: %r N/m}\n    estimate: {stiffness: %r N/m}\n    %s\n" %
                        (where, k, k, limits) for where, k in springs)
    name = "case%d.yaml" % runs[0]
    with open(name, "w") as f:
        f.write(CASE % dict(elements=elements, specimens=specimens, more=more, stall=stall))
    return name


def serve(name, *options):
    runs[0] += 1
    return Server(PROGRAM, name, *options, folder="out%d" % runs[0])


def fast(name, *options):
    return serve(name, "--as-fast-as-possible", *options)


ONE = ("[[x]]", [("at: x", K1)])
TWO = [("at: u1", 80.0), ("between: [u1, u2]", 80.0)]


def near(a, b, tolerance, what=""):
    assert abs(a - b) <= tolerance, "%s: %.17g, expected %.17g within %g" % (what, a, b, tolerance)


def sdof(peer, steps, u0=0.1, dt=0.01):
    """The largest deviation from the exact solution of the difference equation."""
    phi = math.acos(1 - 0.5 * K1 * dt * dt)
    worst = [0.0]

    def seen(n, u):
        worst[0] = max(worst[0], abs(u[0] - u0 * math.cos(n * phi)))
    newmark_explicit([peer], [(peer, 0)], [1.0], [u0], [-K1 * u0], steps, dt, seen)
    return worst[0]


# What OpenSees sends in its first step and in every later one, up to the commit; M: a trial that moves, 3: one that repeats.
SEQUENCES = {
    "NewmarkExplicit, CentralDifference, HHTExplicit": ("M 14 15 10 14 3 5", "M 14 10 14 3 5"),
    "NewmarkExplicit, factorOnce": ("M 14 15 10 14 3 5", "M 10 14 3 5"),
    "KRAlphaExplicit": ("12 14 15 14 M 10 14 3 5", "M 10 14 3 5"),
    "AlphaOS; Newmark, Linear": ("M 13 14 15 10 14 3 5", "M 13 14 10 14 3 5"),
    "AlphaOS, initial": ("M 12 14 15 10 14 3 5", "M 10 14 3 5"),
    "AlphaOS, updateElemDisp": ("M 13 14 15 10 14 3 M 5", "M 13 14 10 14 3 M 5"),
    "Newmark, Newton": ("M 10 15 14 13 14 M 10 14 13 14 M 10 14 5", "M 10 14 13 14 M 10 14 13 14 M 10 14 5"),
    "Newmark, ModifiedNewton": ("M 10 15 14 12 14 M 10 14 M 10 14 5", "M 10 14 M 10 14 M 10 14 5"),
    "NewmarkHSFixedNumIter": ("10 15 14 13 14 M 10 14 13 14 M 10 14 13 14 5", "10 13 14 M 10 14 13 14 M 10 14 13 14 5"),
    "LoadControl": ("10 13 M 10 13 M 10 5", "10 13 M 10 13 M 10 5"),
    "eigen, a recorder, a step that did not converge": ("13 15 M 10 5 10", "M 10 M 10 10 13 M 10 5"),
}


def every_call_sequence_is_answered():
    s = fast(case(*ONE))
    p = Peer(s.port, 1)
    p.trial([0.0])
    d, k, time_of_step = 0.0, 0, 0.0
    for name, (first, later) in SEQUENCES.items():
        for step in (first, later, later):
            time_of_step += 0.01
            for code in step.split():
                if code in ("M", "3"):
                    k += code == "M"
                    d = 0.001 * (k * 7 % 19 - 9) if code == "M" else d
                    p.trial([d], t=time_of_step)
                elif code == "5":
                    p.send(COMMIT)
                elif code == "10":
                    near(p.force()[0], K1 * d, 1e-13, name)
                else:
                    assert p.matrix(int(code)) == [[0.0 if code in ("14", "15") else K1]], (name, code)
    p.die()
    s.end(0)
    assert p.sent == s.counts(), (p.sent, s.counts())
    assert s.line("served").startswith("%d targets, %d steps" % (k + 1, 3 * len(SEQUENCES))), s.line("served")


def no_step_waits_for_a_delayed_acknowledgement():
    """The peer leaves Nagle's algorithm on, as OpenSees does: an acknowledgement that comes late costs 40 ms in every step."""
    s = fast(case(*ONE))
    p = Peer(s.port, 1)
    p.trial([0.0])
    took = []
    for k in range(1, 60):
        began = time.monotonic()
        p.trial([1e-4 * k], t=0.01 * k)
        p.force()
        p.trial([1e-4 * k], [1.0], t=0.01 * k)
        p.send(COMMIT)
        took.append(time.monotonic() - began)
    p.die()
    s.end(0)
    assert sorted(took)[len(took) // 2] < 0.02, sorted(took)[len(took) // 2]


def one_dof_follows_its_closed_form():
    s = fast(os.path.join(CASES, "opensees/sdof.yaml"))
    p = Peer(s.port, 1)
    p.trial([0.0])
    worst = sdof(p, 1000)
    p.die()
    s.end(0)
    assert worst < 1e-12, worst
    assert s.counts() == {3: 2001, 14: 1001, 10: 1000, 15: 1, 5: 1000, 99: 1}, s.counts()
    assert p.sent == s.counts()
    assert s.line("served").startswith("1001 targets, 1000 steps"), s.line("served")


def two_dofs(peers, owner, mode, steps):
    s5, m, k, u0, dt = math.sqrt(5), 2.0, 80.0, 0.05, 0.01
    lam, r = ((3 - s5) / 2, (1 + s5) / 2) if mode == 1 else ((3 + s5) / 2, (1 - s5) / 2)
    w2, shape = lam * k / m, (1.0, r)
    phi = math.acos(1 - 0.5 * w2 * dt * dt)
    worst = [0.0]

    def seen(n, u):
        for i in range(2):
            worst[0] = max(worst[0], abs(u[i] - shape[i] * u0 * math.cos(n * phi)))
    newmark_explicit(peers, owner, [m, m], [u0 * f for f in shape], [-w2 * u0 * f for f in shape], steps, dt, seen)
    return worst[0]


def two_dofs_follow_their_modes_over_tcp():
    s = fast(case("[[u1, u2]]", TWO))
    p = Peer(s.port, 2, size=256)
    p.trial([0.0, 0.0])
    assert two_dofs([p], [(p, 0), (p, 1)], 1, 300) < 1e-12
    p.die()
    s.end(0)


def two_elements_share_a_port_and_dofs_come_in_any_order():
    s = fast(case("[[u2], [u1]]", TWO))
    second, first = Peer(s.port, 1), None
    second.trial([0.0])
    first = Peer(s.port, 1)
    first.trial([0.0])
    assert two_dofs([second, first], [(first, 0), (second, 0)], 2, 200) < 1e-12
    second.die()
    first.die()
    s.end(0)
    assert " 200 steps" in s.line("served"), s.line("served")


def two_elements_share_a_udp_port():
    s = fast(case("[[u1], [u2]]", TWO), "--udp")
    first, second = Peer(s.port, 1, udp=True), Peer(s.port, 1, udp=True, handshake=False)
    first.trial([0.0])
    second.trial([0.0])
    assert two_dofs([first, second], [(first, 0), (second, 0)], 1, 100) < 1e-12
    first.die()
    second.die()
    s.end(0)


def datagrams_are_cut_at_9126_bytes():
    s = fast(case("[[u1, u2]]", TWO), "--udp")
    p = Peer(s.port, 2, size=2000, udp=True)
    p.trial([0.0, 0.0])
    assert two_dofs([p], [(p, 0), (p, 1)], 2, 100) < 1e-12
    assert p.pieces == [9126, 6874], p.pieces
    p.die()
    s.end(0)


def datagrams_without_handshake_and_of_512_bytes():
    s = fast(case("[[u1, u2]]", TWO), "--udp")
    p = Peer(s.port, 2, size=256, udp=True, handshake=False, chunk=512)
    p.trial([0.0, 0.0])
    assert two_dofs([p], [(p, 0), (p, 1)], 1, 50) < 1e-12
    assert p.pieces == [512] * 4, p.pieces
    p.die()
    s.end(0)


def handshake_may_be_repeated_and_lines_of_an_init_file_come_in_datagrams():
    s = fast(case(*ONE), "--udp")
    p = Peer.__new__(Peer)
    first = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    first.settimeout(20)
    first.bind(("127.0.0.1", 0))
    for _ in range(3):
        first.sendto(b"a", ("127.0.0.1", s.port))
        assert first.recv(10) == b"b"
    p.n, p.udp, p.chunk, p.size, p.sent, p.s, p.to = 1, True, DATAGRAM, 256, {}, first, ("127.0.0.1", s.port)
    p.ctrl, p.daq = [1, 0, 0, 0, 0], [1, 0, 0, 1, 0]
    p.raw(struct.pack("<11i", *p.ctrl, *p.daq, p.size))
    for line in (b"first line", b"second"):
        p.raw(b"\2" + line + b"\0" * (16384 - len(line)))
    p.trial([0.02])
    assert p.ask(DAQ)[:2] == [0.02, K1 * 0.02]
    p.die()
    s.end(0)


def strangers_datagrams_are_ignored():
    s = fast(case(*ONE), "--udp")
    stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    to = ("127.0.0.1", s.port)
    stranger.sendto(b"x" * 100, to)
    p = Peer(s.port, 1, udp=True)
    p.trial([0.0])
    stranger.sendto(b"\0" * 40, to)
    stranger.sendto(p.vector(DIE), to)
    stranger.sendto(b"a", to)
    assert sdof(p, 50) < 1e-12
    p.die()
    s.end(0)


def matrices_are_column_major():
    s = fast(case("[{dofs: [u1, u2], stiffness: [[3, 1], [0, 2]], damping: [5, 6], mass: [[7, 0.5], [0.5, 8]]}]", TWO))
    p = Peer(s.port, 2)
    assert p.size == 8
    p.trial([0.0, 0.0])
    assert p.ask(INITIAL)[:4] == [3, 0, 1, 2]
    assert p.ask(TANGENT)[:4] == [3, 0, 1, 2]
    assert p.ask(DAMP)[:4] == [5, 0, 0, 6]
    assert p.ask(MASS)[:4] == [7, 0.5, 0.5, 8]
    p.die()
    s.end(0)


def estimates_give_the_stiffness_and_nothing_else():
    s = fast(case("[[u1, u2]]", TWO))
    p = Peer(s.port, 2)
    p.trial([0.0, 0.0])
    assert p.matrix(INITIAL) == [[160, -80], [-80, 80]]
    assert p.matrix(DAMP) == p.matrix(MASS) == [[0, 0], [0, 0]]
    p.die()
    s.end(0)


def dofs_come_in_the_order_of_the_element():
    s = fast(case("[[c, a, b]]", [("at: a", 1.0), ("at: b", 10.0), ("at: c", 100.0)]))
    p = Peer(s.port, 3)
    assert p.size == 11
    p.trial([0.23, 0.21, 0.12])
    f = p.force()
    for i, wanted in enumerate((23.0, 0.21, 1.2)):
        near(f[i], wanted, 1e-13, "force %d" % i)
    p.die()
    s.end(0)


def openfresco_elements_get_every_quantity():
    s = fast(case("[[u1, u2]]", TWO))
    p = Peer(s.port, 2, size=16, ctrl=[2, 2, 2, 0, 1], daq=[2, 2, 2, 2, 1])
    p.send(1)
    p.trial([0.0, 0.0])
    p.trial([0.01, 0.03], [1.0, 2.0], [3.0, 4.0], 0.5)
    force = [80 * 0.01 - 80 * 0.02, 80 * 0.02]
    wanted = [0.01, 0.03, 1.0, 2.0, 3.0, 4.0] + force + [0.5]
    for code in (DAQ, DISP, VEL, ACC, FORCE, TIME):
        r = p.ask(code)
        for i, x in enumerate(wanted):
            near(r[i], x, 1e-14, "code %d, place %d" % (code, i))
    p.send(COMMIT)
    p.die()
    s.end(0)
    assert s.counts() == {1: 1, 3: 2, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 99: 1}, s.counts()


def generic_tcp_control_sends_its_init_file_first():
    s = fast(case(*ONE))
    p = Peer(s.port, 1, size=256, ctrl=[1, 0, 0, 0, 0], daq=[1, 0, 0, 1, 0])
    for line in (b"first line", b"second"):
        p.raw(b"\2" + line + b"\0" * (16384 - len(line)))
    for d in (0.0, 0.01, 0.02):
        p.trial([d])
        r = p.ask(DAQ)
        near(r[0], d, 1e-15)
        near(r[1], K1 * d, 1e-13)
    p.die()
    s.end(0)
    assert s.line("served").startswith("3 targets, 2 steps"), s.line("served")


def shortest_clients_are_served():
    s = fast(case(*ONE))  # as of LS-DYNA: n 0 0 0 0, 0 0 0 n 0, N = 2
    p = Peer(s.port, 1, size=2, ctrl=[1, 0, 0, 0, 0], daq=[0, 0, 0, 1, 0])
    p.trial([0.05])
    near(p.force()[0], K1 * 0.05, 1e-13)
    p.die()
    s.end(0)


def units_of_the_script_are_its_own():
    s = fast(case("[{dofs: [x], stiffness: [39.4784176043574]}]", ONE[1], more="length: 25.4 mm, force: 4.4482216 kN,"))
    p = Peer(s.port, 1)
    p.trial([2.0])
    near(p.force()[0], K1 * 0.0508 / 4448.2216, 1e-15)
    near(p.matrix(INITIAL)[0][0], K1 * 0.0254 / 4448.2216, 1e-15)
    p.die()
    s.end(0)


def a_force_is_measured_once_per_displacement():
    s = fast(case("[[x]]", [("at: x", K1)]))
    p = Peer(s.port, 1)
    p.trial([0.0])
    p.trial([0.02], [0.1], [0.0], 0.01)
    f = p.force()
    p.trial([0.02], [0.2], [0.3], 0.01)
    p.trial([0.02 + 1e-17], [0.2], [0.3], 0.01)
    assert p.force() == f and p.force() == f
    p.send(COMMIT)
    p.raw(p.vector(COMMIT) + p.vector(TRIAL) + p.vector(FORCE))  # three in one segment
    assert p.receive()[:1] == f
    p.die()
    s.end(0)
    assert s.line("served").startswith("2 targets"), s.line("served")


def messages_may_be_split_anywhere():
    s = fast(case(*ONE))
    p = Peer(s.port, 1)
    p.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    p.trial([0.0])
    p.set([0.03])
    data = p.vector(TRIAL) + p.vector(FORCE)
    for cut in range(1, len(data), 7):
        p.s.sendall(data[:cut])
        time.sleep(0.002)
        p.s.sendall(data[cut:])
        near(p.receive()[0], K1 * 0.03, 1e-13, "cut at %d" % cut)
    p.die()
    s.end(0)


def closed(sock):
    """Whether the server hangs up."""
    sock.settimeout(20)
    try:
        return sock.recv(1) == b""
    except ConnectionResetError:
        return True


def bad_headers_are_refused_and_a_good_client_is_served_after_them():
    s = fast(case(*ONE))
    good = [1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 5]

    def header(changes, order="<"):
        h = list(good)
        for i, x in changes.items():
            h[i] = x
        return struct.pack(order + "11i", *h)
    bad = {
        "messages too short": header({10: 2}), "N = 0": header({10: 0}), "N negative": header({10: -5}),
        "N absurd": header({10: 2000000000}), "count negative": header({1: -1}), "count absurd": header({0: 1 << 30, 10: 8000}),
        "no displacement": header({0: 0}), "two dofs": header({0: 2, 1: 2, 2: 2, 8: 2, 10: 8}),
        "mixed": header({1: 3, 10: 50}), "time of three": header({4: 3, 10: 50}), "big-endian": header({}, ">"),
        "noise": bytes(range(200, 244)), "text": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + b" " * 20,
    }
    for what, data in bad.items():
        c = socket.create_connection(("127.0.0.1", s.port), 20)
        c.sendall(data)
        assert closed(c), what
    silent = socket.create_connection(("127.0.0.1", s.port), 20)
    half = socket.create_connection(("127.0.0.1", s.port), 20)
    half.sendall(header({})[:20])
    half.close()
    p = Peer(s.port, 1)
    p.trial([0.0])
    assert sdof(p, 30) < 1e-12
    extra = socket.create_connection(("127.0.0.1", s.port), 20)
    extra.sendall(header({}))
    assert closed(extra), "a second client"
    assert sdof(p, 30) < 1e-12
    p.die()
    silent.close()
    s.end(0)
    assert "%d refused" % (len(bad) + 1) in s.line("served"), s.line("served")


def started(name, *options, gain=1.0, **how):
    s = fast(name, *options)
    p = Peer(s.port, 1, **how)
    p.trial([0.0])
    p.trial([0.02], t=0.01)
    near(p.force()[0], K1 * gain * 0.02, 1e-13)
    return s, p


def client_that_vanishes_leads_the_test_out():
    s, p = started(case(*ONE))
    p.raw(p.vector(TRIAL)[:17])
    p.s.close()
    s.end(1)
    assert "MASTER_LOST" in s.errors, s.errors


def client_that_vanishes_while_it_waits_leads_the_test_out():
    s = serve(case(*ONE), "--set", "test.lambda=50", "--priority", "0")
    p = Peer(s.port, 1)
    p.trial([0.0])
    p.force()
    p.trial([0.1], t=0.01)
    p.send(FORCE)
    time.sleep(0.1)
    p.s.close()
    s.end(1)
    assert "MASTER_LOST" in s.errors, s.errors


def client_that_stops_in_the_middle_of_a_message_is_lost():
    s, p = started(case(*ONE, stall="1 s"))
    p.raw(p.vector(TRIAL)[:17])
    assert closed(p.s)
    s.end(1)
    assert "stopped in the middle of a message" in s.line("lost"), s.lines


def header_that_drips_is_not_waited_for():
    s = fast(case(*ONE, stall="0.3 s"))
    slow = socket.create_connection(("127.0.0.1", s.port), 20)
    slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        for byte in struct.pack("<11i", 1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 5):
            slow.sendall(bytes([byte]))
            time.sleep(0.05)
        raise AssertionError("a header of two seconds was taken")
    except (BrokenPipeError, ConnectionResetError):
        pass
    p = Peer(s.port, 1)
    p.trial([0.02])
    near(p.force()[0], K1 * 0.02, 1e-13)
    p.die()
    s.end(0)


def client_that_is_silent_is_lost_and_may_come_back():
    s, p = started(case(*ONE, more="patience: 0.5 s,"))
    time.sleep(0.9)
    assert math.isnan(p.force()[0])
    assert closed(p.s)
    s.end(1)
    assert "silent" in s.line("lost") and "MASTER_LOST" in s.errors, s.lines


def request_before_any_displacement_is_refused():
    s = fast(case(*ONE))
    p = Peer(s.port, 1)
    p.send(FORCE)
    assert closed(p.s)
    s.end(1)
    assert "before it had sent a displacement" in s.errors, s.errors


def connections_that_say_nothing_keep_nobody_out():
    s = fast(case(*ONE))
    idle = [socket.create_connection(("127.0.0.1", s.port), 20) for _ in range(40)]
    p = Peer(s.port, 1)
    p.trial([0.0])
    more = [socket.create_connection(("127.0.0.1", s.port), 20) for _ in range(40)]
    assert closed(idle[0])
    assert sdof(p, 20) < 1e-12
    p.die()
    s.end(0)
    for c in idle + more:
        c.close()


def element_that_is_missing_is_named():
    s = fast(case("[[u1], [u2]]", TWO))
    p = Peer(s.port, 1)
    p.trial([0.0])
    for line in s.p.stdout:
        s.lines.append(line.rstrip("\n"))
        if line.startswith("waits"):
            break
    assert s.line("waits").startswith("for element 2 of 2"), s.lines
    p.s.close()
    s.end(1)


def codes_that_nobody_knows_end_the_session():
    for code in (-1.0, float("nan"), 50.0, 1e300, 4.1):
        s, p = started(case(*ONE))
        p.raw(struct.pack("<5d", code, 0, 0, 0, 0))
        assert closed(p.s), code
        s.end(1)
        assert "MASTER_LOST" in s.errors, (code, s.errors)


def fractions_of_codes_are_cut_off():
    s, p = started(case(*ONE))
    p.raw(struct.pack("<5d", 2.5, 0, 0, 0, 0))
    assert p.force()
    p.die()
    s.end(0)


def displacements_that_are_no_numbers_stop_the_test_and_are_answered():
    for bad in (float("nan"), float("inf")):
        s, p = started(case(*ONE))
        p.trial([bad], t=0.02)
        assert math.isnan(p.force()[0])
        p.trial([0.01], t=0.03)
        assert math.isnan(p.force()[0])
        assert p.matrix(INITIAL)[0][0] == K1
        p.die()
        s.end(1)
        assert "MASTER_WRONG" in s.errors, s.errors


def displacements_beyond_the_stroke_stop_the_test():
    s, p = started(case(*ONE))
    p.trial([0.4], t=0.02)
    assert math.isnan(p.force()[0])
    p.die()
    s.end(1)
    assert "MASTER_WRONG" in s.errors and "limit 0.3" in s.errors, s.errors


def displacements_that_compensation_cannot_reach_stop_the_test():
    s, p = started(case(*ONE), "--set", "specimen.0.compensation={inverse-2: {coefficients: [1.1, 0, 0]}}", gain=1.1)
    p.trial([0.28], t=0.02)
    assert math.isnan(p.force()[0])
    p.trial([0.01], t=0.03)
    assert math.isnan(p.force()[0])
    p.die()
    s.end(1)
    assert "UNREACHED" in s.errors and "0.308" in s.errors and "limit 0.3" in s.errors, s.errors


JACK = """force-control:
  - name: axial
    force: -100 N
    stiffness: 100 kN/m
    twin: {spring: {stiffness: 50 kN/m}}
    limits: {stroke: 20 mm, velocity: 50 mm/s, acceleration: 5 m/s2, force: 1 kN}
"""


def a_force_that_is_held_meanwhile_does_not_hold_up_the_answers():
    name = case(*ONE)
    with open(name, "a") as f:
        f.write(JACK)
    s, p = started(name)
    for k in range(1, 5):
        p.trial([0.02 - 0.01 * k], t=0.01 + 0.01 * k)
        near(p.force()[0], K1 * (0.02 - 0.01 * k), 1e-13)
    p.die()
    s.end(0)
    assert s.line("peaks").startswith("axial command 1.99 mm · force 99.7 N"), s.lines


def a_trip_keeps_the_connection_and_answers_nan():
    s, p = started(case(*ONE, force=2.0))
    p.trial([0.1], t=0.02)
    assert math.isnan(p.force()[0])
    time.sleep(0.3)
    for k in range(20):
        p.trial([0.1 + 0.001 * k], t=0.03 + 0.01 * k)
        assert math.isnan(p.force()[0])
        p.send(COMMIT)
    p.die()
    s.end(1)
    assert "FORCE" in s.errors, s.errors


def with_a_clock_answers_are_the_same_and_the_motion_never_jumps():
    s = serve(case(*ONE), "--priority", "0", "--csv")
    p = Peer(s.port, 1)
    p.trial([0.0])
    assert sdof(p, 60, u0=0.02) < 1e-12
    p.die()
    s.end(0)
    with open("out%d/result.csv" % runs[0]) as f:
        names = [n.split(" [")[0] for n in f.readline().strip().split(",")]
        rows = [line.strip().split(",") for line in f]
    at = names.index([n for n in names if n.endswith(" command")][0])
    c = [float(r[at]) for r in rows]
    sharpest = max(abs(c[i] - 2 * c[i - 1] + c[i - 2]) for i in range(2, len(c))) / 0.001 ** 2
    assert sharpest <= 100.0 * (1 + 1e-9), sharpest


def a_rig_in_another_process_is_as_good():
    name = case(*ONE)
    rig = subprocess.Popen([PROGRAM, "rig", name, "--port", "0", "--for", "60", "--priority", "0"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in rig.stdout:
        if line.startswith("serves"):
            port = int(line.split("port", 1)[1].split()[0])
            break
    s = fast(name, "--set", "test.rig={udp: {port: %d, lockstep: yes}}" % port)
    p = Peer(s.port, 1)
    p.trial([0.0])
    worst = sdof(p, 40)
    p.die()
    s.end(0)
    rig.terminate()
    rig.communicate(timeout=60)
    assert worst < 1e-12, worst


def a_port_that_is_taken_is_said():
    with socket.create_server(("127.0.0.1", 0)) as other:
        r = subprocess.run([PROGRAM, "serve", "opensees", "opensees/sdof", "--port", str(other.getsockname()[1])],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert r.returncode == 1 and "cannot be served: Address already in use" in r.stderr, (r.returncode, r.stderr)


def wrong_commands_say_what_to_do():
    for words, wanted in ((["serve", "opensees", "bridge/hybrid"], "no 'master'"), (["serve", "abaqus", "x"], "serve opensees CASE"),
                          (["run", "opensees/sdof"], "computed by OpenSees"), (["test", "opensees/sdof"], "interfield serve opensees")):
        r = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        assert r.returncode == 2 and wanted in r.stderr, (words, r.returncode, r.stderr)


OWN = """title: our own structure, a spring of others
time: {step: 4 ms, end: 0.4 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 50 kN}
test: {rig: %s, ramp-in: 0.1 s, settle: 0.02 s%s}
"""


class Listener(threading.Thread):
    """An OpenSees adapter element, or an OpenFresco server, holding a spring."""

    def __init__(self, kind, k=2e5, udp=False, handshake=False):
        super().__init__(daemon=True)
        self.kind, self.k, self.codes, self.failure, self.udp, self.handshake = kind, k, [], None, udp, handshake
        self.patience, self.word, self.version = math.inf, b"\1\0\0\0", 2.8
        self.s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM) if udp else socket.create_server(("127.0.0.1", 0))
        if udp:
            self.s.bind(("127.0.0.1", 0))
        self.s.settimeout(60)
        self.port = self.s.getsockname()[1]
        self.start()

    def read(self, size):
        data = b""
        if self.udp:  # one datagram is one message
            data, self.peer = self.s.recvfrom(65536)
            assert len(data) == size, (len(data), size)
            return data
        while len(data) < size:
            more = self.c.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def doubles(self, n):
        return struct.unpack("<%dd" % n, self.read(8 * n))

    def put(self, data):
        if self.udp:
            self.s.sendto(data, self.peer)
        else:
            self.c.sendall(data)

    def write(self, values, n):
        self.put(struct.pack("<%dd" % n, *(list(values) + [0.0] * (n - len(values)))))

    def open_lab(self):
        if not self.udp:
            assert self.read(4) == b"\1\0\0\0"
            self.put(self.word)
        assert self.doubles(256)[:3] == (1.0, 7.0, 2.8)
        self.write([0.0, 3.0, self.version], 256)
        code, n = self.doubles(256)[:2]
        assert code == 2.0
        return list(struct.unpack("<5i", self.read(20)) + struct.unpack("<5i", self.read(20))) + [int(n)]

    def run(self):
        try:
            if self.handshake:
                assert self.read(1) == b"a"
                self.put(b"b")
            if not self.udp:
                self.c = self.s.accept()[0]
                self.c.settimeout(60)
                self.c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            header = self.open_lab() if self.kind == "lab" else struct.unpack("<11i", self.read(44))
            wanted = [1, 0, 0, 0, 0, 1, 0, 0, 1, 0] if self.kind == "adapter" else [1, 1, 1, 0, 1, 1, 0, 0, 1, 1]
            assert list(header[:10]) == wanted, header
            self.serve(header[10])
        except Exception as e:
            self.failure = repr(e)

    def serve(self, n):
        while len(self.codes) < self.patience:
            r = self.doubles(n)
            code = int(r[0])
            self.codes.append(code)
            if code == TRIAL:
                self.d, self.t = r[1], r[4] if n > 4 else 0.0
            elif code in (FORCE, DAQ):
                self.write([self.d, self.k * self.d, self.t][:n], n)
            elif code == DIE:
                if self.kind == "lab":
                    assert r[1] == 7.0
                    self.write([4.0, 3.0], n)
                return
            else:
                assert code == COMMIT, code


def displacements(folder, dof="x"):
    with open(folder + "/result.csv") as f:
        at = [n.split(" [")[0] for n in f.readline().strip().split(",")].index(dof + " displacement")
        return [line.split(",")[at] for line in f]


def own_test(rig, more="", text=OWN):
    runs[0] += 1
    folder = "out%d" % runs[0]
    with open(folder + ".yaml", "w") as f:
        f.write(text % (rig, more))
    r = subprocess.run([PROGRAM, "test", folder + ".yaml", "--as-fast-as-possible", "--without-preflight", "--csv", "--out", folder],
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    assert r.returncode == 0, r.stdout + r.stderr
    return displacements(folder)


def models_and_laboratories_of_others_are_rigs():
    here = own_test("virtual")
    assert len(here) > 200
    for kind, rig, *how in (("adapter", "opensees-adapter: {"), ("site", "openfresco: {server: site, "),
                            ("element", "openfresco: {server: element, "), ("lab", "openfresco: {server: lab, tag: 7, "),
                            ("adapter", "opensees-adapter: {transport: udp, handshake: yes, ", True, True),
                            ("site", "openfresco: {server: site, transport: udp, ", True, False),
                            ("lab", "openfresco: {server: lab, tag: 7, transport: udp, handshake: yes, ", True, True)):
        other = Listener(kind, 2e5, *how)
        there = own_test("{%sport: %d, lockstep: yes}}" % (rig, other.port))
        other.join(20)
        assert other.failure is None, (kind, other.failure)
        assert there == here, kind
        pattern = [TRIAL, FORCE] if kind == "adapter" else [TRIAL, DAQ, COMMIT]
        assert other.codes == pattern * (len(other.codes) // len(pattern)) + [DIE], (kind, other.codes[-8:])


def refused_test(rig):
    with open("refused.yaml", "w") as f:
        f.write(OWN % (rig, ""))
    shutil.rmtree("refused", ignore_errors=True)
    return subprocess.run([PROGRAM, "test", "refused.yaml", "--as-fast-as-possible", "--without-preflight", "--out", "refused"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)


def laboratories_that_do_not_fit_or_go_away_are_named():
    for change, wanted in ((dict(word=b"\0\0\0\1"), "another byte order"), (dict(version=2.7), "has version 2.7, expected 2.8")):
        lab = Listener("lab")
        for name, value in change.items():
            setattr(lab, name, value)
        r = refused_test("{openfresco: {server: lab, tag: 7, port: %d, lockstep: yes}}" % lab.port)
        assert r.returncode != 0 and wanted in r.stderr, r.stderr
    site = Listener("site")
    site.patience = 150
    r = refused_test("{openfresco: {server: site, port: %d, lockstep: yes, timeout: 0.2 s}}" % site.port)
    assert r.returncode == 1 and "LOST" in r.stderr, r.stdout + r.stderr


def lockstep_with_another_program_has_no_clock():
    with open("clocked.yaml", "w") as f:
        f.write(OWN % ("{opensees-adapter: {port: 1, lockstep: yes}}", ""))
    r = subprocess.run([PROGRAM, "test", "clocked.yaml", "--without-preflight"], stdin=subprocess.DEVNULL, capture_output=True,
                       text=True, timeout=60)
    assert r.returncode == 2 and "with a clock, say 'lockstep: no'" in r.stderr, r.stderr


def a_model_in_opensees_is_coupled_by_its_name():
    model = OWN[:OWN.index("test:")]
    here = own_test("virtual", "", model + "test: {rig: %s}%s\n")
    other = Listener("adapter")
    there = own_test("{opensees-adapter: {port: %d}}" % other.port, "", model + "coupling: %s%s\n")
    other.join(20)
    assert other.failure is None, other.failure
    assert there == here and len(here) > 200, (len(there), len(here))


def nobody_at_the_port_is_said():
    s = socket.create_server(("127.0.0.1", 0))
    port = s.getsockname()[1]
    s.close()
    with open("nobody.yaml", "w") as f:
        f.write(OWN % ("{opensees-adapter: {port: %d, lockstep: yes, timeout: 0.2 s}}" % port, ""))
    r = subprocess.run([PROGRAM, "test", "nobody.yaml", "--as-fast-as-possible", "--without-preflight"], stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, timeout=100)
    assert r.returncode != 0 and "cannot be reached" in r.stderr, r.stderr


STANDIN = ["tclsh", os.path.join(os.path.dirname(os.path.abspath(__file__)), "opensees_standin.tcl")]


def script(opensees, name, **settings):
    """A script of cases/opensees, run by OpenSees or by its stand-in."""
    with open("wrapper.tcl", "w") as f:
        for key, value in settings.items():
            f.write("set %s {%s}\n" % (key, value))
        f.write("source {%s}\n" % os.path.join(CASES, "opensees", name))
    return subprocess.Popen([*opensees, "wrapper.tcl"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def said(process, word):
    out = process.communicate(timeout=100)[0]
    lines = [l for l in out.splitlines() if l.startswith(word)]
    assert lines, out
    return lines[-1].split()


def over(options):
    return ["--udp"] if "udp" in options else []


def t1(opensees, options, steps):
    s = fast("opensees/sdof", *over(options))
    assert float(said(script(opensees, "t1_sdof.tcl", port=s.port, options=options, steps=steps), "T1")[2]) < 1e-12
    s.end(0)
    assert s.counts() == {3: 2 * steps + 1, 14: steps + 1, 10: steps, 15: 1, 5: steps, 99: 1}, s.counts()


def t2(opensees, options, mode, steps):
    s = fast("opensees/two-dof", *over(options))
    process = script(opensees, "t2_modes.tcl", port=s.port, options=options, mode=mode, steps=steps)
    assert float(said(process, "T2")[4]) < 1e-12
    s.end(0)


def t3(opensees):
    s = fast("opensees/order")
    u = said(script(opensees, "t3_order.tcl", port=s.port), "T3")[2:]
    near(float(u[0]), 0.0, 1e-12)
    near(float(u[1]), 1.0, 1e-12)
    s.end(0)


def t4(opensees):
    s = fast("opensees/dofs", "--csv")
    said(script(opensees, "t4_dofs.tcl", port=s.port), "T4")
    s.end(0)
    assert s.counts() == {3: 1, 99: 1}, s.counts()
    for dof, wanted in (("top.rz", 0.23), ("top.x", 0.21), ("base.y", 0.12)):
        near(float(displacements("out%d" % runs[0], dof)[-1]), wanted, 1e-15, dof)


def t5(opensees, steps):
    s = fast("opensees/hybrid")
    said(script(opensees, "t5_hybrid.tcl", port=s.port, remote=1, steps=steps), "T5")
    s.end(0)
    said(script(opensees, "t5_hybrid.tcl", remote=0, steps=steps), "T5")
    rows = []
    for remote in (0, 1):
        with open("t5_%d.out" % remote) as f:
            rows.append([float(line.split()[1]) for line in f])
    assert len(rows[0]) == steps and max(map(abs, rows[0])) > 0.01
    assert rows[0] == rows[1], max(abs(a - b) for a, b in zip(*rows))


def t6(opensees):
    with open(os.path.join(CASES, "opensees/adapter.yaml")) as f:
        text = f.read()
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    process = script(opensees, "t6_adapter.tcl", port=port)
    there = own_test("", "", text.replace("44000", str(port)) + "%s%s")
    here = own_test("", "", "".join(l for l in text.splitlines(True) if not l.startswith("coupling:")) + "%s%s")
    assert process.wait(20) == 255, process.stdout.read()
    process.stdout.close()
    w, weaker = math.sqrt(150.0), 0.5 * 50.0 / 150.0 * 50.0 / 1e8  # the penalty spring in series lowers the frequency by so much
    worst = max(abs(float(a) - float(b)) for a, b in zip(there, here))
    assert 0.0 < worst < 0.01 * weaker * w * 4.0, worst


def the_scripts_run_with_a_stand_in_for_opensees():
    if not shutil.which("tclsh"):
        print("skipped: there is no tclsh")
        return
    t1(STANDIN, "-dataSize 1", 100)
    for mode in (1, 2):
        t2(STANDIN, "", mode, 50)
    t3(STANDIN)
    t4(STANDIN)
    t5(STANDIN, 200)
    t6(STANDIN)


def the_scripts_run_with_opensees_itself():
    if not os.environ.get("INTERFIELD_OPENSEES"):
        print("skipped: INTERFIELD_OPENSEES names no OpenSees")
        return
    opensees = [os.environ["INTERFIELD_OPENSEES"]]
    for options in ("-dataSize 1", "-udp -dataSize 1"):
        t1(opensees, options, 1000)
    for mode in (1, 2):
        for options in ("", "-udp -dataSize 2000"):
            t2(opensees, options, mode, 1000)
    t3(opensees)
    t4(opensees)
    t5(opensees, 2000)
    t6(opensees)


MOCK = """
proc getNodeTags {} {return {4 7 9}}
proc nodeDOFs {tag} {return [dict get {4 {2 3 -1} 7 {0 1 4} 9 {-1 -1 -1}} $tag]}
proc nodeCoord {tag} {return {0.0 0.0}}
foreach word {wipeAnalysis constraints numberer system algorithm analysis analyze} {proc $word args {}}
proc integrator {name m c k zero} {set ::what [expr {$m ? 100.0 : $c ? 10.0 : 1.0}]}
proc printA {flag name} {
    set out [open $name w]
    for {set i 0} {$i < 5} {incr i} {
        set row {}
        for {set j 0} {$j < 5} {incr j} {
            lappend row [format %20.12g [expr {$i == $j ? $::what * (2.0 + $i) : abs($i - $j) == 1 ? -0.125 * $::what : 0.0}]]
        }
        puts $out [join $row " "]
    }
    close $out
}
source DUMP
interfieldDump imported
"""


def matrices_of_a_model_become_a_case():
    if not shutil.which("tclsh"):
        print("skipped: there is no tclsh")
        return
    with open("mock.tcl", "w") as f:
        f.write(MOCK.replace("DUMP", "{%s}" % os.path.join(CASES, "opensees/dump_matrices.tcl")))
    r = subprocess.run(["tclsh", "mock.tcl"], capture_output=True, text=True, timeout=60)
    assert r.returncode == 0 and "5 dofs" in r.stdout, r.stdout + r.stderr
    r = subprocess.run([PROGRAM, "check", "imported.yaml"], capture_output=True, text=True, timeout=60)
    assert r.returncode == 0 and "5 dofs" in r.stdout, r.stdout + r.stderr
    with open("imported.yaml") as f:
        assert "dofs: [n7.x, n7.y, n4.x, n4.y, n7.rz]" in f.read()
    with open("imported_M.mtx") as f:
        assert f.read().splitlines()[1:4] == ["5 5 13", "1 1 200", "1 2 -12.5"]
    for name, first in (("C", "1 1 20"), ("K", "1 1 2")):
        with open("imported_%s.mtx" % name) as f:
            assert f.read().splitlines()[1:3] == ["5 5 13", first]
    r = subprocess.run([PROGRAM, "modes", "imported.yaml", "--count", "5", "--json"], capture_output=True, text=True, timeout=60)
    found = [mode["frequency"] for mode in json.loads(r.stdout)["modes"]]
    assert len(found) == 5
    for frequency in found:  # M = 100 K in the stand-in: every mode has w = 0.1
        near(frequency, 0.1 / (2 * math.pi), 1e-14)


def all_that_was_recorded_here_replays():
    journals = glob.glob("out*/result.journal")
    assert len(journals) > 20, journals
    for journal in journals:
        r = subprocess.run([PROGRAM, "replay", journal], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
        assert r.returncode == 0 and r.stdout.startswith("identical"), journal + r.stdout + r.stderr



TESTS = [f for name, f in list(globals().items())
         if callable(f) and getattr(f, "__module__", "") == "__main__" and "_" in name and f.__code__.co_argcount == 0]

if __name__ == "__main__":
    failed = 0
    for f in TESTS:
        if len(sys.argv) > 1 and f.__name__ not in sys.argv[1:]:
            continue
        began = time.monotonic()
        try:
            f()
            print("ok      %5.2f s  %s" % (time.monotonic() - began, f.__name__), flush=True)
        except Exception:
            failed += 1
            print("FAILED  %5.2f s  %s\n%s" % (time.monotonic() - began, f.__name__, traceback.format_exc()), flush=True)
    sys.exit(1 if failed else 0)
