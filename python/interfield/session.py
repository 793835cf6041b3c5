# SPDX-License-Identifier: MIT
"""A hybrid test that Python starts and leads; the program interfield does it, in a process of its own.

No tick waits for Python: orders go to the program's standard input and its live page, values come from that page. The
program is started with --attached: when this interpreter ends, however it ends, the test holds, ramps out and ends."""
from __future__ import annotations

import http.client
import json
import os
import subprocess
import tempfile
import threading
import time
from typing import IO, Any, Mapping, NamedTuple
from urllib.parse import urlsplit

from ._library import Error
from .program import find_program
from .results import Result, read

SILENCE = 5.0  # s without a frame (there are twenty a second) after which the page is asked anew
ANSWER = 30.0  # s for an answer to an order, which takes one tick; machines may be busy
LOOK = 0.02  # s between looks at a program that has not said anything yet


class Interface(NamedTuple):
    """Where a specimen is: m and N, rad and N m where it turns. tracking: the largest error since the frame before."""

    target: float
    command: float
    measured: float
    force: float
    tracking: float


class Live(NamedTuple):
    """The newest frame of a test: its state, simulated and wall-clock time in s, fault ("" without), late ticks so far,
    and its interfaces by name."""

    state: str
    time: float
    wall: float
    fault: str
    late: int
    interfaces: dict[str, Interface]


class _Feed:
    """Reads the events of the live page, on a thread that does not keep the session alive."""

    def __init__(self, address: str) -> None:
        self.host = urlsplit(address).netloc
        self.changed = threading.Condition()
        self.hello: dict[str, Any] = {}
        self.live: Live | None = None
        self.heard = time.monotonic()
        self.states: list[str] = []  # in their order, as far as they were seen
        self.answers: list[tuple[str, str, bool]] = []  # order, text, refused
        self.end: dict[str, Any] | None = None
        self.over = False
        self.last = self.known = -1.0  # s of wall clock: the newest event; that when the connection was made anew
        threading.Thread(target=self._run, name="interfield live", daemon=True).start()

    def _run(self) -> None:
        while not self.over and self.end is None:
            try:
                self._listen()
            except ConnectionRefusedError:
                return  # the page is there for as long as the program
            except (OSError, http.client.HTTPException, ValueError):
                pass  # it lagged, or the program is about to end
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
            if kind == "frame" and said.get("t"):
                self._show(said)

    def _note(self, event: dict[str, Any]) -> None:
        if event["wall"] <= self.known:
            return  # a new connection tells the old ones once more
        self.last = event["wall"]
        if "state" in event:
            self.states.append(self.hello["states"][event["state"]]["name"])
        else:
            answer = self.hello["answers"][event["answer"]]
            self.answers.append((self.hello["orders"][event["order"]], answer["text"], answer["refused"]))

    def _show(self, said: dict[str, Any]) -> None:
        newest = {about["name"]: Interface(*(float("nan") if y[-1] is None else y[-1] for y in channel["seen"]))
                  for about, channel in zip(self.hello["channels"], said["channels"])}
        fault = self.hello["faults"][said["fault"]] if said["fault"] else ""
        self.live = Live(self.hello["states"][said["state"]]["name"], said["time"], said["wall"], fault, said["late"],
                         newest)


