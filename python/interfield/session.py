# SPDX-License-Identifier: MIT
"""A hybrid test controlled from Python; the program interfield runs it in another process.

No tick waits for Python: orders are sent to the standard input of the program; values come from its live page.
The program is started with --attached: when this interpreter ends, also by a crash, the test holds, ramps out and ends."""
from __future__ import annotations

import http.client
import json
import os
import subprocess
import tempfile
import threading
import time
from typing import IO, Any, Callable, Mapping, NamedTuple
from urllib.parse import urlsplit

from ._library import Error
from .program import find_program
from .results import Result, read

SILENCE = 5.0  # s without a frame (twenty per second are usual) before a new request
ANSWER = 30.0  # s for an answer to an order, which takes one tick; machines may be busy
LOOK = 0.02  # s between checks of a program without output


class Interface(NamedTuple):
    """Values of an interface: m and N; for rotations rad and N m. tracking: largest error since the previous frame."""

    target: float
    command: float
    deformation: float
    force: float
    tracking: float


class Live(NamedTuple):
    """The newest frame of a test: state, simulated and wall-clock time in s, fault ("" for none), number of late ticks,
    and the interfaces by name."""

    state: str
    time: float
    wall: float
    fault: str
    late: int
    interfaces: dict[str, Interface]


class _Feed:
    """Reads the events of the live page on a thread that does not prevent the end of the session."""

    def __init__(self, address: str) -> None:
        self.host = urlsplit(address).netloc
        self.changed = threading.Condition()
        self.hello: dict[str, Any] = {}
        self.live: Live | None = None
        self.clearance: dict[str, Any] = {}  # of the newest frame: asked, done, second, confirmed
        self.heard = time.monotonic()
        self.states: list[str] = []  # in their order, as far as they were received
        self.answers: list[tuple[str, str, bool]] = []  # order, text, refused
        self.end: dict[str, Any] | None = None
        self.over = False
        self.last = self.known = -1.0  # s of wall-clock time: the newest event; the same at the last new connection
        threading.Thread(target=self._run, name="interfield live", daemon=True).start()

    def _run(self) -> None:
        while not self.over and self.end is None:
            try:
                self._listen()
            except ConnectionRefusedError:
                return  # the page exists as long as the program
            except (OSError, http.client.HTTPException, ValueError):
                pass  # too slow, or the program is about to end
            self.known = self.last
            time.sleep(LOOK)

    def _listen(self) -> None:
        connection = http.client.HTTPConnection(self.host, timeout=SILENCE)
        try:
            connection.request("GET", "/events")
            stream, kind = connection.getresponse(), "frame"
            for line in iter(stream.readline, b""):
                if line.startswith(b"event: "):
                    kind = line[7:].strip().decode()
                elif line.startswith(b"data: "):
                    with self.changed:
                        self._take(kind, json.loads(line[6:]))
                        self.changed.notify_all()
                elif not line.strip():
                    kind = "frame"
        finally:
            connection.close()

    def _take(self, kind: str, said: dict[str, Any]) -> None:
        self.heard = time.monotonic()
        if kind == "hello":
            self.hello = said
        elif kind == "end":
            self.end = said
        else:
            for event in said.get("events", []):
                self._note(event)
            self.clearance = said.get("clearance", self.clearance)
            if kind == "frame" and said.get("t"):
                self._show(said)

    def _note(self, event: dict[str, Any]) -> None:
        if event["wall"] <= self.known:
            return  # a new connection repeats old events
        self.last = event["wall"]
        if "state" in event:
            self.states.append(self.hello["states"][event["state"]]["name"])
        else:
            answer = self.hello["answers"][event["answer"]]
            text = event.get("text", answer["text"])  # its own: with numbers
            self.answers.append((self.hello["orders"][event["order"]], text, answer["refused"]))

    def _show(self, said: dict[str, Any]) -> None:
        newest = {about["name"]: Interface(*(float("nan") if y[-1] is None else y[-1] for y in specimen["seen"]))
                  for about, specimen in zip(self.hello["specimens"], said["specimens"])}
        fault = self.hello["faults"][said["fault"]] if said["fault"] else ""
        self.live = Live(self.hello["states"][said["state"]]["name"], said["time"], said["wall"], fault, said["late"],
                         newest)


