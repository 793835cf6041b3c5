# SPDX-License-Identifier: MIT
"""Our integrator leads, a model in OpenSees or a laboratory of OpenFresco follows; and the scripts of cases/opensees, run by OpenSees
or by a stand-in for it."""
import json
import math
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading

from opensees_scene import *  # noqa: F403

OWN = """title: our own structure, a spring of others
time: {step: 4 ms, end: 0.4 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 50 kN, tracking: 10 mm}
test: {rig: %s, ramp-in: 0.1 s, settle: 0.02 s%s}
"""


class Listener(threading.Thread):
    """An OpenSees adapter element, or an OpenFresco server, holding a spring for each dof."""

    def __init__(self, kind, k=(2e5,), udp=False, handshake=False, at=0.0):
        super().__init__(daemon=True)
        self.d, self.t, self.trials = [at] * len(k), 0.0, []
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
            n = len(self.k)
            wanted = [n, 0, 0, 0, 0, n, 0, 0, n, 0] if self.kind == "adapter" else [n, n, n, 0, 1, n, 0, 0, n, 1]
            assert list(header[:10]) == wanted, header
            self.serve(header[10])
        except Exception as e:
            self.failure = repr(e)

    def serve(self, n):
        while len(self.trials) < self.patience:
            r = self.doubles(n)
            code = int(r[0])
            self.codes.append(code)
            if code == TRIAL:
                dofs = len(self.k)
                self.d, self.t = r[1:1 + dofs], 0.0 if self.kind == "adapter" else r[1 + 3 * dofs]
                self.trials.append(self.d[0])
            elif code in (FORCE, DAQ):
                # an adapter element of OpenSees ends when it is asked twice without a displacement in between
                assert self.kind != "adapter" or self.codes[-2:] != [FORCE, FORCE], self.codes[-4:]
                self.write([*self.d, *(k * d for k, d in zip(self.k, self.d)), self.t][:n], n)
            elif code == DIE:
                if self.kind == "lab":
                    assert r[1] == 7.0
                    self.write([4.0, 3.0], n)
                return
            else:
                assert code == COMMIT, code


