# SPDX-License-Identifier: MIT
"""The server of the live page, spoken to without a browser."""
import concurrent.futures
import http.client
import json
import math
import os
import signal
import socket
import subprocess
import threading
import time
import xml.etree.ElementTree

from live_client import Listener, Program

SCRIPTS = ("page", "curves", "panels", "parts", "orders", "catalogue", "player", "plot", "store", "units")
STATES = ["idle", "ready", "ramp-in", "run", "hold", "ramp-out", "stopped", "tripped", "return"]
RUN, HOLD, STOPPED, TRIPPED = (STATES.index(name) for name in ("run", "hold", "stopped", "tripped"))


def in_state(state):
    return lambda frame: frame["state"] == state


def summary(folder):
    with open(f"{folder}/summary.json", encoding="utf-8") as file:
        return json.load(file)


def the_page_needs_nothing_from_outside(p):
    status, headers, text = p.ask("GET", "/")
    assert status == 200 and "<title>" in text
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["X-Frame-Options"] == "DENY"
    assert p.token not in text
    for name, kind in (("style.css", "text/css"), ("plot.css", "text/css"), *((f"{name}.js", "text/javascript") for name in SCRIPTS)):
        status, headers, text = p.ask("GET", "/" + name)
        assert status == 200 and headers["Content-Type"].startswith(kind), name
        rest = text.replace("// ", "").replace("http://www.w3.org/2000/svg", "")
        assert "//" not in rest, f"{name} names another place"
    status, headers, text = p.ask("GET", "/structure.svg")
    assert status == 200 and headers["Content-Type"] == "image/svg+xml" and "script" not in headers["Content-Security-Policy"], headers
    drawn = xml.etree.ElementTree.fromstring(text)
    assert [e[0].text for e in drawn.iter() if e.get("class") == "specimen"] == ["spring"], "the picture has the specimen"
    assert p.ask("GET", "/../summary.json")[0] == 404
    assert p.ask("PUT", "/")[0] == 405


def a_description_comes_first(p):
    events = Listener(p).begin().events()
    name, hello = next(events)
    assert name == "hello" and hello["title"] == 'A spring on the "rig"'
    assert [state["name"] for state in hello["states"]] == STATES
    columns = [f"spring {word}" for word in ("target", "command", "deformation", "force", "tracking error")]
    assert hello["specimens"] == [{"name": "spring", "turns": False, "columns": [number(hello, name) for name in columns],
                                  "low": -0.05, "high": 0.05, "limits": [0.05, 1, 100, 5000, None, 0.02, None]}]
    assert hello["columns"][number(hello, "x displacement")] == {"name": "x displacement", "unit": "m",
                                                                 "group": "displacement", "owner": "x"}
    name, frame = next(events)
    assert name == "message" and frame["tick"] >= 1


def number(hello, name):
    return [column["name"] for column in hello["columns"]].index(name)


def columns_come_to_those_who_ask(p):
    """Rows have numbers, by which the values of a column find their frame; what was sampled before is sent too."""
    listener = Listener(p).begin().events()
    hello = next(data for name, data in listener if name == "hello")
    asked = [number(hello, "x displacement"), number(hello, "spring deformation")]
    columns, reader = {}, Listener(p, path=f"/columns?c={asked[0]},{asked[1]}").begin().events()
    for name, frame in listener:
        if name != "message" or frame["state"] != RUN or not frame["t"]:
            continue
        while frame["row"] + len(frame["t"]) - 1 not in columns:
            kind, batch = next(reader)
            assert kind == "message" and len(batch["v"]) == 2 and len(batch["v"][0]) == len(batch["v"][1]) <= 64
            columns.update({batch["row"] + i: pair for i, pair in enumerate(zip(*batch["v"]))})
        for i, measured in enumerate(frame["specimens"][0]["seen"][2]):
            moved, same = columns[frame["row"] + i]
            assert math.isclose(same, measured, rel_tol=2e-5, abs_tol=1e-12), (same, measured)
            assert abs(moved - measured) < 5e-3, "the specimen is fastened to the mass"
        break
    assert 0 in columns and sorted(columns) == list(range(len(columns))), "every sample, from the first on"
    for words in ("", "?c=", "?c=x", "?c=1,", "?c=,1", "?c=-1", "?c=1;2", "?c=999999", "?c=99999999999999999999", "?c= 1",
                  "?c=" + ",".join("0" * 41)):
        assert p.ask("GET", "/columns" + words.replace(" ", "%20"))[0] == 400, words
    assert p.ask("GET", "/columns?c=0", Sec_Fetch_Site="cross-site")[0] == 403


