#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pressure of a real rig by the orders low and high, in this process and behind a rig server. The rig (plugin_watch.c) has a pump that follows these
outputs and writes down what it receives; it may creep at low pressure."""
import sys

from allow import CASE, ENABLE, LOW, PLUGINS, PATIENCE, Program, arm, commands, connect, serve, until

HIGH = 16


def rig(log, drift="0 m"):
    return f"{{plugin: {{file: {PLUGINS}/plugin_watch.so, log: {log}, pump: yes, drift: {drift}}}}}"


def begin(name, drift="0 m"):
    return Program(name, "test", "case.yaml", "--without-preflight", "--operator", "A. Smith", "--out", f"{name}.d", "--set",
                   f"test.rig={rig(name + '.log', drift)}")


def outputs(log):
    found = []
    for _, o, _ in commands(log):
        if not found or found[-1] != o:
            found.append(o)
    return found


def lead(test, log):
    test.until("pressure is off. Type low")
    test.type("arm")
    test.until("arm      refused: pressure is not high. Type low, wait 2 s, type high")
    test.type("high")
    test.until("high     refused: pressure is not low and steady yet")
    assert outputs(log) == [0], outputs(log)
    test.type("low")
    test.until("low      nothing moved for 2 s. Type high")
    assert outputs(log) == [0, LOW], outputs(log)
    test.type("high")
    test.until("idle     at rest")
    until(lambda: outputs(log) == [0, LOW, LOW | HIGH], "high is not requested")
    arm(test)
    until(lambda: outputs(log)[-1] == LOW | HIGH | ENABLE, "no request of power")


def the_orders_lead_to_high_pressure():
    test = begin("steady")
    lead(test, "steady.log")
    test.type("quit")
    assert test.p.wait(PATIENCE) in (0, 1), test.said()
    assert outputs("steady.log")[-1] == 0, outputs("steady.log")


def a_rig_that_creeps_is_off():
    test = begin("creeps", "1.5 mm")  # more than arm-spread, 0.5 % of 100 mm
    test.until("pressure is off. Type low")
    test.type("low")
    test.until("low      refused: off again: a position moved by")
    assert outputs("creeps.log") == [0, LOW, 0], outputs("creeps.log")
    test.type("high")
    test.until("high     refused: pressure is not low and steady yet")
    assert outputs("creeps.log") == [0, LOW, 0] and not any(c for _, _, c in commands("creeps.log"))
    test.end()


def a_rig_server_tells_it():
    server, port = serve("127.0.0.1", rig("served.log"), "served")
    test = connect(port, "served-test")
    lead(test, "served.log")
    test.type("quit")
    assert test.p.wait(PATIENCE) in (0, 1), test.said()
    server.end()


def the_next_test_releases_no_specimen():
    """Pressure of a parked test stays on when the next one connects, and when it ends in idle; the order off ends it."""
    server, port = serve("127.0.0.1", rig("parked.log"), "parked")
    test = connect(port, "parks")
    lead(test, "parked.log")
    test.type("run")
    until(lambda: "state run" in open("parks.d/events.log", encoding="utf-8").read(), "it does not run")
    test.type("park")
    assert test.p.wait(PATIENCE) == 0, test.said()
    server.until("free     the test ended")
    mark = len(commands("parked.log"))
    for name, order in (("looks", "quit"), ("ends", "off")):
        test = Program(name, "test", "case.yaml", "--without-preflight", "--operator", "A. Smith", "--out", f"{name}.d", "--continue", "parks.d",
                       "--set", f"test.rig={{udp: {{port: {port}, timeout: 30 s}}}}")
        test.until("idle     at rest")
        assert all(o & (LOW | HIGH) == LOW | HIGH for _, o, _ in commands("parked.log")[mark:]), outputs("parked.log")
        test.type(order)
        if order == "quit":
            assert test.p.wait(PATIENCE) in (0, 1), test.said()
            server.until("free     the test ended", 2)
    until(lambda: not outputs("parked.log")[-1] & (LOW | HIGH), "off has no effect")
    test.end()
    server.end()


def a_loaded_specimen_on_a_free_axis_is_released_only_on_a_second_quit():
    test = Program("frees", "test", "case.yaml", "--without-preflight", "--operator", "A. Smith", "--out", "frees.d", "--set",
                   f"test.rig={{plugin: {{file: {PLUGINS}/plugin_watch.so, log: frees.log, frees: yes}}}}",
                   "--set", "loads=[{at: x, force: {step: {amplitude: 6 kN}}}]")  # at rest at 10 mm, with 2 kN at every instant
    arm(test)
    test.until("Type run")
    test.type("run")
    until(lambda: "state run" in open("frees.d/events.log", encoding="utf-8").read(), "it does not run")
    test.type("hold")
    test.until("hold")
    until(lambda: "state hold" in open("frees.d/events.log", encoding="utf-8").read(), "it does not hold")
    test.type("park")
    test.until("park     refused")
    test.type("trip")
    test.until("tripped")
    test.type("quit")
    test.until("quit     switches axis 1 off: ")
    assert "kN are released. Type quit again" in test.said() and test.p.poll() is None
    test.type("quit")
    assert test.p.wait(PATIENCE) == 1, test.said()


if __name__ == "__main__":
    with open("case.yaml", "w", encoding="utf-8") as made:
        made.write(CASE)
    for scene in (the_orders_lead_to_high_pressure, a_rig_that_creeps_is_off, a_rig_server_tells_it, the_next_test_releases_no_specimen,
                  a_loaded_specimen_on_a_free_axis_is_released_only_on_a_second_quit):
        scene()
        print(scene.__name__.replace("_", " "), flush=True)
    sys.exit(0)