def attended(*words, asked=None):
    """A test whose operator types arm and run when the program asks for them, calling asked(order) first, and then goes away."""
    with tempfile.TemporaryFile("w+") as errors:
        p = subprocess.Popen([PROGRAM, "test", *words, "--operator", "A. Smith"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                             text=True)
        limit, out, orders = threading.Timer(100, p.kill), "", ["arm", "run"]
        limit.start()
        for line in p.stdout:
            out += line
            if not orders or "Type " + orders[0] not in line:
                continue
            if asked:
                asked(orders[0])
            p.stdin.write(orders.pop(0) + "\n")
            p.stdin.flush()
            if not orders:
                p.stdin.close()
        status = p.wait()
        limit.cancel()
        p.stdout.close()
        if orders:
            p.stdin.close()
        errors.seek(0)
        return subprocess.CompletedProcess(words, status, out, errors.read())


def own_test(rig, more="", text=OWN, asked=None):
    """The displacements from ramp-in on: how long a person thinks before is no part of them."""
    runs[0] += 1
    folder = "out%d" % runs[0]
    with open(folder + ".yaml", "w") as f:
        f.write(text % (rig, more))
    r = attended(folder + ".yaml", "--as-fast-as-possible", "--without-preflight", "--csv", "--out", folder, asked=asked)
    assert r.returncode == 0, r.stdout + r.stderr
    with open(folder + "/result.csv") as f:
        at = f.readline().strip().split(",").index("state []")
        began = [line.split(",")[at] for line in f].index("2")
    return displacements(folder)[began:]


def models_and_laboratories_of_others_are_rigs():
    here = own_test("virtual")
    assert len(here) > 200
    for kind, rig, *how in (("adapter", "opensees-adapter: {"), ("site", "openfresco: {server: site, "),
                            ("element", "openfresco: {server: element, "), ("lab", "openfresco: {server: lab, tag: 7, "),
                            ("adapter", "opensees-adapter: {transport: udp, handshake: yes, ", True, True),
                            ("site", "openfresco: {server: site, transport: udp, ", True, False),
                            ("lab", "openfresco: {server: lab, tag: 7, transport: udp, handshake: yes, ", True, True)):
        other = Listener(kind, (2e5,), *how)
        there = own_test("{%sport: %d, lockstep: yes, timeout: 60 s}}" % (rig, other.port))
        other.join(200)
        assert other.failure is None, (kind, other.failure)
        assert there == here, kind
        pattern, code = ([TRIAL, FORCE], FORCE) if kind == "adapter" else ([TRIAL, DAQ, COMMIT], DAQ)
        first = other.codes.index(TRIAL)
        assert first == 1 if kind == "adapter" else first >= 50, (kind, first)  # 0.1 s at 2 ms
        led = other.codes[first:]
        assert other.codes[:first] == [code] * first, (kind, other.codes[:first])
        assert led == pattern * (len(led) // len(pattern)) + [DIE], (kind, led[-8:])


def nothing_is_commanded_before_the_test_is_armed():
    for kind, rig in (("adapter", "opensees-adapter: {"), ("site", "openfresco: {server: site, "),
                      ("element", "openfresco: {server: element, "), ("lab", "openfresco: {server: lab, tag: 7, ")):
        other, moved = Listener(kind, at=0.004), {}  # it does not stand at zero
        own_test("{%sport: %d, lockstep: yes, timeout: 60 s}}" % (rig, other.port),
                 asked=lambda order: moved.update({order: set(other.trials)}))  # noqa: B023
        assert moved["arm"] == set() and all(abs(d - 0.004) < 1e-12 for d in moved["run"]), (kind, moved)
        other.join(200)
        assert other.failure is None, (kind, other.failure)
        assert abs(other.trials[0] - 0.004) < 1e-12, (kind, other.trials[:3])
        steps = [abs(b - a) for a, b in zip(other.trials, other.trials[1:])]
        assert max(steps) < 1.0 * 2e-3, (kind, max(steps))  # 1 m/s and a tick of 2 ms


def others_are_real_rigs_and_ask_for_a_person():
    for kind, rig in (("adapter", "opensees-adapter: {"), ("site", "openfresco: {server: site, ")):
        for words, wanted in (((), "--operator NAME"), (("--start", "--operator", "A. Smith"), "--start is for simulated rigs")):
            other = Listener(kind)
            with open("asked.yaml", "w") as f:
                f.write(OWN % ("{%sport: %d, lockstep: yes, timeout: 60 s}}" % (rig, other.port), ""))
            r = subprocess.run([PROGRAM, "test", "asked.yaml", "--as-fast-as-possible", "--without-preflight", "--out", "asked", *words],
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
            other.join(20)
            assert r.returncode == 2 and wanted in r.stderr and not other.trials, (kind, r.returncode, r.stderr, other.trials)


TWO_OWN = OWN.replace("dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]",
                      "dofs: [x, y], mass: [1000, 800], damping: [800, 500], stiffness: [[4.0e+5, -1.0e+5], [-1.0e+5, 2.0e+5]]").replace(
    "test:", """  - name: other
    spring: {at: y, stiffness: 1e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 50 kN, tracking: 10 mm}
test:""")


def a_model_of_others_may_have_several_dofs():
    here = own_test("virtual", "", TWO_OWN)
    for kind, rig in (("adapter", "opensees-adapter: {"), ("site", "openfresco: {server: site, "),
                      ("element", "openfresco: {server: element, ")):
        other = Listener(kind, (2e5, 1e5))
        assert own_test("{%sport: %d, lockstep: yes}}" % (rig, other.port), "", TWO_OWN) == here, kind
        other.join(20)
        assert other.failure is None, (kind, other.failure)


def refused_test(rig):
    with open("refused.yaml", "w") as f:
        f.write(OWN % (rig, ""))
    shutil.rmtree("refused", ignore_errors=True)
    return attended("refused.yaml", "--as-fast-as-possible", "--without-preflight", "--out", "refused")


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
    assert r.returncode == 2 and "for a test in real time use 'lockstep: no'" in r.stderr, r.stderr


def a_model_in_opensees_is_coupled_by_its_name():
    model = OWN[:OWN.index("test:")]
    here = own_test("virtual", "", model + "test: {rig: %s}%s\n")
    other = Listener("adapter")
    there = own_test("{opensees-adapter: {port: %d, timeout: 60 s}}" % other.port, "", model + "coupling: %s%s\n")
    other.join(200)
    assert other.failure is None, other.failure
    assert there == here and len(here) > 200, (len(there), len(here))


def a_run_says_that_opensees_does_not_take_part():
    r = subprocess.run([PROGRAM, "run", "opensees/adapter", "--set", "time.end=0.1 s", "--out", "alone"], stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, timeout=60)
    assert r.returncode == 0 and "OpenSees supplies it only in 'interfield test'" in r.stdout, r.stdout + r.stderr


def nobody_at_the_port_is_said():
    s = socket.socket()  # nobody listens, and nobody else can get the port meanwhile
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
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
    there = own_test("", "", text.replace("44000", str(port)).replace("timeout: 2 s", "timeout: 30 s") + "%s%s")
    here = own_test("", "", "".join(l for l in text.splitlines(True) if not l.startswith("coupling:")) + "%s%s")
    assert process.wait(20) == 255, process.stdout.read()
    process.stdout.close()
    w, weaker = math.sqrt(150.0), 0.5 * 50.0 / 150.0 * 50.0 / 1e8  # the penalty spring in series lowers the frequency by so much
    worst = max(abs(float(a) - float(b)) for a, b in zip(there, here))
    assert 0.0 < worst < 0.01 * weaker * w * 4.0, worst


def an_adapter_with_another_number_of_dofs_is_told_with_both_numbers():
    if not shutil.which("tclsh"):
        print("skipped: there is no tclsh")
        return
    with socket.create_server(("127.0.0.1", 0)) as s:
        port = s.getsockname()[1]
    with open("wide.tcl", "w") as f:
        f.write("node 1 0.0\nnode 2 0.0\nelement adapter 1 -node 1 2 -dof 1 -dof 1 -stif 1e8 0 0 1e8 %d\nanalyze 10\n" % port)
    process = subprocess.Popen([*STANDIN, "wide.tcl"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True)
    r = refused_test("{opensees-adapter: {port: %d, lockstep: yes, timeout: 30 s}}" % port)
    printed = process.communicate(timeout=60)[0]
    assert "wrong data sizes != 2 received" in printed, printed
    assert r.returncode != 0 and "the case moves 1 dof;" in r.stderr and "wrong data sizes != M" in r.stderr, r.stderr


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
    if not os.environ.get("IFD_OPENSEES"):
        print("skipped: IFD_OPENSEES names no OpenSees")
        return
    opensees = [os.environ["IFD_OPENSEES"]]
    for options in ("-dataSize 1", "-udp -dataSize 1"):
        t1(opensees, options, 1000)
    for mode in (1, 2):
        for options in ("", "-udp -dataSize 2000"):
            t2(opensees, options, mode, 1000)
    t3(opensees)
    t4(opensees)
    t5(opensees, 2000)
    t6(opensees)


def the_first_example_of_the_page_works_as_typed():
    """docs/guide/opensees.md, its script and its case as they are printed there, but for the port and the clock."""
    if not shutil.which("tclsh"):
        print("skipped: there is no tclsh")
        return
    with open(os.path.join(os.environ["IFD_SOURCE_DIR"], "docs/guide/opensees.md")) as f:
        page = f.read()
    tcl, yaml = (page.split("```%s\n" % kind)[1].split("```")[0] for kind in ("tcl", "yaml"))
    with open("bridge.yaml", "w") as f:
        f.write(yaml)
    s = fast("bridge.yaml")
    with open("bridge.tcl", "w") as f:
        f.write(tcl.replace("-server 8090 ", "-server %d " % s.port))
    opensees = [os.environ["IFD_OPENSEES"]] if os.environ.get("IFD_OPENSEES") else STANDIN
    r = subprocess.run([*opensees, "bridge.tcl"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    assert r.returncode == 0 and "the test has ended" not in r.stdout + r.stderr, r.stdout + r.stderr
    s.end(0)
    assert s.counts()[5] == 2000, s.counts()
    deck = bridge_deck(2000)
    assert max(map(abs, deck)) > 0.1  # the bearing slides
    near(float((r.stdout + r.stderr).split("displacement of the deck:")[1].split()[0]), deck[-1], 0.01 * max(map(abs, deck)))


def bridge_deck(steps, dt=0.01):
    """The deck of that bridge by the explicit Newmark method: pier and deck as masses, the bearing a slider with a spring. A bearing
    that moves also turns between the steps, a little beyond the last one, and its slider remembers that: the two agree to 1e-12
    until the first turn."""
    u, v, a, slip, seen = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.0, []
    for n in range(1, steps + 1):
        u = [u[i] + dt * v[i] + 0.5 * dt * dt * a[i] for i in (0, 1)]
        v = [v[i] + 0.5 * dt * a[i] for i in (0, 1)]
        d = u[1] - u[0]
        slip = min(max(slip, d - 0.0015), d + 0.0015)
        bearing = 6.67e7 * (d - slip) + 5e5 * d
        ground = math.sin(2 * math.pi * n * dt) if n * dt <= 20.0 else 0.0
        a = [(-1e5 * ground - 1e8 * u[0] + bearing) / 1e5, (-1e6 * ground - bearing) / 1e6]
        v = [v[i] + 0.5 * dt * a[i] for i in (0, 1)]
        seen.append(u[1])
    return seen


CANTILEVER = """
model BasicBuilder -ndm 2 -ndf 3
node 0 0.0 0.0
fix 0 1 1 1
geomTransf Linear 1
for {set i 1} {$i <= 60} {incr i} {
    node $i 0.0 [expr {0.4917 * $i}] -mass 100.0 100.0 1.0
    element elasticBeamColumn $i [expr {$i - 1}] $i 0.01 2.0e11 8.137e-6 1
}
%s
source {%s}
interfieldDump cantilever
"""
# The lowest natural frequency of that cantilever, Hz, by numpy from the same elements in double precision; of six digits: 0.487
CANTILEVER_HZ = 0.05656825653597138


def dump(before=""):
    with open("dump.tcl", "w") as f:
        f.write(CANTILEVER % (before, os.path.join(CASES, "opensees/dump_matrices.tcl")))
    opensees = [os.environ["IFD_OPENSEES"]] if os.environ.get("IFD_OPENSEES") and not before else STANDIN
    return subprocess.run([*opensees, "dump.tcl"], capture_output=True, text=True, timeout=300)


def matrices_of_a_model_become_the_same_structure():
    """Sixty elements: with six digits the lowest frequency is another one, or none at all."""
    if not shutil.which("tclsh"):
        print("skipped: there is no tclsh")
        return
    r = dump()
    assert r.returncode == 0 and "180 dofs" in r.stdout + r.stderr, r.stdout + r.stderr  # OpenSees puts on stderr
    r = subprocess.run([PROGRAM, "modes", "cantilever.yaml", "--count", "1", "--json"], capture_output=True, text=True, timeout=60)
    assert r.returncode == 0, r.stderr
    near(json.loads(r.stdout)["modes"][0]["frequency"] / CANTILEVER_HZ, 1.0, 1e-6, "lowest frequency")
    with open("cantilever.yaml") as f:
        text = f.read()
    assert "kinds: {n1.y: y, n1.rz: rz, n2.y: y" in text, text[:400]
    with open("bearing.yaml", "w") as f:  # the specimen that it suggests is one
        f.write("".join(l[2:] if l.startswith("# specimen") or l.startswith("#  ") or l.startswith("# test") else l
                        for l in text.splitlines(True)))
    r = subprocess.run([PROGRAM, "check", "bearing.yaml"], capture_output=True, text=True, timeout=60)
    assert r.returncode == 0 and "specimen" in open("bearing.yaml").read(), r.stdout + r.stderr


def matrices_of_six_digits_are_refused():
    if not shutil.which("tclsh"):
        print("skipped: there is no tclsh")
        return
    for name in ("cantilever.yaml", "cantilever_K.mtx"):
        if os.path.exists(name):
            os.remove(name)
    r = dump("set ignore_precision 1")
    assert r.returncode != 0 and "writes 6 digits, 15 are needed" in r.stderr, r.stdout + r.stderr
    assert not os.path.exists("cantilever.yaml") and not os.path.exists("cantilever_K.mtx")


def matrices_are_judged_by_what_was_written():
    """A beam that pushes instead of pulling; a mass that is not symmetric."""
    if not shutil.which("tclsh"):
        print("skipped: there is no tclsh")
        return
    r = dump("element elasticBeamColumn 99 59 60 0.01 -2.1e11 8.0e-6 1")
    assert r.returncode != 0 and "K is not positive definite in the present state: the pivot of 'n59.x'" in r.stderr, r.stderr
    with open("check.tcl", "w") as f:
        f.write("source {%s}\ninterfieldSymmetric {{1.0 0.5} {0.50001 1.0}} M\n" % os.path.join(CASES, "opensees/dump_matrices.tcl"))
    r = subprocess.run(["tclsh", "check.tcl"], capture_output=True, text=True, timeout=60)
    assert r.returncode != 0 and "the mass matrix is not symmetric" in r.stderr, r.stderr


STOREYS = """
model BasicBuilder -ndm 2 -ndf 3
node 0 0.0 0.0
fix 0 1 1 1
geomTransf Linear 1
foreach i {1 2} {
    node $i 0.0 $i -mass 100.0 100.0 1.0
    fix $i 1 0 1
    element elasticBeamColumn $i [expr {$i - 1}] $i 1.0 3000.0 1.0 1
}
source {%s}
interfieldDump storeys
"""


def matrices_of_whole_numbers_are_divided_as_numbers():
    """Two storeys of 3000 N/m: the second pivot is 3000 - 3000 / 2; printA writes whole numbers without a point."""
    if not shutil.which("tclsh"):
        print("skipped: there is no tclsh")
        return
    for rows, status in (("{6000 -3000} {-3000 3000}", 0), ("{6000 -3000} {-3000 1499}", 1)):
        with open("whole.tcl", "w") as f:
            f.write("source {%s}\ninterfieldDefinite {%s} K {n1.x n2.x}\n" % (os.path.join(CASES, "opensees/dump_matrices.tcl"), rows))
        r = subprocess.run(["tclsh", "whole.tcl"], capture_output=True, text=True, timeout=60)
        assert r.returncode == status, r.stderr
        assert not status or "the pivot of 'n2.x' is -1.0" in r.stderr, r.stderr
    with open("storeys.tcl", "w") as f:
        f.write(STOREYS % os.path.join(CASES, "opensees/dump_matrices.tcl"))
    for opensees in [STANDIN] + [[os.environ.get("IFD_OPENSEES")]] * bool(os.environ.get("IFD_OPENSEES")):
        r = subprocess.run([*opensees, "storeys.tcl"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        assert r.returncode == 0 and "2 dofs" in r.stdout + r.stderr, r.stdout + r.stderr
        with open("storeys_K.mtx") as f:
            assert "." not in "".join(f.readlines()[-3:]), "the matrix is not of whole numbers"
        r = subprocess.run([PROGRAM, "modes", "storeys.yaml", "--json"], capture_output=True, text=True, timeout=60)
        assert r.returncode == 0, r.stderr
        for mode, root in zip(json.loads(r.stdout)["modes"], ((3 - math.sqrt(5)) / 2, (3 + math.sqrt(5)) / 2)):
            near(2 * math.pi * mode["frequency"], math.sqrt(30 * root), 1e-12, "frequency")
        os.remove("storeys_K.mtx")
