# SPDX-License-Identifier: MIT
"""What a server for OpenSees must do, seen from the wire. The tests of opensees_bad.py, opensees_fit.py, opensees_lead.py and opensees_real.py run with these."""
import glob
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import opensees_bad  # noqa: E402
import opensees_fit  # noqa: E402
import opensees_lead  # noqa: E402
import opensees_real  # noqa: E402
from opensees_scene import *  # noqa: E402,F403

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
    reported(s.folder)


def reported(folder):
    """Another program computed the structure: the report says so and has no error against an ideal run."""
    r = subprocess.run([PROGRAM, "report", folder, "--quiet"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    assert r.returncode == 0, r.stderr
    with open(folder + "/report.html", encoding="utf-8") as f:
        page = f.read()
    for words in ("hybrid test with OpenSees", "No error against the ideal run: another program computes the structure", "free-running"):
        assert words in page, words


def seconds_of_steps(count):
    s = fast(case(*ONE))
    p = Peer(s.port, 1)
    p.trial([0.0])
    took = []
    for k in range(1, count + 1):
        began = time.monotonic()
        p.trial([1e-4 * k], t=0.01 * k)
        p.force()
        p.trial([1e-4 * k], [1.0], t=0.01 * k)
        p.send(COMMIT)
        took.append(time.monotonic() - began)
    p.die()
    s.end(0)
    return took


def no_step_waits_for_a_delayed_acknowledgement():
    """The peer leaves Nagle's algorithm on, as OpenSees does: an acknowledgement that is delayed costs 40 ms. The first steps do not
    count, because Linux acknowledges at once there. Of 20 steps in a row none may take as long as half of that. A busy machine delays
    steps too, but not always: it gets more sessions. Without TCP_QUICKACK every step takes 40 ms, in each session."""
    said = []
    for _ in range(8):
        took = seconds_of_steps(80)
        slowest = min(max(took[k:k + 20]) for k in range(20, 61))
        if slowest < 0.02:
            return
        said.append("%.1f ms" % (1e3 * slowest))
    raise AssertionError("the slowest of 20 steps in a row took " + ", ".join(said))


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


COLUMN_RUN = """time: {step: 2 ms, end: 6 s}
method: central-difference
model:
  dofs: [x, y, r]
  kinds: {y: y, r: rz}
  mass: [100 t, 100 t, 500]
  elements:
    - name: column
      fibre-beam: {at: [ground, ground, ground, x, y, r], length: 3 m, angle: 90 deg, width: 0.2 m, depth: 0.2 m, layers: 10, young: 200 GPa,
                   yield-stress: 350 MPa, hardening: 0.02, passes: 4}
loads: [{at: x, force: {sine: {amplitude: -250 kN, frequency: 1.5 Hz}}}]
"""


def a_column_with_three_coordinates_yields_as_in_a_run():
    """A fibre column on the rig behind three coordinates, its mass here, against one structure computed by the program."""
    s = fast(os.path.join(CASES, "opensees/column.yaml"), "--set", "test.ramp-in=0.05 s", "--set", "test.settle=0.01 s")
    p = Peer(s.port, 3)
    p.trial([0.0, 0.0, 0.0])
    moved = []
    newmark_explicit([p], [(p, 0), (p, 1), (p, 2)], [1e5, 1e5, 500.0], [0.0] * 3, [0.0] * 3, 1000, 2e-3,
                     lambda n, u: moved.append(u), load=lambda t: [-2.5e5 * math.sin(3 * math.pi * t), 0.0, 0.0])
    p.die()
    s.end(0)
    with open("column_run.yaml", "w") as f:
        f.write(COLUMN_RUN)
    subprocess.run([PROGRAM, "run", "column_run.yaml", "--quiet", "--out", "column_run", "--set", "time.end=2 s"], check=True)
    import h5py
    with h5py.File("column_run/result.h5") as h:
        run = [h["displacement/" + name][()] for name in "xyr"]
    peak = max(abs(x) for x in run[0])
    assert peak > 0.09, "the column does not yield: %g m" % peak  # yields from about 0.08 m on
    turns = next(k for k in range(2, 999) if abs(run[0][k]) > 0.08 and abs(run[0][k + 1]) < abs(run[0][k]))

    def gap(dof, first, last):
        return max(abs(moved[k][dof] - run[dof][k + 1]) for k in range(first, last)) / max(abs(x) for x in run[dof])
    for dof in (0, 2):
        assert gap(dof, 0, turns - 1) < 1e-12, (dof, gap(dof, 0, turns - 1))
        # the rig moves on a smooth path through a turning point, which lies between two steps
        assert gap(dof, 0, 1000) < 1e-4, (dof, gap(dof, 0, 1000))


def a_stopped_test_is_not_completed_by_the_end_of_its_script():
    """The script leaves in the hold of a stop, with or without a word: it was not the script that ended the test."""
    for polite in (True, False):
        name = case(*ONE)
        with open(name) as f:
            text = f.read()
        with open(name, "w") as f:
            f.write(text.replace("leave: start", "leave: start, brake: 0.5 s"))
        s = serve(name)
        p = Peer(s.port, 1)
        p.trial([0.0])
        for k in range(1, 30):
            p.trial([0.0005 * k], [0.05], [0.0], 0.01 * k)
            p.force()
            p.send(COMMIT)
        s.p.send_signal(signal.SIGINT)
        while "order stop" not in open(os.path.join(s.folder, "events.log")).read():
            time.sleep(0.005)
        p.die() if polite else p.s.close()
        s.end(1)
        summary = s.summary()
        assert summary["outcome"] == "aborted", summary["outcome"]
        assert summary["master"]["reason"] in (None, "the test ended before the script"), summary["master"]
        assert "by the operator in state run" in s.line("aborted"), s.lines
        assert not any(l.startswith(("ended ", "lost ")) for l in s.lines), s.lines


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


def a_trial_that_is_under_way_is_waited_for():
    s = fast(case("[[u1], [u2]]", TWO))
    first, second = Peer(s.port, 1), Peer(s.port, 1)
    first.trial([0.0])
    second.trial([0.0])
    for k in range(1, 5):
        u = [0.01 * min(k, 3), 0.03 * k]  # the last time only the second moves
        first.trial([u[0]], t=0.01 * k)
        first.send(FORCE)
        time.sleep(0.05)
        second.trial([u[1]], t=0.01 * k)
        near(first.receive()[0], 160 * u[0] - 80 * u[1], 1e-13)
        near(second.force()[0], 80 * (u[1] - u[0]), 1e-13)
    first.die()
    second.die()
    s.end(0)
    assert s.line("served").startswith("5 targets"), s.line("served")


def elements_of_openfresco_send_only_what_has_changed():
    s = fast(case("[[u1], [u2]]", TWO))
    first, second = (Peer(s.port, 1, size=8, ctrl=[1, 1, 1, 0, 1], daq=[1, 1, 1, 1, 1]) for _ in range(2))
    first.trial([0.0])
    second.trial([0.0])
    first.force()  # a trial has no answer: without this the next one may overtake that of the other element
    for k in range(1, 20):
        (first if k % 2 else second).trial([0.01 * k], t=0.01 * k)
        d = [0.01 * (k - 1 + k % 2), 0.01 * (k - k % 2)]
        near(first.force()[0], 160 * d[0] - 80 * d[1], 1e-13)
        near(second.force()[0], 80 * (d[1] - d[0]), 1e-13)
    first.die()
    second.die()
    s.end(0)
    assert s.line("served").startswith("20 targets"), s.line("served")


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


def a_script_that_ends_during_ramp_in_has_ended():
    """Its end is no stop of an operator: the test is complete, whenever the end arrives."""
    s = fast(case(*ONE), "--set", "test.ramp-in=1000s")
    p = Peer(s.port, 1)
    p.trial([0.0])
    p.die()
    s.end(0)
    with open(f"out{runs[0]}/events.log", encoding="utf-8") as log:
        assert "state run" not in log.read()


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


# Headers of those who are known to connect, what they ask for, and when they commit a step.
CLIENTS = {
    "C and Fortran": ([2, 2, 2, 0, 0], [0, 0, 0, 2, 0], FORCE, "after"),
    "Matlab, Abaqus, Ansys": ([2, 2, 2, 0, 1], [0, 0, 0, 2, 0], FORCE, "before the next"),
    "LS-DYNA": ([2, 0, 0, 0, 0], [0, 0, 0, 2, 0], FORCE, "never"),
    "Simulink": ([2, 2, 2, 0, 0], [2, 0, 0, 2, 0], DAQ, "before the next"),
    "GenericTCP": ([2, 2, 0, 0, 0], [2, 0, 0, 2, 0], DAQ, "never"),
    "a bearing of OpenFresco": ([2, 2, 2, 1, 1], [2, 2, 2, 2, 1], FORCE, "after"),
}


def clients_of_every_kind_are_served():
    for name, (ctrl, daq, code, commits) in CLIENTS.items():
        s = fast(case("[[u1, u2]]", TWO))
        p = Peer(s.port, 2, size=256, ctrl=ctrl, daq=daq)
        for k in range(6):
            if k > 1 and commits == "before the next":
                p.send(COMMIT)
            d = [0.002 * k, 0.001 * k * k]
            p.trial(d, [1.0, 2.0], [3.0, 4.0], 0.01 * k)
            force = p.ask(code)[sum(daq[:3]):][:2]
            near(force[0], 160 * d[0] - 80 * d[1], 1e-13, name)
            near(force[1], 80 * (d[1] - d[0]), 1e-13, name)
            if commits == "after":
                p.send(COMMIT)
        p.die()
        s.end(0)
        assert s.line("served").startswith("6 targets, 5 steps"), (name, s.line("served"))


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


JACK = """force-control:
  - name: axial
    force: -100 N
    stiffness: 100 kN/m
    error: 100 N
    twin: {spring: {stiffness: 50 kN/m}}
    limits: {stroke: 20 mm, velocity: 50 mm/s, acceleration: 5 m/s2, force: 1 kN, tracking: 5 mm}
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
    # 100 N on 50 kN/m: the force is kept until the specimens are back, so its peak is its target, whatever the run has time for.
    assert s.line("peaks").startswith("axial command 2 mm · force 100 N"), s.lines


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
    s = fast(name, "--without-preflight", "--set", "test.rig={udp: {port: %d, lockstep: yes}}" % port)
    p = Peer(s.port, 1)
    p.trial([0.0])
    worst = sdof(p, 40)
    p.die()
    s.end(0)
    rig.terminate()
    rig.communicate(timeout=60)
    assert worst < 1e-12, worst


def all_that_was_recorded_here_replays():
    journals = glob.glob("out*/result.journal")
    assert len(journals) > 20, journals
    for journal in journals:
        r = subprocess.run([PROGRAM, "replay", journal], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
        assert r.returncode == 0 and r.stdout.startswith("identical"), journal + r.stdout + r.stderr


def tests_of(module, name):
    """Functions without arguments whose names are sentences."""
    return [f for f in vars(module).values()
            if callable(f) and getattr(f, "__module__", "") == name and f.__name__.count("_") > 2 and f.__code__.co_argcount == 0]


if __name__ == "__main__":
    mine = tests_of(sys.modules["__main__"], "__main__")
    tests = mine[:-1] + tests_of(opensees_bad, "opensees_bad") + tests_of(opensees_fit, "opensees_fit") + tests_of(opensees_lead, "opensees_lead") + \
        tests_of(opensees_real, "opensees_real") + mine[-1:]
    failed = 0
    for f in tests:
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
