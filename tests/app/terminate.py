# SPDX-License-Identifier: MIT
"""SIGTERM, judged by what the program does after it: a command that holds nothing is ended by the signal itself, without another
step; one that holds something ends on its own, though nobody it waits for moves; a test ramps out after its brake, and a second signal trips it,
counted in ticks. The loss of the terminal ends what a signal ends."""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["IFD_SOURCE_DIR"], "tests", "app"))
from opensees_scene import ONE, PROGRAM, Peer, case, serve  # noqa: E402

PATIENCE = 200  # s, for anything that must happen at all
WAY_OUT = 30 + 5  # s: the longest ramp-out of a shipped case, and a hold before it

KILLED, ENDS = -signal.SIGTERM, (0, 1)

# words, what it says when it is under way (None: from its first moment), how it ends
COMMANDS = [
    ("fmu bridge.fmu --steps 1e9 --not-isolated", "features ", KILLED),
    ("fmu bridge.fmu --steps 1e9", "features ", ENDS),
    ("join bridge.fmu bridge.fmu --joint A.d[1]=B.d[1] --end 1e9 --step 0.002", None, KILLED),
    ("export-fmu bridge/hybrid --out again.fmu", None, KILLED),
    ("zero day.yaml --for 1000", "does not exist yet", KILLED),
    ("channels bridge/hybrid", "raw", ENDS),
    ("live done 0", "live ", ENDS),
    ("serve opensees opensees/sdof --port 0 --out none", "waiting for OpenSees", (1,)),
    ("rig bridge/hybrid", "serves ", ENDS),
]
HANG_UP = COMMANDS[-2:]


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return f.read().split()


