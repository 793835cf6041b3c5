# SPDX-License-Identifier: MIT
"""What the tests of the server for OpenSees share: cases, a server in the background, clients that have begun."""
import math
import os
import socket

from opensees_peer import *  # noqa: F403

PROGRAM = os.environ["IFD_PROGRAM"]
CASES = os.path.join(os.environ["IFD_SOURCE_DIR"], "cases")
K1 = 39.4784176043574
runs = [0]

LIMITS = "limits: {stroke: 300 mm, velocity: 3 m/s, acceleration: 100 m/s2, tracking: 300 mm, force: %g N}"
CASE = """title: a case of this test
time: {step: 10 ms, end: 10 s}
master:
  opensees: {stall: %(stall)s, %(more)s elements: %(elements)s}
specimen:
%(specimens)s
test: {ramp-in: 0.05 s, settle: 0.01 s, overrun: extrapolate, late-for: 1000 s, leave: start}
"""


def case(elements, springs, more="", stall="20 s", force=None):
    """springs: (between, stiffness)"""
    limits = LIMITS % (force or 1e9)
    specimens = "".join("  - spring: {%s, stiffness: %r N/m}\n    estimate: {stiffness: %r N/m}\n    %s\n" %
                        (where, k, k, limits) for where, k in springs)
    name = "case%d.yaml" % runs[0]
    with open(name, "w") as f:
        f.write(CASE % dict(elements=elements, specimens=specimens, more=more, stall=stall))
    return name


def serve(name, *options, **how):
    runs[0] += 1
    return Server(PROGRAM, name, *options, folder="out%d" % runs[0], **how)


def fast(name, *options, **how):
    return serve(name, "--as-fast-as-possible", *options, **how)


ONE = ("[[x]]", [("at: x", K1)])
TWO = [("at: u1", 80.0), ("between: [u1, u2]", 80.0)]


def near(a, b, tolerance, what=""):
    assert abs(a - b) <= tolerance, "%s: %.17g, expected %.17g within %g" % (what, a, b, tolerance)


def sdof(peer, steps, u0=0.1, dt=0.01, started=0):
    """The largest deviation from the exact solution of the difference equation."""
    phi = math.acos(1 - 0.5 * K1 * dt * dt)
    worst = [0.0]

    def seen(n, u):
        worst[0] = max(worst[0], abs(u[0] - u0 * math.cos(n * phi)))
    newmark_explicit([peer], [(peer, 0)], [1.0], [u0], [-K1 * u0], steps, dt, seen, began=started)
    return worst[0]


def closed(sock):
    """Whether the server hangs up."""
    sock.settimeout(200)
    try:
        return sock.recv(1) == b""
    except ConnectionResetError:
        return True


def started(name, *options, gain=1.0, **how):
    s = fast(name, *options)
    p = Peer(s.port, 1, **how)
    p.trial([0.0])
    p.trial([0.02], t=0.01)
    near(p.force()[0], K1 * gain * 0.02, 1e-13)
    return s, p


def patiently(begin):
    """On a machine that stands still a client is silent for longer than it wants to be, and its server gives it up: one calm
    attempt of five, where that silence is short because a test waits for it."""
    for left in reversed(range(5)):
        try:
            return begin()
        except (AssertionError, EOFError, OSError) as error:
            Server.last.p.kill()
            Server.last.p.communicate()
            if not left:
                raise
            print("once more:", repr(error), flush=True)


def displacements(folder, dof="x"):
    with open(folder + "/result.csv") as f:
        at = [n.split(" [")[0] for n in f.readline().strip().split(",")].index(dof + " displacement")
        return [line.split(",")[at] for line in f]
