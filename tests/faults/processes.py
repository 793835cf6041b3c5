#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Faults between a test and its rig as two real processes: a bad line, either of them killed or stopped, signals, a
full disk.

Each row of the table is one scenario in a folder of its own, with its own rig; several go on at the same time. Of each
it is checked how the test ended (state, outcome, fault), that it says so, how the rig ended (by its own watchdog, or
told), that no command broke a limit, and that the record replays to the last bit; of killed tests that
`interfield recover` makes a readable result.

A machine that stands still makes the very silence that stale-for and watchdog are there to notice. Rows that are not
about silence have both far away. The others fail in time, with limits of half a second and two; when one of them was
lost too early it is played once more with longer limits; so is a row whose rig stood still by its own clock, for then
the kernel has no room for the farewell. What is asserted of commands and records is asserted of each."""

import concurrent.futures
import csv
import json
import os
import random
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ["IFD_PROGRAM"]
PATIENCE = 200  # s, for anything that must happen at all

TICK = 0.002  # s

# Machines that run tests are busy: late ticks are borne, but where a row is about them.
CASE = """title: A spring on the rig
time: {step: 4 ms, end: 1 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 40 mm}
test: {ramp-in: 0.4 s, settle: 0.05 s, leave: start, overrun: extrapolate, late-for: 1000 s, frozen-for: 2000 s}
"""


class Ending(AssertionError):
    """The test or the rig ended otherwise than the row says, or never came to where it should."""


class Line:
    """Datagrams between a test and its rig, with trouble: shares of those that are lost, doubled, overtaken, damaged,
    and cuts towards the rig (cut_up) or the test (cut_down). A process of its own, told by lines
    such as "lost 0.1 damaged 0.1"."""

    def __init__(self, server, seed):
        self.shares = dict.fromkeys(("lost", "doubled", "overtaken", "damaged", "cut_up", "cut_down"), 0.0)
        self.front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.front.bind(("127.0.0.1", 0))
        self.back = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.server = ("127.0.0.1", server)
        self.client = None
        self.kept = {}
        self.dice = random.Random(seed)
        self.troubles = 0

    def send(self, data, up):
        if up:
            self.back.sendto(data, self.server)
        elif self.client:
            self.front.sendto(data, self.client)

    def carry(self, data, up):
        if self.shares["cut_up" if up else "cut_down"]:
            return
        roll = self.dice.random()
        for what in ("lost", "doubled", "overtaken", "damaged"):
            if roll < self.shares[what]:
                self.troubles += 1
                self.trouble(bytearray(data), up, what)
                return
            roll -= self.shares[what]
        self.send(data, up)
        if self.kept.get(up):
            self.send(self.kept.pop(up), up)

    def trouble(self, data, up, what):
        if what == "overtaken" and not self.kept.get(up):
            self.kept[up] = data
            return
        if what == "damaged":
            data[self.dice.randrange(len(data))] ^= 1 << self.dice.randrange(8)
        for _ in range({"lost": 0, "doubled": 2}.get(what, 1)):
            self.send(data, up)

    def work(self):
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(70))
        except OSError:
            pass  # not granted: it is as punctual as the machine is idle
        print(self.front.getsockname()[1], flush=True)
        while True:
            for s in select.select([self.front, self.back, sys.stdin], [], [])[0]:
                if s is sys.stdin:
                    words = sys.stdin.readline().split()
                    if not words:
                        print(self.troubles, flush=True)
                        return
                    self.shares.update(zip(words[::2], map(float, words[1::2])))
                    continue
                try:
                    data, sender = s.recvfrom(4096)
                except OSError:
                    continue  # nobody listens behind it any more
                if s is self.front:
                    self.client = sender
                self.carry(data, s is self.front)


class Stage:
    """One scenario under way."""

    def __init__(self, name, work, factor):
        self.folder = os.path.join(work, f"{name.replace(' ', '-')}-{factor}")
        os.mkdir(self.folder)
        with open(self.path("case.yaml"), "w", encoding="utf-8") as f:
            f.write(CASE)
        self.out = self.path("out")
        self.rig = self.test = self.line = None
        self.port = 0
        self.seed = name

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except OSError:
            return ""

    def start(self, name, *arguments):
        with open(self.path(name), "w", encoding="utf-8") as out:
            return subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=out,
                                    stderr=subprocess.STDOUT, cwd=self.folder, text=True)

    def until(self, name, words, meanwhile=None):
        end = time.monotonic() + PATIENCE
        while words not in self.text(name):
            over = self.test and self.test.poll() is not None and words not in self.text(name)
            if over or time.monotonic() > end:
                raise Ending(f"{name} never says '{words}'")
            if meanwhile:
                self.order(meanwhile)
            time.sleep(0.02)

    def serve(self, watchdog):
        self.rig = self.start("rig.txt", "rig", "case.yaml", "--once", "--for", str(2 * PATIENCE),
                              "--watchdog", str(watchdog))
        self.until("rig.txt", "serves")
        self.port = int(self.text("rig.txt").split("port ")[1].split()[0])

    def worsen(self, shares):
        """Puts a bad line in front of the rig, or makes it worse."""
        if not self.line:
            self.line = subprocess.Popen([sys.executable, __file__, str(self.port), self.seed], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)
            self.port = int(self.line.stdout.readline())
        if shares:
            self.line.stdin.write(" ".join(f"{what} {share}" for what, share in shares.items()) + "\n")
            self.line.stdin.flush()

    def begin(self, sets):
        rig = f"test.rig={{udp: {{port: {self.port}, timeout: 60 s}}}}"
        flags = [x for s in [rig, *sets] for x in ("--set", s)]
        self.test = self.start("test.txt", "test", "case.yaml", "--start", "--without-preflight", "--out", self.out, *flags)

    def order(self, word):
        try:
            self.test.stdin.write(word + "\n")
            self.test.stdin.flush()
        except OSError:
            pass  # it has ended: what it came to is looked at later

    def reach(self, state, meanwhile=None):
        """Into a state of the machine, as the test's own log tells."""
        if state in ("hold", "ramp-out"):
            self.until("out/events.log", "state run")
            self.order(state)
        self.until("out/events.log", "state " + state, meanwhile)
        time.sleep(0.05)

    def rig_stood_still(self):
        found = re.search(r"(\d+) skipped", self.text("rig.txt"))
        return bool(found) and int(found.group(1)) * TICK > 0.2

    def lost(self):
        return any(f"{name} at tick" in self.text("test.txt") for name in ("LOST", "RIG_STOPPED"))

    def close(self):
        for process in (self.test, self.rig, self.line):
            if process and process.poll() is None:
                process.kill()
                process.wait()

    def says(self):
        return "\n".join(f"--- {n}\n{self.text(n)}" for n in ("test.txt", "rig.txt", "out/events.log"))