def frames_hold_what_the_rig_did(frame):
    """The virtual specimen is a spring of 2e5 N/m, its sensors are exact: each force belongs to its position."""
    seen = frame["specimens"][0]["seen"]
    assert all(len(column) == len(frame["t"]) > 0 for column in seen)
    for x, force in zip(seen[2], seen[3]):
        assert math.isclose(force, 2e5 * x, rel_tol=1e-3, abs_tol=1e-3), (force, 2e5 * x)
    for wanted, measured, tracking in zip(seen[0], seen[2], seen[4]):
        assert abs(tracking) >= abs(measured - wanted) - 1e-4 * abs(wanted), "it is the largest since the last sample"
    assert frame["specimens"][0]["shares"][3] >= max(abs(f) for f in seen[3]) / 5000 * 0.99


def at_rest():
    """True from the second frame of the same simulated time: after a late stage the specimens return to it first."""
    seen = {}

    def same(frame):
        before, seen["time"] = seen.get("time"), frame["time"]
        return frame["rate"] == 0 and before == frame["time"]
    return same


def orders_need_the_token(p, listener):
    for headers in ({}, {"X_Interfield_Token": "0" * 32}, {"X_Interfield_Token": p.token[:-1]}):
        for name in ("hold", "resume", "reset", "arm", "run"):
            assert p.order(name, **headers) == 403, (name, headers)
    assert p.ask("GET", "/order/stop")[0] == 404, "what is only looked at changes nothing"
    assert p.order("jump", X_Interfield_Token=p.token) == 404
    assert p.order("hold", X_Interfield_Token=p.token) == 403, "a viewer"
    assert p.ask("POST", "/control")[0] == 403, "control needs the token"
    assert p.lead("hold") == 200
    assert p.order("resume") == 403, "the holder, but without the token"
    frame = listener.until(in_state(HOLD))
    frame = listener.until(at_rest())
    later = listener.until(lambda f: f["tick"] > frame["tick"] + 100)
    assert later["time"] == frame["time"] and later["rate"] == 0, "simulated time stands still on hold"
    assert p.lead("resume") == 200
    listener.until(in_state(RUN))


def other_sites_are_refused(p):
    good = {"X_Interfield_Token": p.token}
    assert p.order("hold", Origin="http://evil.example", **good) == 403
    assert p.order("stop", Origin="http://evil.example") == 403
    assert p.order("stop", Origin="null") == 403
    assert p.order("stop", Sec_Fetch_Site="cross-site") == 403
    assert p.order("stop", Host="evil.example", Origin="http://evil.example") == 403, "a rebound name"
    assert p.order("stop", Host="localhost:3000", Origin="http://localhost:8080") == 403, "another program's page"
    assert p.ask("GET", "/", Host="evil.example")[0] == 403
    assert p.ask("GET", "/events", Host="evil.example")[0] == 403
    assert p.ask("GET", "/events", Sec_Fetch_Site="cross-site")[0] == 403
    assert p.ask("GET", "/", Sec_Fetch_Site="cross-site")[0] == 200, "a link may lead here"
    for host in ("localhost", "[::1]:99", "192.168.1.7:8765"):
        assert p.ask("GET", "/", Host=host)[0] == 200, host