def end_of(words, says, wanted, number=signal.SIGTERM):
    out = open("said.txt", "w+b")
    p = subprocess.Popen([PROGRAM, *words.split()], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    end = time.monotonic() + PATIENCE
    while says and says.encode() not in open("said.txt", "rb").read():
        if p.poll() is not None or time.monotonic() > end:
            p.kill()
            return f"never says '{says}'"
        time.sleep(0.01)
    below = children(p.pid)
    p.send_signal(number)
    try:
        got = p.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()
        return f"{number.name} is not heeded"
    left = [pid for pid in below if os.path.exists(f"/proc/{pid}")]
    if left:
        return f"leaves its process {left} behind"
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    # A command that was done before the signal came has nothing to be ended.
    return None if got in wanted or (says is None and got in ENDS) else f"ends with status {got}, expected {wanted}"


STOP, TRIP = r"order stop, from a signal \(SIGTERM\)", r"order trip, from a signal \(SIGTERM\)"


def tick_of(what, text):
    """The first tick of an event; None: there is none."""
    found = re.search(rf"tick (\d+)  t [^ ]+ s  {what}", text)
    return found and int(found.group(1))


def silent_client():
    """The script of OpenSees stays connected and says nothing more: the test ends all the same, and soon in ticks."""
    s = serve(case(*ONE, stall="1000 s"), "--priority", "0")
    p = Peer(s.port, 1)
    p.trial([0.0])
    p.trial([0.001], t=0.01)
    p.force()
    s.p.send_signal(signal.SIGTERM)
    try:
        s.p.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        s.p.kill()
        return "SIGTERM is not heeded while a client stays connected"
    with open("out1/events.log", encoding="utf-8") as f:
        text = f.read()
    heard, over = tick_of(STOP, text), tick_of("end: ", text)
    p.s.close()
    return None if 0 <= over - heard <= WAY_OUT * 1000 else f"{over - heard} ticks of 1 ms after the signal\n{text}"


def listening(p):
    """The port on which a silent process listens."""
    end = time.monotonic() + PATIENCE
    while p.poll() is None and time.monotonic() < end:
        own = set()
        for fd in os.listdir(f"/proc/{p.pid}/fd"):
            try:
                own.add(os.readlink(f"/proc/{p.pid}/fd/{fd}"))
            except OSError:
                pass
        with open(f"/proc/{p.pid}/net/tcp", encoding="ascii") as f:
            for row in (line.split() for line in f.readlines()[1:]):
                if row[3] == "0A" and f"socket:[{row[9]}]" in own:
                    return int(row[1].split(":")[1], 16)
        time.sleep(0.01)
    raise AssertionError("never listens")


def one_object(number, begun):
    """`serve --json` prints one object when a signal ends it, before a script has come and in the middle of a test."""
    name = case(*ONE, stall="1000 s")
    words = [PROGRAM, "serve", "opensees", name, "--port", "0", "--out", f"json{number}{begun}", "--priority", "0", "--json"]
    p = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        port = listening(p)
        if begun:
            peer = Peer(port, 1)
            peer.trial([0.0])
            peer.trial([0.001], t=0.01)
            peer.force()
        p.send_signal(number)
        out, err = p.communicate(timeout=PATIENCE)
        told = json.loads(out)
    except (AssertionError, ValueError, subprocess.TimeoutExpired) as error:
        p.kill()
        return repr(error)
    fine = told.get("outcome") == "aborted" and p.returncode == 1 and (begun or "OpenSees" in told["error"])
    return None if fine else f"exit status {p.returncode}, {told}, {err}"


SPRING = """title: A spring on the rig
time: {step: 2 ms, end: 1000 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
loads: [{at: x, force: 2 kN}]
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    estimate: {stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 10 mm}
test: {rig: virtual, ramp-in: 0.5 s, settle: 0.05 s, brake: 0.1 s, leave: zero-force, creep: 1e-7 m/s, overrun: extrapolate, late-for: 1000 s}
"""
BRAKE = 10 * 100 + 200  # ticks of 1 ms: the longest hold, ten times `brake`, and the way of an order


def until(p, log, what):
    """What events.log says once it says this, or once the program has ended."""
    end, text = time.monotonic() + PATIENCE, ""
    while what not in text and time.monotonic() < end:
        over = p.poll() is not None
        if os.path.exists(log):
            with open(log, encoding="utf-8") as f:
                text = f.read()
        if over:
            break
        time.sleep(0.01)
    return text


def brake_of(state, *sets):
    """The first signal begins the way out where the brake ends; on the way out it trips, as the second one does. In run there is so much to unload
    that it would take days; at the beginning of a long ramp-in there is almost nothing."""
    with open("spring.yaml", "w", encoding="utf-8") as f:
        f.write(SPRING)
    words = [PROGRAM, "test", "spring.yaml", "--out", f"brake-{state}", "--without-preflight", *sets]
    p = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    log = f"brake-{state}/events.log"
    until(p, log, f"state {state}")
    p.send_signal(signal.SIGTERM)
    if state == "run":
        until(p, log, "state ramp-out")
        time.sleep(0.6)  # a signal within 0.5 s is the same one
        p.send_signal(signal.SIGTERM)
    try:
        p.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        p.kill()
        return "SIGTERM is not heeded"
    text = until(p, log, "end: ")
    stop, out, trip, over = (tick_of(what, text) for what in (STOP, "state ramp-out", TRIP, "end: "))
    if p.returncode != 1 or None in (stop, out, over) or (trip is not None) != (state == "run"):
        return f"exit status {p.returncode}\n{text}"
    begins = out - stop <= BRAKE if state != "ramp-out" else out <= stop
    ends = over - (trip or stop) <= (BRAKE if state != "ramp-in" else WAY_OUT * 1000)
    how = "end: tripped: a trip was ordered" if state != "ramp-in" else "end: aborted by the operator"
    return None if begins and ends and how in text else f"stop at {stop}, ramp-out at {out}, trip at {trip}, over at {over}\n{text}"


def main():
    failed = 0
    for state, *sets in (("ramp-in", "--set", "test.ramp-in=3600 s"), ("run",), ("ramp-out", "--set", "time.end=0.1 s")):
        wrong = brake_of(state, *sets)
        print(f"test, {state}: {wrong or 'ok'}", flush=True)
        failed += wrong is not None
    for words, says, wanted in COMMANDS:
        wrong = end_of(words, says, wanted)
        print(f"{words}: {wrong or 'ok'}", flush=True)
        failed += wrong is not None
    for words, says, wanted in HANG_UP:
        wrong = end_of(words, says, wanted, signal.SIGHUP)
        print(f"{words}, SIGHUP: {wrong or 'ok'}", flush=True)
        failed += wrong is not None
    wrong = silent_client()
    print(f"serve with a silent client: {wrong or 'ok'}")
    failed += wrong is not None
    for number, begun in ((signal.SIGTERM, False), (signal.SIGINT, False), (signal.SIGTERM, True)):
        wrong = one_object(number, begun)
        print(f"serve --json, {number.name}{', test under way' if begun else ''}: {wrong or 'ok'}", flush=True)
        failed += wrong is not None
    return failed


if __name__ == "__main__":
    sys.exit(main() > 0)
