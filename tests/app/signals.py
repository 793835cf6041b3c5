#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The end of a test by signals, judged by the rig of conduct.py, which shares no code with the program: after the second one within 5 s in every state,
with and without a session whose disk hangs, and where nothing keeps a diverged loop; after the first one in a bounded time, also if the disk hangs and
nobody reads what the program prints.

A limit of time is that of the specification plus the time for which this watcher itself stalled: it sleeps for 10 ms again and again, and adds up by how
much each sleep was longer. On a busy machine a scene that failed is repeated twice, with the same assertions."""
import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
import time

from conduct import CASE, PATIENCE, PROGRAM, Rig, Test

WITHIN = 5.0  # s, from the second signal to the end of the program
BLOCKED, SPARE = 30.0, 10.0  # s without progress of a session after the end of the motion; of the ramp-out and its stalls
ATTEMPTS = 3
MESSAGE = "\nended    the record is incomplete: disk or terminal took nothing for 30 s\n         interfield recover makes the result from what was written\n"


class Stall(threading.Thread):
    """s by which the sleeps of this program were longer than ordered, from its start on."""

    def __init__(self):
        super().__init__(daemon=True)
        self.sum = 0.0
        self.start()

    def run(self):
        while True:
            before = time.monotonic()
            time.sleep(0.01)
            self.sum += max(0.0, time.monotonic() - before - 0.01)


STALL = Stall()


class Freeze:
    """A disk that hangs while it is entered, for one program."""

    def __init__(self, name):
        self.name = os.path.abspath(f"freeze-{name}")
        self.env = {"LD_PRELOAD": os.path.abspath("frozen.so"), "IFD_FROZEN": self.name}

    def begin(self):
        with open(self.name, "w", encoding="utf-8"):
            pass

    def over(self):
        if os.path.exists(self.name):
            os.remove(self.name)


def lead(test, rig, state):
    """To a state, by orders of the terminal, judged by the commands: the log and the messages of a frozen session stand still."""
    test.until_logged("waiting: for the order arm")
    if state == "idle":
        return
    test.arm()
    if state == "ready":
        return
    if state == "tripped":
        test.type("trip")
        rig.reaches("tripped")
        return
    test.type("run")
    rig.reaches("ramp-in" if state == "ramp-in" else "run")
    if state in ("hold", "ramp-out"):
        test.type("hold")
        test.until_logged("checkpoint of tick")
    if state == "ramp-out":
        test.type("ramp-out")
        rig.reaches("ramp-out")


def reap(test):
    """Its exit status, and the time of its end; a program that does not end is killed."""
    try:
        status = test.p.wait(PATIENCE + BLOCKED)
    except subprocess.TimeoutExpired:
        test.p.kill()
        test.p.wait()
        status = None
    at = time.monotonic()
    test.rig.over = True
    test.rig.join()
    test.rig.socket.close()
    return status, at


def second(state, frozen, name):
    """Exit status and s from the second signal to the end; a negative time: the first one was enough."""
    rig, freeze = Rig(), Freeze(name)
    slow = ["--set", "test.ramp-in=10 s"] if state == "ramp-in" else []
    test = Test(rig, name, "--set", "test.creep=1e-5 m/s", *slow, env=freeze.env)
    lead(test, rig, state)
    if state == "ramp-in":  # from there the ramp-out takes minutes
        rig.until(lambda seen: abs(seen[-1][1]) > 2e-3, "2 mm")
    if frozen:
        freeze.begin()
    test.p.send_signal(signal.SIGTERM)
    time.sleep(0.6)  # a signal within 0.5 s is the same one
    since, stall = time.monotonic(), STALL.sum
    if test.p.poll() is None:
        test.p.send_signal(signal.SIGTERM)
    status, at = reap(test)
    freeze.over()
    return status, at - since, STALL.sum - stall


def diverged(name):
    """Nothing limits the command of a virtual rig, and its loop has diverged: the second signal finds it in a ramp-out that would take days."""
    case = os.path.join(os.environ["IFD_SOURCE_DIR"], "tests/hybrid/run_away.yaml")
    p = subprocess.Popen([PROGRAM, "test", case, "--without-preflight", "--out", name, "--set", "test.creep=1e-6 m/s", "--set", "test.leave=start", "--set",
                          "test.late-for=1000 s"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + PATIENCE
    while not os.path.exists(f"{name}/events.log") or "state run" not in open(f"{name}/events.log", encoding="utf-8").read():
        assert time.monotonic() < end and p.poll() is None, "the loop never ran"
        time.sleep(0.01)
    time.sleep(3.0)  # it leaves its stroke after 3.1 s of the run, and a hundred strokes after 4
    p.send_signal(signal.SIGTERM)
    time.sleep(0.6)
    since, stall = time.monotonic(), STALL.sum
    assert p.poll() is None, "the first signal was enough"
    p.send_signal(signal.SIGTERM)
    try:
        status = p.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        p.kill()
        status = p.wait()
    took = time.monotonic() - since
    with open(f"{name}/events.log", encoding="utf-8") as file:
        assert "order trip, from a signal (SIGTERM)" in file.read(), "the second signal was not heard"
    return status, took, STALL.sum - stall


def first(state, blocks, name):
    """One signal, to a session whose disk hangs ("disk"), or that nobody reads ("pipe"), or both: the commands reach their end, and so does the program."""
    rig, freeze = Rig(), Freeze(name)
    read, write = os.pipe()
    piped, said = "pipe" in blocks, []
    test = Test(rig, name, env=freeze.env, stdout=write)
    os.close(write)
    reader = threading.Thread(target=lambda: said.extend(iter(lambda: os.read(read, 65536), b"")), daemon=True)
    if not piped:
        reader.start()
    lead(test, rig, state)
    if "disk" in blocks:
        freeze.begin()
    for _ in range(400 if piped else 0):  # answers fill the pipe
        test.type("nonsense " * 20)
        time.sleep(0.001)
    time.sleep(0.5)
    since, stall = time.monotonic(), STALL.sum
    test.p.send_signal(signal.SIGTERM)
    status, at = reap(test)
    freeze.over()
    if not piped:
        reader.join()
    os.close(read)
    path = rig.path()
    wanted = {"idle": ["idle"], "run": ["run", "hold", "ramp-out"], "tripped": ["tripped"]}[state]
    assert path[-len(wanted):] == wanted, path
    assert state != "run" or abs(rig.positions()[-1]) < 1e-4, rig.positions()[-1]
    assert piped or MESSAGE in b"".join(said).decode(), b"".join(said).decode()
    return status, at - since, STALL.sum - stall


def repeated(scene, limit, statuses, least=0.0):
    """Runs a scene until it keeps its limit, at most ATTEMPTS times; what was wrong, or None."""
    def run(name):
        wrong = "?"
        for attempt in range(ATTEMPTS):
            try:
                status, took, stall = scene(f"{name}-{attempt}")
            except AssertionError as error:
                wrong = f"{name}: {error}"
                continue
            wrong = None if status in statuses and least <= took <= limit + stall else f"{name}: status {status} after {took:.2f} s, stalled for {stall:.2f} s"
            print(f"{name}: status {status}, {took:.2f} s, stalled for {stall:.2f} s", flush=True)
            if not wrong:
                break
        return wrong
    return run


def main():
    scenes = {}
    for state in ("idle", "ready", "ramp-in", "run", "hold", "ramp-out", "tripped"):
        scenes[f"second-{state}"] = repeated(lambda name, s=state: second(s, False, name), WITHIN, (1,), -1.0)
        scenes[f"second-frozen-{state}"] = repeated(lambda name, s=state: second(s, True, name), WITHIN, (4,))
    scenes["second-diverged"] = repeated(diverged, WITHIN, (1,))
    for state, blocks in (("run", "disk"), ("run", "disk pipe"), ("run", "pipe"), ("tripped", "disk"), ("idle", "disk")):
        scenes[f"first-{state}-{blocks.replace(' ', '-')}"] = repeated(lambda name, s=state, b=blocks: first(s, b, name), BLOCKED + SPARE, (1,), BLOCKED - 1.0)
    chosen = sys.argv[1:] or list(scenes)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        wrong = [w for w in pool.map(lambda name: scenes[name](name), chosen) if w]
    for line in wrong:
        print(line)
    return len(wrong)


if __name__ == "__main__":
    with open("case.yaml", "w", encoding="utf-8") as made:
        made.write(CASE)
    sys.exit(main() > 0)
