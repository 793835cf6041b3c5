#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What people state before a real rig moves: checklist, second person, interlock, calibration. Judged by the rig of conduct.py, which shares no code
with the program: without clearance no ramp-in is commanded, from whatever source."""
import http.client
import os
import signal
import sys
import time

from conduct import CASE, NO_STOP, PATIENCE, PRESSURE, Rig, Test

START = 16
LIST = ["--set", "test.checklist=[fence closed and empty, crane away]"]


def ask(test, path, who="a", name=None, token=True):
    address = next(line.split()[1] for line in test.said().splitlines() if line.startswith("live "))
    connection = http.client.HTTPConnection(address.split("/")[2], timeout=PATIENCE)
    headers = {"X-Interfield-Client": who * 32, "X-Interfield-Name": name or f"Browser {who}"}
    if token:
        headers["X-Interfield-Token"] = address.split("#")[1]
    connection.request("POST", path, headers=headers)
    reply = connection.getresponse()
    return reply.status, reply.read().decode()


def arm(test):
    test.until_said("idle     at rest")
    test.arm()
    test.until_said("ready    held")  # before that only the tick refuses


def stays(rig, state, ticks=400):
    """Nothing but this state is commanded for some ticks."""
    mark = len(rig.seen)
    rig.until(lambda seen: len(seen) > mark + ticks, "more ticks")
    assert rig.path(mark - 1) == [state], rig.path(mark - 1)


def over(test):
    test.p.send_signal(signal.SIGTERM)
    test.end()


def a_list_is_answered_line_by_line():
    pressed = {"start": False}
    rig = Rig(lambda n: NO_STOP | PRESSURE | (START if pressed["start"] else 0))
    test = Test(rig, "list", *LIST)
    test.until_said("idle     at rest")
    test.type("\n\n\n")
    arm(test)
    test.until_said("check    1 of 2: fence closed and empty? Enter: done")
    assert "Answer the checklist, then type run to move; or stop" in test.said()
    stays(rig, "ready", 600)
    pressed["start"] = True  # a rising edge, half a second after ready began
    stays(rig, "ready")
    pressed["start"] = False
    test.until_said("run      from the start button of the rig\nrun      refused: the checklist is not complete, line 1 of 2: fence closed and empty\n")
    test.until_logged("order run refused: the checklist is not complete, line 1 of 2: fence closed and empty")
    test.type("run")
    test.until_logged("checklist 1 of 2, fence closed and empty: no, from the terminal, A. Smith")
    stays(rig, "ready")
    test.type("\n\n")  # what is typed before a question is no answer to it
    test.until_said("check    2 of 2: crane away? Enter: done")
    pressed["start"] = True
    stays(rig, "ready")
    pressed["start"] = False
    test.until_said("refused: the checklist is not complete, line 2 of 2: crane away")
    assert test.log().count("fence closed and empty: done") == 1 and "crane away: done" not in test.log(), test.log()
    test.type("")
    test.until_said("check    complete. Type run to move, or stop")
    assert "checklist 2 of 2, crane away: done, from the terminal, A. Smith" in test.log(), test.log()
    stays(rig, "ready")
    test.type("run")
    rig.reaches("ramp-in")
    test.type("trip")
    rig.reaches("tripped")
    test.type("reset")
    rig.until(lambda seen: seen[-1][0] == "idle", "idle again")
    before = test.said().count("check    1 of 2: fence closed")
    rig.mark = len(rig.seen)
    test.arm()
    while test.said().count("check    1 of 2: fence closed") == before:
        time.sleep(0.01)
    pressed["start"] = True
    stays(rig, "ready", 800)  # a trip has cleared the list
    test.type("stop")  # an order, also while the list is asked
    assert test.end() == 1
    assert rig.path() == ["idle", "ready", "ramp-in", "tripped", "idle", "ready"], rig.path()


def the_start_button_counts_after_the_list():
    pressed = {"start": False}
    rig = Rig(lambda n: NO_STOP | PRESSURE | (START if pressed["start"] else 0))
    test = Test(rig, "button", *LIST)
    arm(test)
    for line in (1, 2):
        test.until_said(f"check    {line} of 2")
        test.type("")
    test.until_said("check    complete")
    stays(rig, "ready", 600)
    pressed["start"] = True
    rig.reaches("ramp-in")
    over(test)


def the_page_has_boxes():
    rig = Rig()
    test = Test(rig, "boxes", "--live", "0", *LIST)
    arm(test)
    test.until_said("check    1 of 2")
    assert ask(test, "/check/1") == (403, "only the holder of control answers the checklist")
    assert ask(test, "/check/1", token=False)[0] == 403
    assert ask(test, "/control")[0] == 200
    assert ask(test, "/order/run") == (409, "the checklist is not complete, line 1 of 2: fence closed and empty")
    assert ask(test, "/check/3")[0] == 409 and ask(test, "/check/0")[0] == 404 and ask(test, "/check/x")[0] == 404
    assert ask(test, "/check/2")[0] == 200 and ask(test, "/check/1")[0] == 200 and ask(test, "/uncheck/2")[0] == 200
    assert ask(test, "/check/1", "b")[0] == 403
    assert ask(test, "/order/run") == (409, "the checklist is not complete, line 2 of 2: crane away")
    test.type("")  # the terminal has no control: nothing is answered
    stays(rig, "ready")
    assert ask(test, "/check/2")[0] == 200
    test.until_logged("checklist 2 of 2, crane away: done, from the live page, 127.0.0.1, Browser a")
    stays(rig, "ready")
    assert ask(test, "/order/run")[0] == 200
    rig.reaches("ramp-in")
    over(test)


def a_second_person_confirms():
    pressed = {"start": False}
    rig = Rig(lambda n: NO_STOP | PRESSURE | (START if pressed["start"] else 0))
    test = Test(rig, "second", "--live", "0", "--set", "test.second-person=0.5", "--set", "test.checklist=[crane away]", "--scale", "0.5")
    arm(test)
    test.until_said("check    1 of 1")
    assert "\n         Answer the checklist, then type run; a second person confirms; or stop\n" in test.said(), test.said()
    assert ask(test, "/confirm", name="B. Jones")[0] == 409, "before the list is complete"
    test.type("")
    test.until_said("check    complete. A second person is still needed\n         Type run, then confirm NAME within 60 s; or stop\n")
    assert "Type run to move" not in test.said(), test.said()
    stays(rig, "ready", 600)
    pressed["start"] = True
    test.until_said("run      refused: a second person has not confirmed: confirm NAME\n")
    pressed["start"] = False
    test.type("run")
    test.until_said("run      order run, from the terminal, A. Smith, waits 60 s for a second person: confirm NAME")
    stays(rig, "ready")
    test.type("confirm a.smith")
    test.until_said("another name than the one who has control")
    test.type("confirm")
    test.until_said("the name of the second person is missing")
    assert ask(test, "/confirm", name="A. Smith")[0] == 409
    assert ask(test, "/confirm", name="B. Jones", token=False)[0] == 403
    stays(rig, "ready")
    test.type("confirm B. Jones")
    rig.reaches("ramp-in")
    test.until_logged("second person, from the terminal, B. Jones")
    test.until_logged("order run, from the terminal, A. Smith  #")
    over(test)


def a_run_that_waits_is_forgotten():
    """By a change of control; and a smaller scale needs one person only."""
    rig = Rig()
    test = Test(rig, "forgotten", "--live", "0", "--set", "test.second-person=0.5")
    arm(test)
    test.until_said("\n         Type run, then a second person types confirm NAME; or stop\n")
    test.type("run")
    test.until_said("waits 60 s for a second person")
    assert ask(test, "/control")[0] == 200
    assert ask(test, "/confirm", "b", name="B. Jones")[0] == 200
    stays(rig, "ready")
    assert ask(test, "/order/run")[0] == 200
    rig.reaches("ramp-in")
    over(test)
    rig = Rig()
    test = Test(rig, "small", "--set", "test.second-person=0.5", "--scale", "0.49")
    arm(test)
    test.type("run")
    rig.reaches("ramp-in")
    over(test)


def python_answers_the_list():
    try:
        import numpy  # pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        print("skipped: the package needs python3-numpy")
        return
    sys.path.insert(0, os.path.join(os.environ["IFD_SOURCE_DIR"], "python"))
    os.environ["INTERFIELD_PROGRAM"] = os.environ["IFD_PROGRAM"]
    import interfield  # pylint: disable=import-outside-toplevel
    rig = Rig()
    sets = {"test.rig": f"{{udp: {{port: {rig.port}, timeout: 30 s}}}}", "test.stale-for": "60 s", "test.stale-share": "1", "test.late-for": "1000 s"}
    with interfield.TestSession("case.yaml", "--without-preflight", "--operator", "A. Smith", out="python",
                                sets={**sets, "test.checklist": "[fence closed and empty, crane away]", "test.second-person": "0.5"}) as test:
        test.wait_for("idle")
        while test.state != "ready":
            try:
                test.arm()
                test.wait_for("ready")
            except interfield.Error as e:
                assert "refused" in str(e), e
        for expected in ("the checklist is not complete: fence closed and empty", "the checklist is not complete: crane away",
                         "a second person has not confirmed"):
            try:
                test.run()
                raise AssertionError("run without clearance")
            except interfield.Error as e:
                assert expected in str(e), (e, expected)
            stays(rig, "ready", 100)
            if "checklist" in expected:
                assert test.check() in expected
        assert test.checklist == [("fence closed and empty", "A. Smith"), ("crane away", "A. Smith")], test.checklist
        test.confirm("B. Jones")
        test.run()
        rig.reaches("ramp-in")
    rig.over = True


def a_blocked_thread_does_not_keep_a_clearance():
    """The thread that watches hangs with its disk: it does not see the trip, and the tick refuses the next run by itself."""
    rig = Rig()
    test = Test(rig, "blocked", *LIST, env={"LD_PRELOAD": os.path.abspath("frozen.so"), "IFD_FROZEN": os.path.abspath("freeze")})
    arm(test)
    for line in (1, 2):
        test.until_said(f"check    {line} of 2")
        test.type("")
    test.until_said("check    complete")
    open("freeze", "w", encoding="utf-8").close()
    test.type("trip")
    rig.reaches("tripped")
    while rig.seen[-1][0] != "idle":
        test.type("reset")
        time.sleep(0.2)
    while rig.seen[-1][0] != "ready":
        test.type("arm")
        time.sleep(0.3)
    for _ in range(5):
        test.type("run")
        stays(rig, "ready", 100)
    os.remove("freeze")
    test.until_said("check    1 of 2")
    over(test)
    assert rig.path() == ["idle", "ready", "tripped", "idle", "ready"], rig.path()


MAP = "channels={stroke: {input: position 1, measures: position of spring, unit: mm, sensitivity: 1000, valid-until: %s, arm-range: [-1, 1]}}"


def an_interlock_prevents_arm():
    rig = Rig(at=5e-3)
    test = Test(rig, "interlock", "--set", MAP % "2999-01-01")
    test.until_said("waiting  channel 'stroke' is 5 mm, outside its arm-range of -1 to 1 mm")
    test.type("arm")
    test.until_said("arm      refused: a channel is outside its arm-range: 'stroke' is 5 mm, permitted are -1 to 1 mm")
    stays(rig, "idle")
    rig.x = 1e-3  # at the bound it is inside
    arm(test)
    over(test)
    assert len([p for p in rig.positions() if abs(p - 1e-3) > 1e-9]) == 0, rig.positions()[:5]


def an_old_calibration_prevents_arm():
    for until, good in (("2026-01-31", False), ("2999-01-01", True)):
        rig = Rig()
        test = Test(rig, f"calibration-{good}", "--live", "0", "--set", MAP % until)
        test.until_said("idle     at rest")
        if good:
            arm(test)
        else:
            test.type("arm")
            test.until_said("arm      refused: the calibration of channel 'stroke' ended on 2026-01-31")
            assert ask(test, "/control")[0] == 200
            for order in ("arm", "return"):
                assert ask(test, f"/order/{order}") == (409, "the calibration of channel 'stroke' ended on 2026-01-31")
            stays(rig, "idle")
            assert not rig.positions()
        over(test)


def the_evidence_is_in_the_log():
    rig = Rig()
    with open("case.stop-chain.json", "w", encoding="utf-8") as file:
        file.write('{"schema": 1, "proofs": [{"check": "stop", "rig": "udp", "settings": "00ff", "date": "2026-11-12T09:00:00.000000Z", '
                   '"operator": "A. Smith", "simulated": false, "passed": true, "number": "0123", "rows": []}]}')
    test = Test(rig, "evidence")
    test.until_logged("evidence: rig-check --stop of rig udp, passed on 2026-11-12T09:00:00.000000Z by A. Smith, settings 00ff, number 0123, in case.stop-chain.json")
    os.remove("case.stop-chain.json")
    over(test)
    test = Test(Rig(), "no-evidence")
    test.until_logged("evidence: none of the stop chain (case.stop-chain.json)")
    over(test)


def a_simulated_rig_is_not_asked():
    rig = Rig(simulated=1)
    test = Test(rig, "simulated", *LIST, "--set", MAP % "2026-01-31", "--set", "test.second-person=0.5", "--start")
    rig.reaches("ramp-in")
    test.until_logged("simulated rig: names, checklist and dates of calibration are not asked")
    over(test)
    assert "checklist 1" not in test.log(), test.log()


if __name__ == "__main__":
    with open("case.yaml", "w", encoding="utf-8") as made:
        made.write(CASE)
    for scene in [globals()[name] for name in sys.argv[1:]] or [a_list_is_answered_line_by_line, the_start_button_counts_after_the_list, the_page_has_boxes,
                                                                a_second_person_confirms, a_run_that_waits_is_forgotten, python_answers_the_list, a_blocked_thread_does_not_keep_a_clearance,
                                                                an_interlock_prevents_arm, an_old_calibration_prevents_arm, the_evidence_is_in_the_log,
                                                                a_simulated_rig_is_not_asked]:
        scene()
        print(scene.__name__.replace("_", " "), flush=True)