# What happens to a test in the state it was brought to.


def nothing(s):
    pass


def cut(s):
    s.worsen({"cut_up": 1, "cut_down": 1})


def cut_up(s):
    s.worsen({"cut_up": 1})


def cut_down(s):
    s.worsen({"cut_down": 1})


def garble(s):
    s.worsen({"damaged": 1})


def kill_rig(s):
    s.rig.kill()


def kill_test(s):
    s.test.kill()


def pause_rig(s):
    s.rig.send_signal(signal.SIGSTOP)
    s.until("out/events.log", "state tripped")
    s.rig.send_signal(signal.SIGCONT)


def pause_test(s):
    s.test.send_signal(signal.SIGSTOP)
    s.until("rig.txt", WATCHDOG)
    s.test.send_signal(signal.SIGCONT)


def pause_briefly(s):
    s.test.send_signal(signal.SIGSTOP)
    time.sleep(0.1)
    s.test.send_signal(signal.SIGCONT)
    s.until("out/events.log", "state hold")
    end = time.monotonic() + PATIENCE
    while s.test.poll() is None and time.monotonic() < end:  # a busy machine may be late again
        s.order("resume")
        time.sleep(0.1)


def interrupt(s):
    s.test.send_signal(signal.SIGINT)


def terminate(s):
    s.test.send_signal(signal.SIGTERM)