class TestSession:
    """A test of a case on its rig, led from here.

        with interfield.TestSession("bridge.yaml", out="runs/one") as test:
            test.wait_for("run")
            test.live.interfaces["bearing"].measured
            test.hold()
            test.resume()
            test.wait()
        test.result().plot("bearing force", against="bearing measured")

    case        a file, or the name of a shipped case; sets: {"time.end": "5 s"} overrides keys of it
    out         the folder of the result, which must not exist; without it the program takes a new one in runs
    options     further words for `interfield test`: "--priority", 80; "--without-preflight"
    wait_after_trip   a tripped test waits for reset() or quit(); without it the test ends by itself

    The test is led out (hold, ramp-out, end) when a with block is left before its end, when close() is called, when the
    session is no longer referred to, and when the interpreter ends, also by a signal or a crash. A KeyboardInterrupt
    does not reach the program; a second one, while a with block waits for the way out, trips the test."""

    __test__ = False  # pytest shall not take it for one of its own

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
        self._said: IO[bytes] = tempfile.TemporaryFile()  # files: a program that nobody reads must not wait
        self._object: IO[bytes] = tempfile.TemporaryFile()
        # In a session of its own: Ctrl-C is for Python, which then leads the test out.
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=self._object, stderr=self._said,
                                         start_new_session=True)
        try:
            address = self._address()
        except BaseException:
            self.close()
            raise
        self._token = urlsplit(address).fragment
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
        """What the program said on its error stream: warnings, faults, orders that were refused."""
        return self._text(self._said)

    @property
    def pid(self) -> int:
        """The number of the program's process."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the program is still there."""
        return self._process.poll() is None

    @property
    def live(self) -> Live:
        """The newest values, about twenty a second; waits for the first ones. age says how old they are."""
        with self._feed.changed:
            while self._feed.live is None:
                if not self.running:
                    raise Error("the test is over, and nothing was seen of it\n" + self.messages)
                self._feed.changed.wait(LOOK)
            return self._feed.live

    @property
    def age(self) -> float:
        """s since something was heard of the test. Above a second the machine is busy, or the test is over."""
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

        Error when the test ends before that; TimeoutError after timeout seconds: the test goes on."""
        known = [about["name"] for about in self._feed.hello.get("states", [])]
        wrong = [word for word in states if known and word not in known]
        if wrong or not states:
            raise ValueError(f"'{' '.join(wrong)}' is no state; there are: {', '.join(known)}")
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
        """Gives an order as typed at a terminal, waits for the tick that takes it, and returns what it answered.

        Error, with the reason, when the order is refused or the test is over."""
        with self._feed.changed:
            before = len(self._feed.answers)
        try:
            assert self._process.stdin
            self._process.stdin.write(word.encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise Error(f"{word}: the test is over, or on its way out") from None
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
                    raise Error(f"{word}: " + ("the test is over" if over else f"no answer within {ANSWER:g} s"))
                self._feed.changed.wait(LOOK)

    def hold(self) -> str:
        """Simulated time comes to rest within the case's brake; the specimens stay where that brings them."""
        return self.order("hold")

    def resume(self) -> str:
        """Goes on after a hold. Error where the case does not allow it."""
        return self.order("resume")

    def ramp_out(self) -> str:
        """Brakes, moves the specimens to where the case wants them left, and ends."""
        return self.order("ramp-out")

    def reset(self) -> str:
        """After a trip, with wait_after_trip: back to idle."""
        return self.order("reset")

    def quit(self) -> str:
        """Ends a test that waits in idle or tripped."""
        return self.order("quit")

    def trip(self) -> None:
        """Stops everything now, as a fault would: brakes and holds the position. No emergency stop: that cuts the
        hydraulics, and asks no program."""
        if not self._post("trip"):
            self.order("trip")

    def stop(self) -> None:
        """Hold, then ramp-out, then the end: the way out from every state. Does not wait for it."""
        if not self._post("stop"):
            self._leave()

    def _post(self, word: str) -> bool:
        """By the live page: straight to the next tick, past all that the program may be waiting for."""
        connection = http.client.HTTPConnection(self._feed.host, timeout=SILENCE)
        try:
            connection.request("POST", "/order/" + word, headers={"X-Interfield-Token": self._token})
            return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return not self.running
        finally:
            connection.close()

    def _leave(self) -> None:
        """Closes standard input, upon which an attached test is led out."""
        try:
            if self._process.stdin:
                self._process.stdin.close()
        except OSError:
            pass

    def wait(self, timeout: float | None = None) -> str:
        """Waits for the end of the test and returns its outcome; TimeoutError after timeout seconds: it goes on."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"the test is not over after {timeout:g} s") from None
        return self.outcome

    @property
    def summary(self) -> dict[str, Any]:
        """The object of summary.json, once the test is over; {} before, and where there is none."""
        if self._summary is None and not self.running:
            try:
                self._summary = json.loads(self._text(self._object))
            except json.JSONDecodeError:
                self._summary = {}
        return self._summary or {}

    @property
    def outcome(self) -> str:
        """How the test ended: "done", "paused", "tripped", "fault", "interrupted", "aborted" (docs/exit.md); "" before."""
        return str(self.summary.get("outcome", "" if self.running else "failed"))

    @property
    def folder(self) -> str:
        """The folder of the result. Without out it is known when the test is over."""
        with self._feed.changed:
            until = time.monotonic() + SILENCE
            while self._folder is None and not (self._feed.end or time.monotonic() > until):
                self._feed.changed.wait(LOOK)
        if self._folder is None and self._feed.end:
            self._folder = os.path.join(self._started_in, self._feed.end["folder"])
        if self._folder is None:
            raise Error("the folder of the result is known when the test is over")
        return self._folder

    def result(self) -> Result:
        """Every tick of the test, once it is over."""
        if self.running:
            raise Error("the test is not over; wait() for it")
        return read(self.folder)

    def close(self) -> None:
        """Leads a test out that is still under way, and waits for its end."""
        self._leave()
        try:
            self._process.wait()
        except KeyboardInterrupt:
            if hasattr(self, "_feed"):
                self._post("trip")
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
            self._leave()  # nobody is left to lead it: the program does
            self._said.close()
            self._object.close()
        if hasattr(self, "_feed"):
            self._feed.over = True

    def __repr__(self) -> str:
        return f"<interfield test, process {self.pid}: {self._feed.live.state if self._feed.live else 'begins'}>" \
            if self.running else f"<interfield test: {self.outcome}>"
