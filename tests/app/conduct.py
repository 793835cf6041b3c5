#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Orders and start, judged by a rig of its own: a spring with a clock that speaks the datagrams of src/link/wire.h, shares no code with the program,
does not declare itself simulated, and logs every command. Without an order no position leaves the program; a stop is the same from every source."""
import concurrent.futures
import http.client
import importlib.util
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib

PROGRAM = os.environ["IFD_PROGRAM"]
PATIENCE = 60.0
STATES = ["idle", "ready", "ramp-in", "run", "hold", "ramp-out", "stopped", "tripped", "return"]
NO_STOP, PRESSURE, START = 1, 2, 16
FRAME = struct.Struct("<4sHHQQqqQdIIII16d16d32dIII")
CASE = """title: A spring on a real rig
time: {step: 4 ms, end: 600 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
loads: [{at: x, force: {sine: {amplitude: 1 kN, frequency: 1 Hz}}}]
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 10 kN, tracking: 40 mm}
test: {ramp-in: 1 s, settle: 0.05 s, brake: 0.2 s, leave: start, overrun: extrapolate}
"""


class Rig(threading.Thread):
    """inputs: a function of the commands so far. stiffness in N/m. Starts at `at` (m)."""

    def __init__(self, inputs=lambda n: NO_STOP | PRESSURE, stiffness=2e5, at=0.0, simulated=0, port=0):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", port))
        self.socket.settimeout(0.1)
        self.port, self.inputs, self.stiffness, self.x, self.simulated = self.socket.getsockname()[1], inputs, stiffness, at, simulated
        self.seen, self.over, self.changed = [], False, threading.Condition()  # (state, position or None) of each command
        self.start()

    def send(self, to, kind, m, when, word, tick, beat=0, x=0.0, f=0.0):
        self.sequence = getattr(self, "sequence", 0) + 1
        body = FRAME.pack(b"IFRG", 3, kind, m[3], self.sequence, time.monotonic_ns(), m[5], tick, when, word, beat, 1, 0,
                          x, *[0.0] * 15, f, *[0.0] * 47, 0, 0, 0)
        self.socket.sendto(body + struct.pack("<I", zlib.crc32(body)), to)

    def run(self):
        while not self.over:
            try:
                data, to = self.socket.recvfrom(2048)
            except TimeoutError:
                continue
            m = FRAME.unpack_from(data)
            if m[2] == 1:
                self.send(to, 1, m, m[8], 16, 0, self.simulated if m[9] & 4 else 0)
            elif m[2] == 4:
                self.send(to, 4, m, 0.0, 0, 0)
            elif m[2] == 2:
                commanded = m[78] == 1
                self.x = m[13] if commanded else self.x
                with self.changed:
                    self.seen.append((STATES[m[9]], m[13] if commanded else None))
                    self.changed.notify_all()
                self.send(to, 3, m, 0.0, self.inputs(len(self.seen)), m[7], 0, self.x, self.stiffness * self.x)

    def until(self, holds, what):
        end = time.monotonic() + PATIENCE
        with self.changed:
            while not holds(self.seen):
                assert time.monotonic() < end, f"{what}: {self.path()}"
                self.changed.wait(0.05)

    def reaches(self, state):
        self.until(lambda seen: any(s == state for s, _ in seen[self.mark:]), f"never {state}")

    mark = 0

    def path(self, since=0):
        """The states of the commands, each once in a row."""
        states = [s for s, _ in self.seen[since:] if s != "stopped"]  # the last command can be lost with the end of the program
        return [s for i, s in enumerate(states) if i == 0 or states[i - 1] != s]

    def positions(self):
        return [p for _, p in self.seen if p is not None]


def options(rig):
    return ["--without-preflight", "--operator", "A. Smith", "--set", f"test.rig={{udp: {{port: {rig.port}, timeout: 30 s}}}}", "--set",
            "test.stale-for=60s", "--set", "test.stale-share=1", "--set", "test.late-for=1000s"]


class Test:
    def __init__(self, rig, folder, *words, **more):
        os.makedirs(folder)
        self.folder, self.rig = folder, rig
        self.p = subprocess.Popen([PROGRAM, "test", "case.yaml", *options(rig), "--out", f"{folder}/out", *words], stdin=subprocess.PIPE, stdout=more.get("stdout", open(f"{folder}/said", "wb")), stderr=subprocess.STDOUT,
                                  env={**os.environ, **more.get("env", {})})

    def type(self, words):
        self.p.stdin.write(words.encode() + b"\n")
        self.p.stdin.flush()

    def refusals(self):
        """Of arm, so far."""
        return sum("order arm" in line and " refused" in line for line in self.log().splitlines())

    def arm(self):
        """Types arm until the test is ready. A busy machine misses a measurement, or the rig answers a backlog, in which its emergency stop was pressed
        a moment ago: such an order is refused and forgotten, and is typed again some ticks later."""
        while self.rig.seen[-1][0] != "ready":
            ticks, refused = len(self.rig.seen), self.refusals()
            self.type("arm")
            end = time.monotonic() + PATIENCE
            while self.rig.seen[-1][0] != "ready" and self.refusals() == refused:
                assert time.monotonic() < end and self.p.poll() is None, ("no answer to arm", self.log(), self.said())
                time.sleep(0.01)
            self.rig.until(lambda seen: seen[-1][0] == "ready" or len(seen) > ticks + 200, "more ticks")

    def log(self):
        try:
            with open(f"{self.folder}/out/events.log", encoding="utf-8") as file:
                return file.read()
        except OSError:
            return ""

    def said(self):
        with open(f"{self.folder}/said", encoding="utf-8") as file:
            return file.read()

    def until_logged(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.log():
            assert time.monotonic() < end and self.p.poll() is None, (text, self.log(), self.said())
            time.sleep(0.01)

    def until_said(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.said():
            assert time.monotonic() < end and self.p.poll() is None, (text, self.log(), self.said())
            time.sleep(0.01)

    def post(self, path, token=True):
        address = next(line.split()[1] for line in self.said().splitlines() if line.startswith("live "))
        host, key = address.split("/")[2], address.split("#")[1]
        connection = http.client.HTTPConnection(host, timeout=PATIENCE)
        connection.request("POST", path, headers={"X-Interfield-Token": key, "X-Interfield-Name": "B. Jones"} if token else {})
        return connection.getresponse().status

    def end(self):
        status = self.p.wait(PATIENCE)
        self.rig.over = True
        self.rig.join()
        self.rig.socket.close()
        return status


class Session(Test):
    """The same, started by the Python package: stop is its method."""

    def __init__(self, rig, folder, *words):  # pylint: disable=super-init-not-called
        import interfield  # pylint: disable=import-outside-toplevel
        os.makedirs(folder)
        self.folder, self.rig = folder, rig
        self.session = interfield.TestSession("case.yaml", *options(rig), *words, out=f"{folder}/out", wait_after_trip=True)
        self.p = self.session._process  # pylint: disable=protected-access

    def said(self):
        return self.session.messages


class Silence(threading.Thread):
    """A minute without an order, beside the other scenes: pressure comes on after 8 s, the emergency stop is released after 10 s."""

    def __init__(self):
        super().__init__()
        self.wrong = "did not end"
        self.start()

    def run(self):
        began = time.monotonic()
        rig = Rig(lambda n: (PRESSURE if time.monotonic() > began + 8 else 0) | (NO_STOP if time.monotonic() > began + 10 else 0))
        test = Test(rig, "minute")
        while time.monotonic() < began + 60:
            time.sleep(0.2)
        test.p.send_signal(signal.SIGTERM)
        status, path = test.end(), rig.path()
        right = status == 1 and not rig.positions() and path == ["idle"] and len(rig.seen) > 1000 and "Type arm, or quit" in test.said()
        self.wrong = "" if right else f"{status} {path} {len(rig.seen)} {test.said()}"


def nothing_moves_without_an_order():
    """Pressure comes on, the emergency stop is released, and nobody gives an order."""
    rig = Rig(lambda n: (PRESSURE if n > 500 else 0) | (NO_STOP if n > 1000 else 0))
    test = Test(rig, "silent")
    rig.until(lambda seen: len(seen) > 4000, "4000 ticks")
    test.p.send_signal(signal.SIGTERM)
    assert test.end() == 1, test.said()
    assert not rig.positions() and rig.path() == ["idle"], rig.path()
    assert "real rig: it moves by orders only" in test.said() and "Type arm, or quit" in test.said(), test.said()


def piped_orders_are_refused_and_forgotten():
    """arm and run at once, while the emergency stop is pressed; later it is pressed for 3 ticks in ready."""
    press = {"at": None}
    rig = Rig(lambda n: PRESSURE | (NO_STOP if n > 800 and not (press["at"] and press["at"] < n <= press["at"] + 3) else 0))
    test = Test(rig, "piped")
    test.type("arm run")
    rig.until(lambda seen: len(seen) > 2000, "2000 ticks")
    assert not rig.positions() and rig.path() == ["idle"], rig.path()
    assert "arm      refused: the emergency stop is pressed" in test.said() or "arm      refused: the rig is not ready" in test.said(), test.said()
    assert "run      refused: not armed. Type arm first" in test.said(), test.said()
    test.arm()
    press["at"] = len(rig.seen) + 5
    rig.reaches("tripped")
    count = len(rig.seen)
    test.type("run arm")
    rig.until(lambda seen: len(seen) > count + 1000, "1000 ticks")
    assert rig.path() == ["idle", "ready", "tripped"] and all(abs(p) < 1e-9 for p in rig.positions()), rig.path()
    assert "tripped  STOP_PRESSED: " in test.said() and "Nothing starts by itself: reset, arm and run are new orders" in test.said(), test.said()
    test.type("reset")
    rig.until(lambda seen: seen[-1][0] == "idle", "idle again")
    count = len(rig.seen)
    rig.until(lambda seen: len(seen) > count + 800, "at rest")
    test.arm()
    test.type("run")
    rig.reaches("ramp-in")
    test.type("stop")
    assert test.end() == 1 and rig.path()[-3:] == ["ready", "ramp-in", "ramp-out"], rig.path()


def what_is_next_is_said():
    """The words of the terminal, in the order in which a person needs them: also after a second stop, and after a reset."""
    rig = Rig()
    test = Test(rig, "said", "--set", "test.creep=1e-5 m/s")
    lead(test, rig, "run")
    test.type("stop")
    rig.reaches("ramp-out")
    time.sleep(0.6)  # no double click
    test.type("stop")
    rig.reaches("tripped")
    test.until_said("Nothing starts by itself")
    test.type("reset")
    rig.until(lambda seen: seen[-1][0] == "idle", "idle again")
    end = time.monotonic() + PATIENCE
    while test.said().count("idle     at rest") < 2:
        assert time.monotonic() < end, test.said()
        time.sleep(0.01)
    test.p.send_signal(signal.SIGTERM)
    assert test.end() == 1
    place = 0
    for line in ("rig      udp · 1 actuator · tick 2 ms · real rig: it moves by orders only\n",
                 "idle     at rest; stop released, pressure on. Type arm, or quit\n",
                 "ready    held: spring 0 m, 0 N (command - position 0 m)\n         Type run to move, or stop\n",
                 "stop     hold, then ramp-out. A second stop trips\n", "stop     trip: the specimens are held where they are\n",
                 "tripped  ORDERED: a trip was ordered\n         Nothing starts by itself: reset, arm and run are new orders\n",
                 "idle     at rest; stop released, pressure on. Type arm, or quit\n"):
        at = test.said().find(line, place)
        assert at >= 0, (line, test.said())
        place = at + 1
    rig = Rig()
    test = Test(rig, "park")
    lead(test, rig, "run")
    test.type("park")
    assert test.end() == 0 and re.search("park     the specimen stays loaded: spring -?[0-9.]+ .?m, -?[0-9.]+ k?N, held by the rig server\n", test.said()), test.said()


def answers_on_page(test, until):
    """(order, refused, sentence) of each answer that the page has received, read from its stream until one of them is as wanted."""
    address = next(line.split()[1] for line in test.said().splitlines() if line.startswith("live "))
    connection = http.client.HTTPConnection(address.split("/")[2], timeout=PATIENCE)
    connection.request("GET", "/events")
    stream, found, hello, end = connection.getresponse(), [], None, time.monotonic() + PATIENCE
    while not any(until(*one) for one in found):
        assert time.monotonic() < end, found
        line = stream.readline().decode()
        data = json.loads(line[6:]) if line.startswith("data: ") else {}
        hello = hello or data.get("answers") and data
        for event in data.get("events", []):
            if event.get("answer"):
                answer = hello["answers"][event["answer"]]
                found.append((hello["orders"][event["order"]], answer["refused"], event.get("text", answer["text"])))
    connection.close()
    return found


def a_fault_says_the_same_on_page_and_terminal():
    """Which half of the line is lost, and since when."""
    rig = Rig()
    test = Test(rig, "half-lost", "--live", "0", "--set", "test.stale-for=0.5s")
    test.until_said("idle     at rest")
    test.arm()
    rig.over = True
    test.until_said("Nothing starts by itself")
    sentence = re.search(r"no measurement from rig 'udp' for [0-9.]+ s \(stale-for 0\.5 s\); *\n? *the last one came at tick [0-9]+", test.said())
    assert sentence, test.said()
    address = next(line.split()[1] for line in test.said().splitlines() if line.startswith("live "))
    connection = http.client.HTTPConnection(address.split("/")[2], timeout=PATIENCE)
    connection.request("GET", "/events")
    stream, seen, end = connection.getresponse(), {}, time.monotonic() + PATIENCE
    while not ("frame" in seen and "event" in seen):
        assert time.monotonic() < end, seen
        line = stream.readline().decode()
        data = json.loads(line[6:]) if line.startswith("data: ") else {}
        seen.update({"frame": data["why"]} if data.get("why") else {})
        seen.update({"event": e["why"] for e in data.get("events", []) if e.get("why")})
    connection.close()
    assert {" ".join(text.split()) for text in seen.values()} == {" ".join(sentence[0].split())}, (seen, test.said())
    test.p.send_signal(signal.SIGTERM)
    test.end()


def answers_have_their_numbers_everywhere():
    """On the page as on the terminal; also of an order that no source gave in this tick, as that of the start button."""
    pressed = {"now": False, "pressure": PRESSURE}
    rig = Rig(lambda n: NO_STOP | pressed["pressure"] | (START if pressed["now"] else 0))
    test = Test(rig, "answers", "--live", "0", "--set", "test.checklist=[crane away]")
    test.until_said("idle     at rest")
    pressed["pressure"] = 0
    rig.until(lambda seen, n=len(rig.seen): len(seen) > n + 20, "pressure off")
    pressed["pressure"] = PRESSURE
    rig.until(lambda seen, n=len(rig.seen): len(seen) > n + 20, "pressure on")
    while "arm      refused: pressure is back since 0." not in test.said():
        refused = test.refusals()
        test.type("arm")
        while test.refusals() == refused and rig.seen[-1][0] == "idle":
            time.sleep(0.01)
        assert rig.seen[-1][0] == "idle", test.said()
    said = answers_on_page(test, lambda order, refused, text: order == "arm" and "pressure" in text)
    assert re.fullmatch(r"pressure is back since 0\.[0-9] s; type arm again after 1 s", said[-1][2]) and said[-1][1], said
    test.arm()
    test.until_said("check    1 of 1")
    rig.until(lambda seen, n=len(rig.seen): len(seen) > n + 400, "half a second in ready")
    pressed["now"] = True
    assert answers_on_page(test, lambda order, *_: order == "run")[-1][1]
    test.p.send_signal(signal.SIGTERM)
    test.end()
    if importlib.util.find_spec("numpy") is None:  # of the Python package
        return
    import interfield  # pylint: disable=import-outside-toplevel
    since = {"command": 1 << 40}
    rig = Rig(lambda n: NO_STOP | (PRESSURE if n < 300 or n > since["command"] else 0))
    test = Session(rig, "answers-python")
    rig.until(lambda seen: len(seen) > 400, "pressure off")
    since["command"] = len(rig.seen)
    rig.until(lambda seen: len(seen) > since["command"] + 20, "pressure on")
    for _ in range(100):
        try:
            test.session.arm()
            raise AssertionError("armed")
        except interfield.Error as error:
            if "pressure" in str(error):  # a busy machine misses a measurement: another reason
                assert re.fullmatch(r"arm refused: pressure is back since 0\.[0-9] s; type arm again after 1 s", str(error)), error
                break
    test.p.send_signal(signal.SIGTERM)
    test.end()


def lead(test, rig, state):
    """With orders of the terminal to a state, and there."""
    test.until_logged("waiting: for the order arm")
    if state == "idle":
        return
    test.arm()
    if state == "ready":
        return
    test.type("run")
    rig.reaches("ramp-in" if state == "ramp-in" else "run")
    if state in ("hold", "ramp-out"):
        test.type("hold")
        test.until_logged("checkpoint of tick")
    if state == "ramp-out":
        test.type("ramp-out")
        rig.reaches("ramp-out")
    if state == "tripped":
        test.type("trip")
        rig.reaches("tripped")


GIVE = {"terminal": lambda t: t.type("stop"), "post": lambda t: t.post("/order/stop"),
        "python": lambda t: t.session.stop(), "SIGINT": lambda t: t.p.send_signal(signal.SIGINT), "SIGTERM": lambda t: t.p.send_signal(signal.SIGTERM)}
WANTED = {"idle": ["idle"], "ready": ["ready"], "ramp-in": ["ramp-in", "ramp-out"], "run": ["run", "hold", "ramp-out"],
          "hold": ["hold", "ramp-out"], "ramp-out": ["ramp-out", "tripped"], "tripped": ["tripped"]}
if importlib.util.find_spec("numpy") is None:  # of the Python package
    del GIVE["python"]
FASTEST = {}  # source: the least number of commands from the order to the first reaction, of all states; a busy machine only adds to it


def stop(state, source):
    rig = Rig()
    kind = Session if source == "python" else Test
    slow = ["--set", "test.ramp-in=10 s"] if state == "ramp-in" else ["--set", "test.creep=1e-5 m/s"] if state == "ramp-out" else []
    test = kind(rig, f"stop-{state}-{source}", *(["--live", "0"] if source == "post" else []), *slow)
    lead(test, rig, state)
    if source == "post":
        assert test.post("/control") == 200
    mark = len(rig.seen) - 1
    answer = GIVE[source](test)
    assert source != "post" or answer == 200, answer
    person = source in ("terminal", "post", "python")
    if state in ("ready", "ramp-in", "run", "hold", "ramp-out"):
        rig.until(lambda seen: len(seen) > mark and seen[-1][0] != state, f"no reaction in {state} to {source}")
        first = next(i for i, s in enumerate(rig.seen[mark:]) if s[0] != state)
        FASTEST[source] = min(first, FASTEST.get(source, first))
    if state == "tripped" and person:  # there is nothing to stop: refused, and the test stays
        test.until_logged("order stop refused: nothing moves")
        count = len(rig.seen)
        rig.until(lambda seen: len(seen) > count + 50, "more ticks")
        test.p.send_signal(signal.SIGTERM)
    if state == "ramp-out" and person:
        rig.reaches("tripped")
        time.sleep(0.1)
        test.p.send_signal(signal.SIGTERM)
    assert test.end() in (0, 1), test.said()
    path = rig.path(mark)
    return path[path.index(state):] if state in path else path


def a_stop_is_the_same_from_every_source():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = {(state, source): pool.submit(stop, state, source) for state in WANTED for source in GIVE}
        for (state, source), path in made.items():
            found = path.result()
            assert found == WANTED[state] or (state in ("idle", "ready") and found == WANTED[state][:1]), (state, source, found)
    print("commands from a stop to its first effect:", FASTEST)
    for source, ticks in FASTEST.items():  # of 2 ms; the command that was under way counts too
        assert ticks <= (25 if source.startswith("SIG") else 4), FASTEST


def a_stop_does_not_wait_for_disk_or_terminal():
    """The disk of the record hangs and nobody reads what the program prints: the whole way out is commanded."""
    rig = Rig()
    read, write = os.pipe()
    test = Test(rig, "frozen", stdout=write, env={"LD_PRELOAD": os.path.abspath("frozen.so"), "IFD_FROZEN": os.path.abspath("freeze")})
    os.close(write)
    threading.Thread(target=lambda: [test.log() or time.sleep(0.01) for _ in range(1)], daemon=True).start()
    lead(test, rig, "run")
    open("freeze", "w", encoding="utf-8").close()
    for _ in range(400):  # answers fill the pipe
        test.type("nonsense " * 20)
        time.sleep(0.001)
    test.p.send_signal(signal.SIGINT)
    rig.until(lambda seen: seen[-1][0] in ("ramp-out", "stopped") and abs(seen[-1][1]) < 1e-4, "the end of the way out")
    os.remove("freeze")
    os.set_blocking(read, False)
    end = time.monotonic() + PATIENCE
    while test.p.poll() is None and time.monotonic() < end:
        try:
            os.read(read, 65536)
        except BlockingIOError:
            time.sleep(0.01)
    assert test.end() == 1
    path = rig.path()
    assert path[-3:] == ["run", "hold", "ramp-out"], path
    assert abs(rig.positions()[-1]) < 1e-4, rig.positions()[-1]


def a_lost_terminal_stops_the_test():
    """It is no order of a person: the outcome has the reason, and nobody is asked."""
    rig = Rig()
    test = Test(rig, "lost")
    lead(test, rig, "run")
    test.p.send_signal(signal.SIGHUP)
    assert test.end() == 1 and rig.path()[-3:] == ["run", "hold", "ramp-out"], rig.path()
    assert "end: aborted automatically in state run: the terminal is lost (SIGHUP)" in test.log(), test.log()
    assert "aborted  automatically in state run: the terminal is lost (SIGHUP)" in test.said() and "Type resume" not in test.said(), test.said()
    log = [line.split("  ")[3] for line in test.log().splitlines()]
    assert log[-1].startswith("end: "), log[-1]


def a_tripped_test_that_nobody_can_reset_ends():
    """Its terminal has ended before, and there is no page."""
    pressed = {"stop": False}
    rig = Rig(lambda n: PRESSURE | (0 if pressed["stop"] else NO_STOP))
    test = Test(rig, "alone")
    lead(test, rig, "run")
    test.p.stdin.close()
    pressed["stop"] = True
    assert test.end() == 1 and rig.path()[-2:] == ["run", "tripped"] and '"outcome": "tripped"' in open("alone/out/summary.json", encoding="utf-8").read(), test.said()


def a_changed_specimen_is_not_continued():
    rig = Rig()
    test = Test(rig, "evening", "--until", "0.5")
    lead(test, rig, "run")
    assert test.end() == 0 and '"outcome": "parked"' in open("evening/out/summary.json", encoding="utf-8").read(), test.said()
    left = rig.positions()[-1]
    for name, stiffness, at in (("softer", 2e3, left), ("elsewhere", 2e5, left - 4.6e-3)):
        rig = Rig(stiffness=stiffness, at=at, port=rig.port)
        test = Test(rig, name, "--continue", "evening/out")
        test.until_said("waiting")
        test.type("arm")
        test.until_said("arm      refused")
        assert "--accept-change" in test.said() and "stored" in test.said(), test.said()
        test.p.send_signal(signal.SIGTERM)
        test.end()
        assert not rig.positions(), rig.path()
    rig = Rig(stiffness=2e3, at=left, port=rig.port)
    test = Test(rig, "accepted", "--continue", "evening/out", "--accept-change")
    test.until_said("idle     at rest")
    test.arm()
    test.p.send_signal(signal.SIGTERM)
    test.end()
    assert "accept-change" in test.log(), test.log()


def a_real_rig_asks_for_a_person():
    rig = Rig()
    words = [PROGRAM, "test", "asked.yaml", "--without-preflight", "--set", f"test.rig={{udp: {{port: {rig.port}, timeout: 30 s}}}}", "--out", "asked"]
    with open("asked.yaml", "w", encoding="utf-8") as file:
        file.write(CASE.replace("test: {", "test: {operator: C. Case, "))
    for more, why in (([], "--operator NAME"), (["--start", "--operator", "A. Smith"], "--start is for simulated rigs; this rig moves by orders of a person")):
        p = subprocess.run([*words, *more], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert p.returncode == 2 and why in p.stderr, p.stderr
    stroke = "channels={stroke: {input: position 1, measures: position of spring, unit: mm, sensitivity: 1000, zero-limit: 5}}"
    for command in (["zero", "--set", stroke], ["characterise"]):
        p = subprocess.run([PROGRAM, command[0], "asked.yaml", *words[4:6], *command[1:]], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert p.returncode == 2 and "a real rig needs the name of its operator: --operator NAME" in p.stderr, (command, p.stderr)
    rig.over = True
    assert not rig.positions()


def a_rig_with_a_clock_is_not_driven_without_one():
    """Free-running, 27 s of motions would take some seconds."""
    rig = Rig()
    for command in ("test", "characterise"):
        without = ["--without-preflight"] if command == "test" else []
        p = subprocess.run([PROGRAM, command, "case.yaml", "--operator", "A. Smith", "--as-fast-as-possible", *without, "--out", f"fast-{command}",
                            "--set", f"test.rig={{udp: {{port: {rig.port}, timeout: 2 s}}}}"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert p.returncode == 2 and "rig 'udp' has its own clock; --as-fast-as-possible needs a virtual rig or a rig in lockstep" in p.stderr, (command, p.returncode, p.stderr)
        assert not rig.seen, (command, rig.path())
    rig.over = True


def a_study_moves_no_rig():
    """Neither that of its case nor one that the study sets."""
    rig = Rig()
    named = f"{{udp: {{port: {rig.port}, timeout: 2 s}}}}"
    with open("studied.yaml", "w", encoding="utf-8") as file:
        file.write(CASE.replace("end: 600 s", "end: 1 s").replace("test: {", "test: {rig: virtual, operator: A. Smith, "))
    with open("rig.study.yaml", "w", encoding="utf-8") as file:
        file.write("case: studied.yaml\ncompute: test\nkeep: {peak: {peak: x displacement}}\nvary: {ramp: {key: test.ramp-in, list: [0.1 s, 0.2 s]}}\n"
                   "set: {test.rig: %s}\n" % named)
    p = subprocess.run([PROGRAM, "study", "rig.study.yaml", "--out", "study"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert p.returncode == 1 and "rig 'udp' is not virtual: a study moves no real rig" in p.stdout + p.stderr, (p.returncode, p.stdout, p.stderr)
    assert not rig.seen, rig.path()
    rig.over = True


def an_order_overtaken_by_a_stop_is_refused():
    """Both come between two ticks, unless one begins just between them."""
    for attempt in range(10):
        rig = Rig()
        test = Test(rig, f"overtaken-{attempt}")
        lead(test, rig, "ready")
        test.type("run stop")
        assert test.end() == 1
        if "ramp-in" in rig.path():
            continue
        assert "order run refused: a more urgent order came in the same tick" in test.log(), test.log()
        return
    raise AssertionError("stop never came in the tick of run")


def the_start_button_is_an_order():
    """Half a second after ready began, and in the log, with its source."""
    pressed = {"from": 1 << 40}
    rig = Rig(lambda n: NO_STOP | PRESSURE | (START if n >= pressed["from"] else 0))
    test = Test(rig, "button")
    pressed["from"] = 0  # held while the test is armed: no edge
    lead(test, rig, "ready")
    count = len(rig.seen)
    rig.until(lambda seen: len(seen) > count + 500, "a second")
    assert rig.path() == ["idle", "ready"], rig.path()
    pressed["from"] = len(rig.seen) + 100
    rig.until(lambda seen: len(seen) > pressed["from"], "the button")
    rig.reaches("ramp-in")
    test.type("stop")
    assert test.end() == 1
    log = [line.split("  ")[3] for line in test.log().splitlines()]
    assert log[log.index("state ramp-in") - 1] == "order run, from the start button of the rig", log


def only_the_holder_leads():
    """Two browsers and a terminal give 100 orders each: only those of the holder change a command."""
    rig = Rig()
    test = Test(rig, "roles", "--live", "0")
    lead(test, rig, "run")
    address = next(line.split()[1] for line in test.said().splitlines() if line.startswith("live "))
    host, key = address.split("/")[2], address.split("#")[1]

    def ask(path, who):
        connection = http.client.HTTPConnection(host, timeout=PATIENCE)
        connection.request("POST", path, headers={"X-Interfield-Token": key, "X-Interfield-Client": who * 32, "X-Interfield-Name": f"Browser {who}"})
        return connection.getresponse().status

    assert ask("/control", "a") == 200
    before = len(rig.seen)
    for _ in range(100):
        assert ask("/order/hold", "b") == 403
        test.type("hold")
    test.until_logged("order hold, from the terminal, A. Smith refused")
    rig.until(lambda seen: len(seen) > before + 200, "more ticks")
    assert rig.path(before) == ["run"], rig.path(before)
    for _ in range(100):
        assert ask("/order/hold", "a") in (200, 409)
    rig.reaches("hold")
    test.until_logged("order hold, from the live page, 127.0.0.1, Browser a")
    test.type("control")
    test.until_logged("control: the terminal, A. Smith")
    assert ask("/order/stop", "b") == 200  # at rest already: only the holder ramps out
    time.sleep(0.2)
    assert rig.seen[-1][0] == "hold", rig.path()
    test.type("stop")
    assert test.end() == 1 and rig.path()[-1:] == ["ramp-out"], rig.path()


if __name__ == "__main__":
    with open("case.yaml", "w", encoding="utf-8") as made:
        made.write(CASE)
    silence = None if sys.argv[1:] else Silence()
    for scene in [globals()[name] for name in sys.argv[1:]] or [nothing_moves_without_an_order, piped_orders_are_refused_and_forgotten, a_real_rig_asks_for_a_person,
                                                                a_stop_is_the_same_from_every_source, a_stop_does_not_wait_for_disk_or_terminal, a_lost_terminal_stops_the_test, a_tripped_test_that_nobody_can_reset_ends,
                                                                a_changed_specimen_is_not_continued, a_study_moves_no_rig, a_rig_with_a_clock_is_not_driven_without_one, an_order_overtaken_by_a_stop_is_refused, what_is_next_is_said, a_fault_says_the_same_on_page_and_terminal, answers_have_their_numbers_everywhere, the_start_button_is_an_order, only_the_holder_leads]:
        scene()
        print(scene.__name__.replace("_", " "), flush=True)
    if silence:
        silence.join()
        assert not silence.wrong, silence.wrong
        print("a minute without an order", flush=True)