def interrupt_twice(s):
    s.test.send_signal(signal.SIGINT)
    s.until("out/events.log", "A second stop trips")
    time.sleep(0.6)  # within 0.5 s it is the same one
    s.test.send_signal(signal.SIGINT)


def interrupt_twice_on_the_way(s):
    time.sleep(2)  # so that there is a way back that takes longer than the second signal
    interrupt_twice(s)


def fill_disk(s):
    with open(os.path.join(s.out, "filler"), "wb", buffering=0) as f:
        try:
            while True:
                f.write(bytes(1 << 14))
        except OSError:
            pass  # full


LONG = "time.end=1000s"
SLOW = "test.creep=0.2 mm/s"
PULLED = "loads=[{at: x, force: 3 kN}]"  # so that there is a way to ramp out of
RAMP = "test.ramp-in=100s"
BRAKE = "test.brake=100s"
FAR = ["test.ramp-in=10s", "test.creep=0.02 mm/s"]  # 0.6 mm after 2 s: half a minute
WATCHDOG = "stopped  no commands arrived"
ENDED = "free     the test ended"
ANY = None

# name, state, what happens, trouble on the line (None: no line in between), overrides, exit status, outcome, fault,
# what the rig says
ROWS = [
    ("lost datagrams", None, nothing, {"lost": 0.1}, [], 0, "completed", None, ENDED),
    ("doubled datagrams", None, nothing, {"doubled": 0.2}, [], 0, "completed", None, ENDED),
    ("overtaken datagrams", None, nothing, {"overtaken": 0.2}, [], 0, "completed", None, ENDED),
    ("damaged datagrams", None, nothing, {"damaged": 0.1}, [], 0, "completed", None, ENDED),
    ("all of it", None, nothing, dict.fromkeys(("lost", "doubled", "overtaken", "damaged"), 0.05), [], 0, "completed", None,
     ENDED),
    ("line cut in ramp-in", "ramp-in", cut, {}, [RAMP], 1, "tripped", "LOST", WATCHDOG),
    ("line cut in run", "run", cut, {}, [LONG], 1, "tripped", "LOST", WATCHDOG),
    ("line cut in hold", "hold", cut, {}, [LONG], 1, "tripped", "LOST", WATCHDOG),
    ("line cut in ramp-out", "ramp-out", cut, {}, [LONG, SLOW, PULLED], 1, "tripped", "LOST", WATCHDOG),
    ("commands cut", "run", cut_up, {}, [LONG], 1, "tripped", "LOST", WATCHDOG),
    ("measurements cut", "run", cut_down, {}, [LONG], 1, "tripped", "LOST", ENDED),
    ("all damaged", "run", garble, {}, [LONG], 1, "tripped", "LOST", WATCHDOG),
    ("rig killed in ramp-in", "ramp-in", kill_rig, None, [RAMP], 1, "tripped", "LOST", ANY),
    ("rig killed in run", "run", kill_rig, None, [LONG], 1, "tripped", "LOST", ANY),
    ("rig killed in hold", "hold", kill_rig, None, [LONG], 1, "tripped", "LOST", ANY),
    ("rig stopped and continued", "run", pause_rig, None, [LONG], 1, "tripped", "LOST", ANY),
    ("test stopped and continued", "run", pause_test, None, [LONG], 1, "tripped", ("RIG_STOPPED", "LOST"), WATCHDOG),
    ("test stopped for a moment", "run", pause_briefly, None, ["test.overrun=hold"], 0, "completed", None, ENDED),
    ("test killed in ramp-in", "ramp-in", kill_test, None, [RAMP], -9, "incomplete", ANY, WATCHDOG),
    ("test killed in run", "run", kill_test, None, [LONG], -9, "incomplete", ANY, WATCHDOG),
    ("test killed in hold", "hold", kill_test, None, [LONG], -9, "incomplete", ANY, WATCHDOG),
    ("test killed in ramp-out", "ramp-out", kill_test, None, [LONG, SLOW, PULLED], -9, "incomplete", ANY, WATCHDOG),
    ("interrupted in ramp-in", "ramp-in", interrupt, None, [RAMP], 1, "aborted", None, ENDED),
    ("interrupted in run", "run", interrupt, None, [LONG], 1, "aborted", None, ENDED),
    ("interrupted in hold", "hold", interrupt, None, [LONG], 1, "aborted", None, ENDED),
    ("terminated in run", "run", terminate, None, [LONG], 1, "aborted", None, ENDED),
    ("interrupted twice in run", "run", interrupt_twice, None, [LONG, BRAKE], 1, "tripped", "ORDERED", ENDED),
    ("interrupted twice in ramp-in", "ramp-in", interrupt_twice_on_the_way, None, FAR, 1, "tripped", "ORDERED", ENDED),
    ("disk full in run", "run", fill_disk, None, [LONG], 1, ("failed", "incomplete", "aborted"), None, ENDED),
]


