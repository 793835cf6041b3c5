# SPDX-License-Identifier: MIT
"""Tests that Python starts: led, left alone, and left by an interpreter that is killed."""
import gc
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

import numpy as np

import interfield

# Machines that run tests are busy: late ticks are none of the business of this file.
CASE = """
title: A spring on the rig
time: {step: 2 ms, end: 1000 s}
method: lsrt2
ground: {motion: sine, amplitude: 0.5 m/s2, frequency: 1 Hz}
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-for: 1000 s, leave: start}
"""
LONG = 240  # s, for what takes less than one


def until(what, words):
    end = time.monotonic() + LONG
    while not what():
        if time.monotonic() > end:
            raise AssertionError(words)
        time.sleep(0.01)


class Scene(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.case = os.path.join(self.folder, "spring.yaml")
        with open(self.case, "w", encoding="utf-8") as f:
            f.write(CASE)
        self.out = os.path.join(self.folder, "out")

    def start(self, *options, **more):
        return interfield.TestSession(self.case, "--without-preflight", *options, out=self.out, **more)

    def log(self):
        try:
            with open(os.path.join(self.out, "events.log"), encoding="utf-8") as f:
                return f.read()
        except OSError:
            return ""

    def assert_led_out(self, outcome="aborted"):
        """The record ends by itself, after a ramp-out, with a command that rests where it began."""
        until(lambda: "  end: " in self.log(), "the test did not end: " + self.log())
        summary = os.path.join(self.out, "summary.json")
        until(lambda: os.path.exists(summary) and not os.path.exists(os.path.join(self.out, "unfinished.txt")), "no summary")
        with open(summary, encoding="utf-8") as f:
            self.assertEqual(json.load(f)["outcome"], outcome)
        self.assertIn("state ramp-out", self.log())
        result = interfield.read(self.out)
        command = result["spring command"]
        self.assertGreater(np.ptp(command), 1e-5, "it never moved")
        steps = np.abs(np.diff(command[-10:]))
        self.assertLess(steps.max(), 1e-3 * np.abs(np.diff(command)).max(), "it was left moving")
        self.assertLess(abs(command[-1] - command[0]), 0.01 * np.ptp(command), "leave: start")


class Led(Scene):
    def test_a_second_interrupt_trips(self):
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

        def again():
            until(lambda: "state hold" in self.log(), "no way out")
            os.kill(os.getpid(), signal.SIGINT)
        second = threading.Thread(target=again)
        with self.assertRaises(KeyboardInterrupt):
            with self.start(sets={"test.brake": "20 s"}) as test:  # a way out that lasts
                test.wait_for("run", timeout=LONG)
                second.start()
                raise KeyboardInterrupt
        second.join()
        self.assertFalse(test.running)
        self.assertIn("state tripped", self.log())
        self.assertNotIn("state ramp-out", self.log())

    def test_values_holds_resumes_and_the_way_out(self):
        with self.start() as test:
            self.assertEqual(test.wait_for("run", timeout=LONG), "run")
            until(lambda: test.time > 0.3 and abs(test.live.interfaces["spring"].deformation) > 1e-5, "nothing moves")
            seen = test.live.interfaces["spring"]
            self.assertAlmostEqual(seen.force, 2e5 * seen.deformation, delta=0.2 * abs(seen.force) + 5)
            self.assertLess(test.age, LONG)
            with self.assertRaisesRegex(interfield.Error, "resume refused: the test is not on hold") as caught:
                test.resume()
            self.assertEqual(caught.exception.status, "REFUSED")
            test.hold()
            test.wait_for("hold", timeout=LONG)
            at_rest = re.compile(r"checkpoint of tick \d+, (\S+) s, state hold")
            until(lambda: at_rest.search(self.log()), "the hold did not come to rest")
            rest = float(at_rest.search(self.log())[1])  # a frame of the live page may be older than the log
            until(lambda: abs(test.live.time - rest) < 1e-6, "the live page does not show where the hold came to rest")
            rest = test.live.time
            with self.assertRaises(TimeoutError):
                test.wait_for("run", timeout=0.1)
            self.assertEqual(test.live.time, rest)
            test.resume()
            until(lambda: test.live.time > rest, "it does not go on")
            self.assertEqual((test.running, test.outcome, test.summary), (True, "", {}))
            with self.assertRaisesRegex(interfield.Error, "has not ended"):
                test.result()
            test.stop()
            self.assertEqual(test.wait(LONG), "aborted")
        self.assertEqual(test.folder, self.out)
        self.assertEqual(test.summary["outcome"], "aborted")
        self.assert_led_out("aborted")
        self.assertGreater(len(test.result()), 100)
        with self.assertRaisesRegex(interfield.Error, "hold: the test has ended"):
            test.hold()
        for order in ("hold", "resume"):
            self.assertIn(f"order {order}, from the terminal", self.log())

    def test_a_trip_ends_it_and_a_reset_begins_anew(self):
        with self.start(wait_after_trip=True) as test:
            test.wait_for("run", timeout=LONG)
            test.trip()
            test.wait_for("tripped", timeout=LONG)
            test.reset()
            test.wait_for("idle", timeout=LONG)
            test.quit()
            test.wait(LONG)
        self.out += "2"
        with self.start() as test:
            test.wait_for("run", timeout=LONG)
            test.trip()
            self.assertEqual(test.wait(LONG), "tripped")

    def test_an_unfinished_block_and_a_forgotten_session_lead_out(self):
        with self.assertRaises(KeyError):
            with self.start() as test:
                test.wait_for("run", timeout=LONG)
                until(lambda: test.time > 0.3, "no time")
                raise KeyError("in the block")
        self.assertFalse(test.running)
        self.assert_led_out()
        self.out += "2"
        test = self.start()
        test.wait_for("run", timeout=LONG)
        until(lambda: test.time > 0.3, "no time")
        with self.assertWarns(ResourceWarning):  # subprocess says it
            del test
            gc.collect()
        self.assert_led_out()

    def test_what_cannot_begin_is_an_error_with_the_words_of_the_program(self):
        with self.assertRaisesRegex(interfield.Error, "nowhere.yaml") as caught:
            interfield.TestSession("nowhere.yaml", out=self.out)
        self.assertEqual(caught.exception.status, "FILE")
        with self.assertRaisesRegex(interfield.Error, "stepp"):
            self.start(sets={"time.stepp": "1 ms"})
        self.assertFalse(os.path.exists(self.out))

    def test_the_end_of_standard_input_leads_out(self):
        with self.start() as test:
            test.wait_for("run", timeout=LONG)
            until(lambda: test.time > 0.3, "no time")
            test._leave()
            test.wait(LONG)
        self.assertIn("order stop, automatic: standard input has ended", self.log())
        self.assert_led_out()


class Left(Scene):
    """An interpreter of its own starts the test; what becomes of it, becomes of the test in good order."""

    def interpreter(self, ending):
        script = textwrap.dedent("""
            import os, signal, sys, time
            import interfield
            test = interfield.TestSession(sys.argv[1], "--without-preflight", out=sys.argv[2])
            test.wait_for("run")
            while test.time < 0.3:
                time.sleep(0.01)
            print(test.pid, flush=True)
            """) + textwrap.dedent(ending)
        python = subprocess.Popen([sys.executable, "-W", "ignore", "-c", script, self.case, self.out],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(python.stdout.close)
        return python

    def assert_program_ends(self, pid):
        """It is no child of this process: whoever inherits it may not have looked yet."""
        def ended():
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                    return f.read().rsplit(")", 1)[1].split()[0] == "Z"
            except OSError:
                return True

        until(ended, "the program is left behind")

    def test_killed(self):
        python = self.interpreter("time.sleep(1000)")
        program = int(python.stdout.readline())
        self.assertNotIn("ramp-out", self.log())
        os.kill(python.pid, signal.SIGKILL)
        self.assertEqual(python.wait(LONG), -signal.SIGKILL)
        self.assert_led_out()
        self.assert_program_ends(program)

    def test_killed_while_a_child_of_it_keeps_the_pipe_open(self):
        python = self.interpreter("""
            if os.fork() == 0:
                print(os.getpid(), flush=True)
                while not os.path.exists(sys.argv[2] + "/summary.json"):
                    time.sleep(0.01)
                os._exit(0)
            time.sleep(1000)
            """)
        program, child = int(python.stdout.readline()), int(python.stdout.readline())
        python.kill()
        python.wait(LONG)
        self.assert_led_out()
        self.assertIn("the program that started the test has ended", self.log())
        self.assert_program_ends(program)
        self.assert_program_ends(child)

    def test_it_ends_or_crashes_without_a_word(self):
        begun = []
        for k, ending in enumerate(("sys.exit(0)", "os._exit(3)", "os.kill(os.getpid(), signal.SIGSEGV)", "1 / 0")):
            self.out = os.path.join(self.folder, f"end{k}")
            begun.append((ending, self.out, self.interpreter(ending)))
        for ending, self.out, python in begun:
            with self.subTest(ending):
                program = int(python.communicate(timeout=LONG)[0])
                self.assert_led_out()
                self.assert_program_ends(program)


if __name__ == "__main__":
    unittest.main()