def ten_read_while_one_does_not(p):
    """Everybody gets every frame, whatever a browser does that was never read from."""
    counts = [0] * 10

    def read(k):
        first = None
        for name, frame in Listener(p).begin().events():
            if name != "message":
                continue
            counts[k] += 1
            first = first or frame
            assert frame["tick"] > 0
            if frame["wall"] > first["wall"] + 1 and counts[k] >= 10:
                return

    threads = [threading.Thread(target=read, args=(k,)) for k in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(200)
        assert not thread.is_alive(), "a reader starves"
    assert min(counts) >= 10, counts


def dropped_after_a_while(stalled):
    """What the kernel still holds can be read; then the stream ends, long before the test does."""
    stalled.socket.settimeout(120)
    try:
        while stalled.socket.recv(65536):
            pass
    except ConnectionResetError:
        pass


def stop_needs_no_token(p, listener):
    assert p.order("stop", Origin=f"http://127.0.0.1:{p.port}") == 200
    names = []
    for name, data in listener.events():
        names.append(name)
        last = data
    assert names[-1] == "end" and last == {"outcome": "aborted by the operator in state run", "folder": "stopped"}
    status, said = p.wait()
    assert status == 1 and "hold, then ramp-out" in said, said
    s = summary("stopped")
    assert s["outcome"] == "aborted" and s["aborted_in"] == "run" and s["state"] == "stopped" and s["clock"]["dropped"] == 0, s["clock"]


def a_long_test_with_guests():
    p = Program("test", "spring.yaml", "--live", "0", "--out", "stopped")
    stalled, dull = Listener(p, buffer=2048), Listener(p, buffer=2048, path="/columns?c=" + ",".join("0" * 40))
    since = time.monotonic()
    the_page_needs_nothing_from_outside(p)
    a_description_comes_first(p)
    listener = Listener(p).begin()
    frames_hold_what_the_rig_did(listener.until(lambda f: f["state"] == RUN and f["time"] > 0.5))
    columns_come_to_those_who_ask(p)
    orders_need_the_token(p, listener)
    other_sites_are_refused(p)
    ten_read_while_one_does_not(p)
    time.sleep(max(0.0, since + 12 - time.monotonic()))
    dropped_after_a_while(stalled)
    dropped_after_a_while(dull)
    listener.close()
    stop_needs_no_token(p, Listener(p).begin())


def trip_needs_no_token_either():
    p = Program("test", "spring.yaml", "--live", "0", "--out", "tripped")
    listener = Listener(p).begin()
    listener.until(in_state(RUN))
    assert p.order("trip") == 200
    frame = listener.until(in_state(TRIPPED))
    later = listener.until(lambda f: f["wall"] > frame["wall"] + 6)
    assert later["state"] == TRIPPED, "it waits, held"
    assert p.order("quit") == 403
    assert p.lead("quit") == 200
    status, said = p.wait()
    assert status == 1 and summary("tripped")["outcome"] == "tripped", said
    waited = later["tick"] - frame["tick"]
    assert summary("tripped")["rows"] < summary("tripped")["timing"]["ticks"] - waited // 4, "not every tick is recorded"


def a_refused_order_is_answered():
    p = Program("test", "spring.yaml", "--live", "0", "--set", "test.rate-dependent=yes", "--out", "refused")
    listener = Listener(p).begin()
    listener.until(in_state(RUN))
    assert p.lead("hold") == 200
    listener.until(in_state(HOLD))
    assert p.lead("resume") == 200
    frame = listener.until(lambda f: any("order" in e and e["answer"] for e in f["events"]))
    late = Listener(p).begin().events()
    hello = next(data for name, data in late if name == "hello")
    event = next(e for e in frame["events"] if e.get("answer"))
    assert hello["orders"][event["order"]] == "resume" and hello["answers"][event["answer"]]["refused"]
    assert "allow-resume: yes" in hello["answers"][event["answer"]]["text"] == hello["no_resume"], hello["no_resume"]
    assert p.lead("stop") == 200
    assert "refused: the specimen is rate-dependent" in p.wait()[1]
    with open("refused/events.log", encoding="utf-8") as log:
        assert "order resume refused: the specimen is rate-dependent" in log.read()


def forces_on_hold_are_shown():
    """A Maxwell damper loses its force at rest as exp(-t / 2 s): force at the beginning, now, relaxation and its bound."""
    with open("spring.yaml", encoding="utf-8") as file:
        text = file.read().replace("spring: {between: [ground, x], stiffness: 2e5 N/m}", "maxwell: {between: [ground, x], branches: [[2e5, 4e5]]}")
    with open("damper.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    p = Program("test", "damper.yaml", "--live", "0", "--set", "test.allow-resume=yes", "--set", "test.hold-relaxation=10%", "--out", "relaxes")
    listener = Listener(p).begin()
    name, hello = next(listener.events())
    assert name == "hello" and hello["holdRelaxation"] == 0.1, hello["holdRelaxation"]
    frame = listener.until(lambda f: f["state"] == RUN and f["time"] > 0.5)
    assert "rest" not in frame["specimens"][0], "only on hold"
    assert p.lead("hold") == 200
    rest = lambda f: f["specimens"][0].get("rest")
    first = listener.until(rest)
    later = listener.until(lambda f: f["wall"] > first["wall"] + 0.4 and rest(f)["relaxation"] > 0.1)
    a, b, passed = rest(first), rest(later), (later["tick"] - first["tick"]) * hello["period"]  # the time of a virtual rig is that of its ticks
    assert a["began"] == b["began"] and math.isclose(b["now"] / a["now"], math.exp(-passed / 2), rel_tol=1e-4), (first, later)
    force = abs(b["began"])
    most = later["specimens"][0]["peaks"][3] * 5000  # N; a force below a tenth of the largest is compared with that
    assert b["relaxation"] <= abs(b["now"] - b["began"]) / max(force, 0.1 * most), "means that begin later, less noise"
    assert p.lead("resume") == 200
    answer = listener.until(lambda f: any(e.get("answer") for e in f["events"]))
    assert hello["answers"][next(e["answer"] for e in answer["events"] if e.get("answer"))]["refused"], "above the bound"
    assert p.lead("stop") == 200
    p.wait()


def sixteen_specimens():
    """The spring in sixteen parts, as many as a rig has, whose frames are large."""
    with open("spring.yaml", encoding="utf-8") as file:
        head, rest = file.read().split("specimen:\n")
    one, test = rest.replace("2e5 N/m", "1.25e4 N/m").split("test:")
    parts = "".join(one.replace("name: spring", f"name: spring{k}") for k in range(16))
    with open("springs.yaml", "w", encoding="utf-8") as file:
        file.write(f"{head}specimen:\n{parts}test:{test}")


def who_comes_late_sees_all_of_it():
    """Without a clock and with sixteen specimens frames are large: the feed forgets its beginning in seconds."""
    sixteen_specimens()
    p = Program("test", "springs.yaml", "--live", "0", "--as-fast-as-possible", "--set", "time.end=1000000s", "--set",
                "initial={displacement: {x: 20 mm}}", "--out", "late")  # which dies away: the peak is at the beginning
    first, size, peaks = Listener(p).begin(), 0, [0] * 7
    for name, data in first.events():
        size += len(json.dumps(data, separators=(",", ":")))
        if name == "message":
            peaks = [max(a, b) for a, b in zip(peaks, data["specimens"][0]["shares"])]
        if size > 3000000:
            break
    assert size > 3000000
    events = Listener(p).begin().events()
    names = [next(events), next(events), next(events)]
    assert [name for name, _ in names] == ["hello", "past", "message"], [name for name, _ in names]
    states = [STATES[e["state"]] for e in names[1][1]["events"] if "state" in e]
    assert "ramp-in" in states and "run" in states, states
    shown = names[2][1]["specimens"][0]["peaks"]
    assert shown[0] >= 0.99 * peaks[0] >= 0.39, (peaks, shown)
    assert names[2][1]["specimens"][0]["shares"][0] < 0.3, "by now it swings less"
    assert p.order("stop") == 200
    p.wait()


def waits_on_hold(p):
    try:
        listener = Listener(p).begin()
        frame = listener.until(lambda f: f["state"] == HOLD and f["rate"] == 0)
        listener.until(lambda f: f["wall"] > frame["wall"] + 1 and f["state"] == HOLD)
    except (AssertionError, OSError) as error:
        print("not on hold:", error, flush=True)
        return False
    return True


def a_fault_waits_for_those_who_look_on():
    """On hold after a fault, stdin closed: nobody looks on, so it is led out; a browser does, so it waits."""
    words = ("test", "spring.yaml", "--live", "0", "--set", "specimen.0.limits.energy=1e-12J", "--set",
             "specimen.0.actuator={delay: {delay: 5 ms}}")
    assert Program(*words, "--out", "alone").wait()[0] == 1
    assert summary("alone")["state"] == "stopped"
    for ramp in (2, 10, 50):  # s; a browser that comes only after the fault, on a machine that stood still, is too late
        p = Program(*words, "--set", f"test.ramp-in={ramp}s", "--out", f"attended{ramp}")
        if waits_on_hold(p):
            break
        p.kill()
    assert p.order("stop") == 200, "of a viewer: at rest already"
    Listener(p).begin().until(lambda f: f["state"] == HOLD)
    assert p.lead("stop") == 200
    assert p.wait()[0] == 1


def control_lasts_as_long_as_its_browser():
    """A browser that looks on and gives no order keeps control; ten seconds after it went nobody has it, as there is no terminal."""
    p, me, away = Program("test", "spring.yaml", "--live", "0", "--out", "held"), "0123456789abcdef" * 2, 10000
    listener = Listener(p, path=f"/events?client={me}").begin()
    listener.until(in_state(RUN))
    status, _, text = p.ask("POST", "/control", X_Interfield_Token=p.token, X_Interfield_Client=me)
    assert status == 200, (status, text)
    taken = listener.until(lambda f: f["holder"] == int(text))
    later = listener.until(lambda f: f["now"] > taken["now"] + 1.2 * away)
    assert later["holder"] == int(text), later["control"]
    listener.socket.shutdown(socket.SHUT_RDWR)
    gone = Listener(p).begin().until(lambda f: f["now"] > later["now"] and f["holder"] != int(text))
    assert gone["control"] == "nobody" and gone["now"] - later["now"] > 0.9 * away, (gone["control"], gone["now"], later["now"])
    p.kill()


def the_page_is_told_what_a_test_waits_for():
    """Positions that scatter by more than 0.5 % of the stroke: the reason, its value, and how long."""
    p = Program("test", "spring.yaml", "--live", "0", "--set", "specimen.0.position-sensor={noise: 2 mm}", "--set",
                "test.arm-timeout=100 s", "--out", "waits")
    listener = Listener(p).begin()
    name, hello = next(listener.events())
    assert name == "hello" and hello["armTimeout"] == 100 and hello["armSpread"] == 0.005
    frame = listener.until(lambda f: f["waited"] > 1 and hello["waitNames"][f["wait"]] == "NOT_AT_REST")
    assert frame["state"] == 0 and frame["waitOwner"] == 0 and 5e-4 < frame["waitValue"] < 0.05, frame
    later = listener.until(lambda f: f["waited"] >= frame["waited"] + 1)
    assert abs(later["wall"] - frame["wall"] - (later["waited"] - frame["waited"])) < 0.2, (frame, later)
    p.kill()


def the_page_changes_no_bit():
    words = [os.environ["IFD_PROGRAM"], "test", "spring.yaml", "--as-fast-as-possible", "--quiet"]
    words += ["--set", "time.end=20s"]
    subprocess.run([*words, "--out", "bare"], check=True)
    subprocess.run([*words, "--out", "seen", "--live", "0"], check=True, stderr=subprocess.PIPE)
    for group in ("specimen", "displacement", "test"):
        subprocess.run(["h5diff", "bare/result.h5", "seen/result.h5", "/" + group], check=True)


def a_frame_is_thinned(p):
    before = -1
    for name, frame in Listener(p).begin().events():
        if name == "message" and frame["t"]:
            assert len(frame["t"]) <= 64 and before < frame["t"][0], "samples are in order, each once"
            before = frame["t"][-1]
            if frame["state"] == RUN and frame["t"][-1] - frame["t"][0] > 64 * 5e-3:
                frames_hold_what_the_rig_did(frame)
                return True
    return False


def frames_stay_small_however_fast_the_test():
    """The test takes about a second: on a machine that stands still that long nobody comes in time."""
    for attempt in range(5):
        p = Program("test", "spring.yaml", "--as-fast-as-possible", "--live", "0", "--out", f"fast{attempt}")
        try:
            good = a_frame_is_thinned(p) and p.order("stop") == 200
        except (OSError, http.client.HTTPException) as error:
            print("it was over before anybody looked:", error, flush=True)
            good = False
        p.wait()
        if good:
            return
    raise AssertionError("no frame was thinned")


def a_result_is_shown_again():
    p = Program("live", "seen", "0")
    events = list(Listener(p).begin().events())
    assert [events[0][0], events[-1][0]] == ["hello", "end"] and events[0][1]["replay"]
    assert events[0][1]["about"].endswith("free-running, without a clock"), events[0][1]["about"]
    frames = [data for name, data in events if name == "message"]
    rows = summary("seen")["rows"]
    assert frames[-1]["tick"] == rows and abs(frames[-1]["time"] - 20) < 0.01, frames[-1]
    samples = [t for frame in frames for t in frame["t"]]
    assert all(a < b for a, b in zip(samples, samples[1:])) and len(samples) > 0.9 * rows / 5
    columns = list(Listener(p, path=f"/columns?c={number(events[0][1], 'x displacement')}").begin().events())
    assert columns[-1] == ("end", {}) and sum(len(batch["v"][0]) for _, batch in columns[:-1]) == len(samples)
    peak = max(abs(x) for frame in frames for x in frame["specimens"][0]["seen"][3])
    assert abs(peak / summary("seen")["rig"]["spring"]["force"] - 1) < 0.01
    assert p.order("stop") == 409, "there is nothing to stop"
    p.process.send_signal(signal.SIGINT)
    assert p.wait()[0] == 0


def bad_words_are_refused():
    def complaint(*words):
        done = subprocess.run([os.environ["IFD_PROGRAM"], *words], capture_output=True, text=True, timeout=200)
        assert done.returncode == 2, done
        return done.stderr

    p = Program("live", "seen")
    other = Program("live", "seen")
    assert other.port != p.port, "when the usual port is taken another one does"
    other.kill()
    assert "from 0 to 65535" in complaint("test", "spring.yaml", "--live", "70000", "--out", "x")
    assert "whole number" in complaint("live", "seen", "many")
    assert f"port {p.port}" in complaint("test", "spring.yaml", "--live", str(p.port), "--out", "x")
    assert "cannot be served at" in complaint("live", "seen", "0", "--host", "no..host")
    assert "cannot be read" in complaint("live", "nowhere")
    p.kill()


def report(test):
    test()
    print(test.__name__.replace("_", " "), flush=True)


# The long ones mostly wait; the others fill their time.
with concurrent.futures.ThreadPoolExecutor() as pool:
    long = [pool.submit(report, test) for test in (a_long_test_with_guests, who_comes_late_sees_all_of_it, control_lasts_as_long_as_its_browser)]
    for short in (trip_needs_no_token_either, a_refused_order_is_answered, forces_on_hold_are_shown,
                  the_page_is_told_what_a_test_waits_for,
                  a_fault_waits_for_those_who_look_on, frames_stay_small_however_fast_the_test, the_page_changes_no_bit, a_result_is_shown_again,
                  bad_words_are_refused):
        report(short)
    for test in long:
        test.result()
