# SPDX-License-Identifier: MIT
"""What a server for OpenSees must bear: clients that talk nonsense, vanish, drip, crowd, or ask for what cannot be."""
import math
import socket
import struct
import subprocess
import time

from opensees_scene import *  # noqa: F403


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
        "no displacement": header({0: 0}),
        "mixed": header({1: 3, 10: 50}), "time of three": header({4: 3, 10: 50}), "big-endian": header({}, ">"),
        "noise": bytes(range(200, 244)), "text": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + b" " * 20,
    }
    for what, data in bad.items():
        c = socket.create_connection(("127.0.0.1", s.port), 20)
        c.sendall(data)
        assert closed(c), what
    for n in (2, 65):  # whose messages can be told apart: OpenSees would spin for ever if it were cut off
        wrong = Peer(s.port, n)
        wrong.trial([0.0] * n)
        assert all(math.isnan(x) for x in wrong.ask(INITIAL) + wrong.force())
        wrong.send(COMMIT)
        wrong.die()
    silent = socket.create_connection(("127.0.0.1", s.port), 20)
    half = socket.create_connection(("127.0.0.1", s.port), 20)
    half.sendall(header({})[:20])
    half.close()
    p = Peer(s.port, 1)
    p.trial([0.0])
    assert sdof(p, 30) < 1e-12
    extra = Peer(s.port, 1)  # not of this script, which has made steps
    extra.trial([0.0])
    assert math.isnan(extra.force()[0]), "a second client"
    extra.die()
    assert sdof(p, 30, started=30) < 1e-12
    p.die()
    silent.close()
    s.end(0)
    assert "%d refused" % (len(bad) + 3) in s.line("served"), s.line("served")
    said = [l for l in s.lines if l.startswith("refused")]
    for wanted in ("2 dofs, but element 1 of the case has 1", "65 dofs; the limit is 64", "more clients than elements: the case has 1 element",
                   "big-endian"):
        assert any(wanted in l for l in said), (wanted, said)
    master = s.summary()["master"]
    assert master["refused"] == len(bad) + 3 and len(master["refusals"]) == 9, master
    assert master["ending"] == "ended" and master["messages"]["5"] == 60 and abs(master["time"] - 0.6) < 1e-12, master


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


def dripped(stall="0.3 s"):
    s = fast(case(*ONE, stall=stall))
    slow = socket.create_connection(("127.0.0.1", s.port), 20)
    slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        for byte in struct.pack("<11i", 1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 5):
            slow.sendall(bytes([byte]))
            time.sleep(0.05)
        raise AssertionError("a header of two seconds was taken")
    except (BrokenPipeError, ConnectionResetError):
        pass
    return s


def header_that_drips_is_not_waited_for():
    """And who comes after it is served."""
    def begin():
        s = dripped()
        p = Peer(s.port, 1)
        p.trial([0.02])
        near(p.force()[0], K1 * 0.02, 1e-13)
        return s, p
    s, p = patiently(begin)
    p.die()
    s.end(0)


def client_that_is_silent_is_lost_and_may_come_back():
    s, p = patiently(lambda: started(case(*ONE, more="patience: 0.5 s,")))
    time.sleep(0.8)
    try:
        assert math.isnan(p.force()[0])
        assert closed(p.s)
    except (EOFError, ConnectionError):  # it took this process longer than twice the patience to wake up
        pass
    s.end(1)
    assert "silent" in s.line("lost") and "MASTER_LOST" in s.errors, s.lines


def request_before_any_displacement_is_refused():
    s = fast(case(*ONE))
    p = Peer(s.port, 1)
    p.send(FORCE)
    assert closed(p.s)
    s.end(1)
    assert "before it sent a displacement" in s.errors, s.errors


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
    assert s.errors.count("FORCE at tick") == 2 and "FORCE at tick" in s.errors.splitlines()[-1], s.errors  # again, last


def a_port_that_is_taken_is_said():
    with socket.create_server(("127.0.0.1", 0)) as other:
        r = subprocess.run([PROGRAM, "serve", "opensees", "opensees/sdof", "--port", str(other.getsockname()[1])],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert r.returncode == 1 and "cannot be opened: Address already in use" in r.stderr, (r.returncode, r.stderr)


def wrong_commands_say_what_to_do():
    for words, wanted in ((["serve", "opensees", "bridge/hybrid"], "no 'master'"), (["serve", "abaqus", "x"], "serve opensees CASE"),
                          (["run", "opensees/sdof"], "OpenSees computes the structure"), (["test", "opensees/sdof"], "interfield serve opensees")):
        r = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        assert r.returncode == 2 and wanted in r.stderr, (words, r.returncode, r.stderr)