def any_of(what):
    return what if isinstance(what, tuple) else (what,)


def summary_of(folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as f:
        return json.load(f)


def check_commands(s, folder, outcome):
    """Position, velocity and acceleration of every command that was recorded, as differences from tick to tick."""
    subprocess.run([PROGRAM, "export", folder, "--csv", "-o", s.path("export")], check=True, stdout=subprocess.DEVNULL)
    with open(s.path("export/columns.csv"), encoding="utf-8", newline="") as f:
        p = [float(row["spring command [m]"]) for row in csv.DictReader(f)]
    v = [(b - a) / TICK for a, b in zip(p, p[1:])]
    a = [(y - x) / TICK for x, y in zip(v, v[1:])]
    for what, values, limit in (("m", p, 0.05), ("m/s", v, 1.0), ("m/s2", a, 100.0)):
        worst = max(map(abs, values))
        assert worst <= limit * (1 + 1e-6), f"a command of {worst} {what}, beyond {limit}"
    assert outcome == "incomplete" or v[-1] == 0, f"the last command moves with {v[-1]} m/s"


def check_record(s, outcome):
    """What was measured is there: in the result, or, when that could not be written, in what is made of its journal."""
    folder = s.out
    if outcome in ("incomplete", "failed"):
        folder = s.path("recovered")
        subprocess.run([PROGRAM, "recover", s.out, "--out", folder], check=True, stdout=subprocess.DEVNULL)
    summary = summary_of(folder)
    assert summary["rows"] > 20, f"only {summary['rows']} ticks were kept"
    check_commands(s, folder, outcome)
    replay = subprocess.run([PROGRAM, "replay", s.out], capture_output=True, text=True, check=False)
    assert replay.returncode == 0 and "identical" in replay.stdout, f"no replay: {replay.stdout} {replay.stderr}"
    return summary


def check_test(s, row):
    _, _, _, _, _, status, outcome, fault, _ = row
    got = s.test.wait(PATIENCE)
    if got != status:
        raise Ending(f"the test ended with status {got}, expected {status}")
    kept = check_record(s, any_of(outcome)[0])
    summary = kept if outcome == "incomplete" else summary_of(s.out)
    if summary["outcome"] not in any_of(outcome):
        raise Ending(f"outcome {summary['outcome']}, expected {outcome}")
    if summary["outcome"] == "aborted" and "incomplete" in any_of(outcome):  # what a refused checkpoint freed was enough for the result: then it has every tick
        ticks = re.search(r"([0-9][0-9 ]*) ticks, ", s.text("test.txt"))[1].replace(" ", "")
        assert "the record cannot be written" in s.text("test.txt") and kept["rows"] == int(ticks), f"{kept['rows']} of {ticks} ticks were kept"
    if outcome == "incomplete":
        return
    found = summary["fault"]["name"] if summary["fault"] else None
    if found not in any_of(fault):
        raise Ending(f"fault {found}, expected {fault}")
    assert not found or f"{found} at tick" in s.text("test.txt"), "the fault is not said"


def check_rig(s, words):
    if words is ANY:
        return
    got = s.rig.wait(PATIENCE)
    if words not in s.text("rig.txt"):
        raise Ending(f"the rig does not say '{words}'")
    assert got == (1 if words == WATCHDOG else 0), f"the rig ended with status {got}"


def with_disk(s):
    """A small disk for the result, where one can be had."""
    os.mkdir(s.out)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", s.out], capture_output=True, check=False)
    if done.returncode == 0:
        s.out = os.path.join(s.out, "result")
        os.symlink(s.out, s.path("log"))
    return done.returncode == 0


def play_once(row, work, factor):
    """What went wrong, and whether that may have been the machine."""
    name, state, happens, trouble, sets, _, _, fault, rig = row
    silent, waits = "LOST" in any_of(fault), rig is WATCHDOG
    sets = [*sets, f"test.stale-for={0.5 * factor if silent else 60} s", "test.stale-share=1"]
    s = Stage(name, work, factor)
    mounted = None
    try:
        if happens is fill_disk:
            mounted = s.path("out")
            if not with_disk(s):
                mounted = None
                return "skipped: no disk can be mounted here", False
        s.serve(min(60, 2 * factor) if waits else 60)
        if trouble is not None:
            s.worsen(trouble)
        s.begin(sets)
        if mounted:
            s.until("log/events.log", "state run")
        elif state:
            s.reach(state, "resume" if happens is pause_briefly else None)
        happens(s)
        check_test(s, row)
        check_rig(s, rig)
        if trouble:
            troubles = int(s.line.communicate("")[0])
            assert troubles > 50, f"only {troubles} datagrams met trouble"
        return None, False
    except Ending as e:
        return f"{e}\n{s.says()}", ((silent or waits) and s.lost()) or s.rig_stood_still()
    except (AssertionError, OSError, subprocess.SubprocessError, ValueError, KeyError) as e:
        return f"{e}\n{s.says()}", False
    finally:
        s.close()
        if mounted:
            subprocess.run(["umount", mounted], check=False)


def play(row, work):
    for factor in (1, 6, 36):
        said, again = play_once(row, work, factor)
        if not again:
            break
        print(f"{row[0]}: disturbed, with limits {factor} times as long; once more\n{said}", flush=True)
    return said


def undocumented():
    """Rows that docs/reference/faults.md does not have, to the letter."""
    with open(os.path.join(os.environ["IFD_SOURCE_DIR"], "docs", "reference", "faults.md"), encoding="utf-8") as f:
        lines = set(f.read().split("\n"))
    rigs = {WATCHDOG: "brakes by its watchdog", ENDED: "is notified", ANY: "-"}
    for name, _, _, _, _, _, outcome, fault, rig in ROWS:
        faults = " or ".join(any_of(fault)) if fault else "-"
        line = f"| {name} | {' or '.join(any_of(outcome))} | {faults} | {rigs[rig]} |"
        if line not in lines:
            yield line


def main():
    failures = 0
    for line in undocumented():
        print(f"FAILED: docs/reference/faults.md lacks\n{line}")
        failures += 1
    with tempfile.TemporaryDirectory(prefix="interfield-faults-") as work:
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            began = {pool.submit(play, row, work): row[0] for row in ROWS}
            for done in concurrent.futures.as_completed(began):
                said = done.result()
                failed = said is not None and not said.startswith("skipped")
                failures += failed
                if said is not None:
                    print(("FAILED: " if failed else "") + began[done] + ": " + said, flush=True)
    print(f"{len(ROWS)} scenarios between processes, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        Line(int(sys.argv[1]), sys.argv[2]).work()
    else:
        sys.exit(main())
