# SPDX-License-Identifier: MIT
"""A client that speaks as OpenSees' genericClient element does, written from the description of its messages
(docs/reference/opensees-protocol.md) and sharing nothing with the server it talks to. It also integrates: NewmarkExplicit as OpenSees has it."""
import json
import math
import socket
import struct
import subprocess
import sys
import time

TRIAL, COMMIT, DAQ, DISP, VEL, ACC, FORCE, TIME, INITIAL, TANGENT, DAMP, MASS, DIE = (
    3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 99)
DATAGRAM = 9126


class Peer:
    """One element. sent counts messages by code."""

    def __init__(self, port, n, size=1, udp=False, handshake=True, chunk=DATAGRAM, ctrl=None, daq=None):
        self.n, self.udp, self.chunk = n, udp, chunk
        self.ctrl = ctrl or [n, n, n, 0, 1]
        self.daq = daq or [0, 0, 0, n, 0]
        self.size = max(size, 3 * n + 2, n * n) if ctrl is None else size
        self.sent = {}
        self.state = [0.0] * sum(self.ctrl)
        self.to = ("127.0.0.1", port)
        if udp:
            self.s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.s.bind(("127.0.0.1", 0))
            self.s.settimeout(200)
            if handshake:
                self.s.sendto(b"a", self.to)
                answer, self.to = self.s.recvfrom(65536)
                assert answer == b"b", answer
        else:
            self.s = socket.create_connection(self.to, 200)
            self.s.settimeout(200)
        self.raw(struct.pack("<11i", *self.ctrl, *self.daq, self.size))

    def raw(self, data):
        if not self.udp:
            self.s.sendall(data)
            return
        for i in range(0, len(data), self.chunk):
            self.s.sendto(data[i:i + self.chunk], self.to)

    def vector(self, code):
        v = [float(code)] + self.state
        return struct.pack("<%dd" % self.size, *(v + [0.0] * (self.size - len(v))))

    def send(self, code):
        self.sent[code] = self.sent.get(code, 0) + 1
        self.raw(self.vector(code))

    def receive(self):
        data, wanted = b"", 8 * self.size
        self.pieces = []
        while len(data) < wanted:
            more = self.s.recvfrom(65536)[0] if self.udp else self.s.recv(wanted - len(data))
            if not more:
                raise EOFError("the server closed the connection")
            self.pieces.append(len(more))
            data += more
        assert len(data) == wanted
        return list(struct.unpack("<%dd" % self.size, data))

    def set(self, d, v=None, a=None, t=0.0):
        n = self.n
        parts = [list(d), list(v or [0.0] * n), list(a or [0.0] * n), [0.0] * self.ctrl[3], [t]]
        self.state = [x for part, count in zip(parts, self.ctrl) for x in part[:count]]

    def trial(self, d, v=None, a=None, t=0.0):
        self.set(d, v, a, t)
        self.send(TRIAL)

    def ask(self, code):
        self.send(code)
        return self.receive()

    def force(self):
        at = sum(self.daq[:3])
        return self.ask(FORCE)[at:at + self.n]

    def matrix(self, code):
        r = self.ask(code)
        return [[r[j * self.n + i] for j in range(self.n)] for i in range(self.n)]

    def die(self):
        self.send(DIE)
        self.s.close()


def newmark_explicit(elements, owner, mass, u, a, steps, dt, seen=None, pause=None, began=0, load=None):
    """OpenSees' NewmarkExplicit 0.5 with Linear -factorOnce on masses whose only springs are remote. owner[i] = (element, dof)
    of global dof i. seen(n, u) after each step; load(t): forces."""
    n = len(mass)
    v = [0.0] * n

    def put(code_t, d, vel, acc):
        for e in elements:
            mine = [i for i in range(n) if owner[i][0] is e]
            mine.sort(key=lambda i: owner[i][1])
            e.trial([d[i] for i in mine], [vel[i] for i in mine], [acc[i] for i in mine], code_t)

    for k in range(1, steps + 1):
        t = (began + k) * dt
        u = [u[i] + dt * v[i] + 0.5 * dt * dt * a[i] for i in range(n)]
        v = [v[i] + 0.5 * dt * a[i] for i in range(n)]
        put(t, u, v, [0.0] * n)
        if k == 1:
            for e in elements:
                e.matrix(DAMP)
                e.matrix(MASS)
        f = {}
        for e in elements:
            f[e] = e.force()
            e.matrix(DAMP)
        push = load(t) if load else [0.0] * n
        a = [(push[i] - f[owner[i][0]][owner[i][1]]) / mass[i] for i in range(n)]
        v = [v[i] + 0.5 * dt * a[i] for i in range(n)]
        put(t, u, v, a)
        for e in elements:
            e.send(COMMIT)
        if seen:
            seen(k, u)
        if pause:
            pause(k)
    return u


class Server:
    """interfield serve in the background."""

    last = None

    def __init__(self, program, case, *options, folder="out", stdin=subprocess.DEVNULL, whole=False):
        """whole: the script must reach the end of the case."""
        self.folder = folder
        self.p = subprocess.Popen(
            [program, "serve", "opensees", case, "--port", "0", "--out", folder, *([] if whole else ["--until-close"]), *options],
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        Server.last = self
        self.lines = []
        for line in self.p.stdout:
            self.lines.append(line.rstrip("\n"))
            if line.startswith("serves"):
                self.port = int(line.split("port", 1)[1].split()[0])
                return
        raise RuntimeError("no server: " + self.p.stderr.read())

    def end(self, status):
        out, self.errors = self.p.communicate(timeout=300)
        self.lines += out.splitlines()
        if self.p.returncode != status:
            raise AssertionError("exit status %d, expected %d\n%s\n%s" %
                                 (self.p.returncode, status, "\n".join(self.lines), self.errors))
        return self

    def line(self, label):
        found = [l[len(label):].strip() for l in self.lines if l.startswith(label + " ")]
        assert found, "no line '%s' in\n%s" % (label, "\n".join(self.lines))
        return found[-1]

    def summary(self):
        with open(self.folder + "/summary.json") as f:
            return json.load(f)

    def counts(self):
        return {int(k): int(v) for k, v in (p.split(":") for p in self.line("messages").split(","))}