def _order(word: str, doc: str) -> Callable[[TestSession], str]:
    """A method that sends an order; returns its answer."""
    def send(self: TestSession) -> str:
        return self.order(word)
    send.__doc__, send.__name__ = doc, word.replace("-", "_")
    return send


class TestSession:
    """A test of a case on its rig, controlled from Python.

        with interfield.TestSession("bridge.yaml", out="runs/one") as test:
            test.wait_for("run")
            test.live.interfaces["bearing"].deformation
            test.hold()
            test.resume()
            test.wait()
        test.result().plot("bearing force", against="bearing deformation")

    case        a file, or the name of a shipped case; sets: {"time.end": "5 s"} replaces keys of it
    out         the result folder, which must not exist; default: a new folder in runs
    options     further arguments of `interfield test`: "--priority", 80; "--without-preflight"
    wait_after_trip   a tripped test waits for reset() or quit(); default: the test ends after a trip

    The test stops (hold, ramp-out, end) when a with block is left before its end, when close() is called, when the
    session is no longer referred to, and when the interpreter ends, also by a signal or a crash. A KeyboardInterrupt
    does not reach the program; a second one, during the stop at the end of a with block, trips the test."""

    __test__ = False  # not a test class of pytest

    def __init__(self, case: str | os.PathLike[str], *options: object, sets: Mapping[str, object] | None = None,
                 out: str | os.PathLike[str] | None = None, wait_after_trip: bool = False) -> None:
        words = [find_program(), "test", os.fspath(case), *map(str, options), "--attached", "--live", "0", "--json"]
        for key, value in (sets or {}).items():
            words += ["--set", f"{key}={value}"]
        if out is not None:
            words += ["--out", os.fspath(out)]
        if not wait_after_trip:
            words.append("--exit-on-trip")
        self._folder = os.path.abspath(os.fspath(out)) if out is not None else None
        self._started_in = os.getcwd()
        self._summary: dict[str, Any] | None = None
        self._said: IO[bytes] = tempfile.TemporaryFile()  # files: output without a reader must not block the program
        self._object: IO[bytes] = tempfile.TemporaryFile()
        # In a separate session: Ctrl-C reaches only Python, which then stops the test.
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=self._object, stderr=self._said,
                                         start_new_session=True)
        try:
            address = self._address()
        except BaseException:
            self.close()
            raise
        self._feed = _Feed(address)

    def _address(self) -> str:
        while True:
            over = self._process.poll() is not None
            for line in self.messages.splitlines():
                if line.startswith("live "):
                    return line.split()[1]
            if over:
                raise Error(self.messages.strip() or f"interfield test: exit status {self._process.returncode}",
                            self.summary.get("error", ""))
            time.sleep(LOOK)

    @staticmethod
    def _text(file: IO[bytes]) -> str:
        return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode(errors="replace")

    @property
    def messages(self) -> str:
        """The error messages of the program: warnings, faults, refused orders."""
        return self._text(self._said)

    @property
    def pid(self) -> int:
        """The process number of the program."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the program is still running."""
        return self._process.poll() is None

    @property
    def live(self) -> Live:
        """The newest values, about twenty per second; waits for the first ones. age is their age."""
        with self._feed.changed:
            while self._feed.live is None:
                if not self.running:
                    raise Error("the test ended before any data arrived\n" + self.messages)
                self._feed.changed.wait(LOOK)
            return self._feed.live

    @property
    def age(self) -> float:
        """Time since the last data of the test, s. Above one second the computer is overloaded or the test has ended."""
        return time.monotonic() - self._feed.heard

    @property
    def state(self) -> str:
        """The newest state: idle, ready, ramp-in, run, hold, ramp-out, stopped, tripped or return."""
        return self.live.state

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.live.time

    def wait_for(self, *states: str, timeout: float | None = None) -> str:
        """Waits until the test is in one of these states, or was in one since the call; returns it.

        Error if the test ends before that; TimeoutError after timeout seconds, and the test continues."""
        known = [about["name"] for about in self._feed.hello.get("states", [])]
        wrong = [word for word in states if known and word not in known]
        if wrong or not states:
            raise ValueError(f"'{' '.join(wrong)}' is not a state; expected one of: {', '.join(known)}")
        since, until = len(self._feed.states), None if timeout is None else time.monotonic() + timeout
        with self._feed.changed:
            while True:
                live = self._feed.live
                for state in ([live.state] if live else []) + self._feed.states[since:]:
                    if state in states:
                        return state
                if not self.running:
                    raise Error(f"the test ended before it was in state {' or '.join(states)}: {self.outcome}")
                if until is not None and time.monotonic() > until:
                    raise TimeoutError(f"not in state {' or '.join(states)} after {timeout:g} s")
                self._feed.changed.wait(LOOK)

    def order(self, word: str) -> str:
        """Sends an order as from the terminal, waits for the tick that receives it, and returns its answer.

        Error, with the reason, if the order is refused or the test has ended."""
        with self._feed.changed:
            before = len(self._feed.answers)
        try:
            assert self._process.stdin
            self._process.stdin.write(word.encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise Error(f"{word}: the test has ended or is stopping") from None
        return self._answered(word, before)

    def _answered(self, word: str, before: int) -> str:
        until = time.monotonic() + ANSWER
        with self._feed.changed:
            while True:
                over = not self.running
                for name, text, refused in self._feed.answers[before:]:
                    if name == word and refused:
                        raise Error(f"{word} refused: {text}", "REFUSED")
                    if name == word:
                        return text
                if over or time.monotonic() > until:
                    raise Error(f"{word}: " + ("the test has ended" if over else f"no answer within {ANSWER:g} s"))
                self._feed.changed.wait(LOOK)

    hold = _order("hold", "Stops simulated time within the braking time of the case; the specimens keep their position.")
    resume = _order("resume", "Resumes after a hold. Error if the case does not permit it.")
    slower = _order("slower", "Doubles the time scale (lambda) smoothly, at most four times.")
    faster = _order("faster", "Halves the time scale again, at most to that of the case.")
    ramp_out = _order("ramp-out", "Brakes, moves the specimens to the final position of the case (leave), and ends the test.")
    park = _order("park", "Holds and ends the test; the specimens stay loaded. --continue resumes it.")
    unload = _order("unload", "Ramps out to zero force, from ready or hold.")
    reset = _order("reset", "Returns to idle after a trip, with wait_after_trip.")
    quit = _order("quit", "Ends a test that waits in idle or tripped.")

    def arm(self) -> str:
        """Holds the measured position of the rig. Returns at once on a rig that starts by itself."""
        return "" if self._by_itself() else self.order("arm")

    def run(self) -> str:
        """Moves to the start and runs. Returns at once on a rig that starts by itself. Error if a line of the checklist is
        not done, or no second person has confirmed."""
        if self._by_itself():
            return ""
        missing = [text for text, name in self.checklist if name is None]
        if missing and self.state == "ready":
            raise Error(f"run refused: the checklist is not complete: {missing[0]}", "REFUSED")
        state = self._feed.clearance
        if state.get("asked") and state["second"] and state["confirmed"] is None:
            raise Error("run refused: a second person has not confirmed: confirm(name)", "REFUSED")
        return self.order("run")

    @property
    def checklist(self) -> list[tuple[str, str | None]]:
        """The lines that a real rig asks for after arm(), each with the name of the person who answered done, or None."""
        done = self._feed.clearance.get("done", [])
        return [(text, done[k] if k < len(done) else None) for k, text in enumerate(self._feed.hello.get("checklist", []))]

    def check(self) -> str:
        """States that the first open line of the checklist is done, in the name of --operator; returns the line."""
        self._until_cleared(lambda c: bool(c.get("asked")), "the checklist is asked after arm()")
        line = next((k for k, (_, name) in enumerate(self.checklist) if name is None), None)
        if line is None:
            raise Error("the checklist is complete", "REFUSED")
        self._until_cleared(lambda c: c.get("terminal") == line, "the terminal does not ask for this line")
        self._type("")  # once: a second Enter would answer the next line
        self._until_cleared(lambda c: c["done"][line] is not None, "no answer")
        return self.checklist[line][0]

    def confirm(self, name: str) -> None:
        """The confirmation of a second person, who has another name than --operator."""
        self._type(f"confirm {name}")
        self._until_cleared(lambda c: c.get("confirmed") is not None, "refused: see messages")

    def _until_cleared(self, holds: Callable[[dict[str, Any]], bool], why: str, patience: float = ANSWER) -> None:
        until = time.monotonic() + patience
        with self._feed.changed:
            while not holds(self._feed.clearance):
                if not self.running or time.monotonic() > until:
                    raise Error(why, "REFUSED")
                self._feed.changed.wait(LOOK)

    def _by_itself(self) -> bool:
        with self._feed.changed:
            while not self._feed.hello and self.running:
                self._feed.changed.wait(LOOK)
        return bool(self._feed.hello.get("automatic"))

    def trip(self) -> None:
        """Trips the test as a fault does: brakes and holds the position. This is not an emergency stop, which cuts the
        hydraulics without any program."""
        self._type("trip")

    def stop(self) -> None:
        """Stops the test from any state: hold, ramp-out, end. Does not wait for the end. A second stop trips."""
        self._type("stop")

    def _type(self, word: str) -> None:
        """A thread of the program reads it and passes it to the next tick, without waiting for other work."""
        try:
            assert self._process.stdin
            self._process.stdin.write(word.encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            if self.running:
                self._leave()

    def _trip_on_page(self) -> None:
        """When standard input is closed: everybody may trip a test."""
        connection = http.client.HTTPConnection(self._feed.host, timeout=SILENCE)
        try:
            connection.request("POST", "/order/trip")
            connection.getresponse()
        except (OSError, http.client.HTTPException):
            pass  # it has ended
        finally:
            connection.close()

    def _leave(self) -> None:
        """Closes standard input, which stops an attached test."""
        try:
            if self._process.stdin:
                self._process.stdin.close()
        except OSError:
            pass

    def wait(self, timeout: float | None = None) -> str:
        """Waits for the end of the test and returns its outcome; TimeoutError after timeout seconds, and the test continues."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"the test has not ended after {timeout:g} s") from None
        return self.outcome

    @property
    def summary(self) -> dict[str, Any]:
        """The object of summary.json after the end of the test; {} before, or without the file."""
        if self._summary is None and not self.running:
            try:
                self._summary = json.loads(self._text(self._object))
            except json.JSONDecodeError:
                self._summary = {}
        return self._summary or {}

    @property
    def outcome(self) -> str:
        """The outcome: "completed", "completed with caution", "parked", "tripped", "aborted", "failed", "incomplete", "hung" (docs/reference/exit.md); "" before the end."""
        return str(self.summary.get("outcome", "" if self.running else "failed"))

    @property
    def folder(self) -> str:
        """The result folder. Without out it is known after the end of the test."""
        with self._feed.changed:
            until = time.monotonic() + SILENCE
            while self._folder is None and not (self._feed.end or time.monotonic() > until):
                self._feed.changed.wait(LOOK)
        if self._folder is None and self._feed.end:
            self._folder = os.path.join(self._started_in, self._feed.end["folder"])
        if self._folder is None:
            raise Error("the result folder is known after the end of the test")
        return self._folder

    def result(self) -> Result:
        """The result with every tick, after the end of the test."""
        if self.running:
            raise Error("the test has not ended; call wait() first")
        return read(self.folder)

    def close(self) -> None:
        """Stops a running test and waits for its end."""
        self._leave()
        try:
            self._process.wait()
        except KeyboardInterrupt:
            if hasattr(self, "_feed"):
                self._trip_on_page()
            self._process.wait()
            raise
        finally:
            if hasattr(self, "_feed"):
                self._feed.over = not self.running

    def __enter__(self) -> TestSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self._leave()  # without a controller the program stops the test itself
            self._said.close()
            self._object.close()
        if hasattr(self, "_feed"):
            self._feed.over = True

    def __repr__(self) -> str:
        return f"<interfield test, process {self.pid}: {self._feed.live.state if self._feed.live else 'begins'}>" \
            if self.running else f"<interfield test: {self.outcome}>"
