#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# One time base: a test with an ideal rig has the numbers of the run of its case at the same simulated times, at any time scale, in summary, --json,
# result.h5, Python and exports; wall-clock time stands beside them. Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
cat >storeys.yaml <<'END'
title: Two storeys, the lower device on the rig
time: {step: 2 ms, end: 0.6 s}
method: lsrt2
ground: {motion: kanai-tajimi, peak: 0.3 g}
model:
  dofs: [x1, x2]
  mass: [1000 kg, 1000 kg]
  elements:
    - {name: lower, spring: {between: [ground, x1], stiffness: 400 kN/m}}
    - {name: upper, spring: {between: [x1, x2], stiffness: 300 kN/m}}
specimen:
  - {name: device, spring: {between: [ground, x1], stiffness: 200 kN/m}, limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2}}
test: {rig: virtual, ramp-in: 20 ms, settle: 4 ms, brake: 20 ms}
END
cat >agree.py <<'END'
"""run TEST...: peaks, drifts, residuals of each test beside those of the run, and each summary beside its own rows."""
import json, sys
import numpy
import interfield


def table(folder):
    r = interfield.read(folder)
    wall = r.wall_time
    assert (wall is None) == (folder == "run")
    assert numpy.all(numpy.diff(r.time) >= 0) and (wall is None or numpy.all(numpy.diff(wall) > 0)), folder
    return r


def own(folder, r, summary):
    for name, peak in summary["peaks"].items():
        value, time = r.peak(name)
        assert (value, time) == (peak["value"], peak["time"]), (folder, name, peak, value, time)
        if r.wall_time is not None:
            assert peak["wall_time"] == r.wall_time[numpy.argmax(abs(r[name]))], (folder, name, peak)
    for name, (low, high) in {"lower": (None, "x1"), "upper": ("x1", "x2")}.items():
        between = r[high + " displacement"] - (r[low + " displacement"] if low else 0)
        at, drift = int(numpy.argmax(abs(between))), summary["drift"][name]
        assert (drift["value"], drift["time"]) == (abs(between[at]), r.time[at]), (folder, name, drift)


ran, summary = table("run"), json.load(open("run/summary.json"))
own("run", ran, summary)
assert 0.01 < summary["peaks"]["x2 displacement"]["time"] < 0.59, "the peak is at an end: nothing is tested"
for folder in sys.argv[1:]:
    r, tested = table(folder), json.load(open(folder + "/summary.json"))
    own(folder, r, tested)
    for x in ("x1 displacement", "x2 displacement"):
        a, b = summary["peaks"][x], tested["peaks"][x]
        assert (a["value"], a["time"], a["final"]) == (b["value"], b["time"], b["final"]), (folder, x, a, b)
    assert {k: (d["value"], d["time"]) for k, d in tested["drift"].items() if k in ("lower", "upper")} == \
           {k: (d["value"], d["time"]) for k, d in summary["drift"].items() if k in ("lower", "upper")}, folder
    assert tested["residual_displacement"] == summary["residual_displacement"], folder
    # where the target passes it, the specimen is at most a step from the row of the structure
    late = tested["peaks"]["device target"]["time"] - summary["peaks"]["x1 displacement"]["time"]
    assert abs(late) <= 0.002 * (1 + 1e-9), (folder, late)
    first = numpy.argmax(r.time == ran.time[100])  # the row in which a step is new has the displacement of the run
    assert r["x1 displacement"][first] == ran["x1 displacement"][100], folder
END
try 0 run storeys.yaml --out run
for how in '1 1' '2 5' '20 1'; do
    set -- $how
    try 0 test storeys.yaml --as-fast-as-possible --set test.lambda="$1" --set test.ticks-per-stage="$2" --csv --out "test-$1-$2"
done
PYTHONPATH="$IFD_SOURCE_DIR/python" /usr/bin/python3 agree.py test-1-1 test-2-5 test-20-1 2>said || fail "$(tail -n 2 said)"

# --json and summary.json are one; what export writes is what result.csv has.
"$IFD_PROGRAM" test storeys.yaml --as-fast-as-possible --json --out said-json >said.json 2>/dev/null
/usr/bin/python3 - <<'END' || fail "--json differs from summary.json"
import json
a, b = json.load(open("said.json")), json.load(open("said-json/summary.json"))
assert a == b and a["peaks"] == json.load(open("test-1-1/summary.json"))["peaks"]
END
try 0 export test-2-5 --csv
head -n 1 test-2-5/csv/columns.csv | grep -q '^time \[s\],wall time \[s\],late \[s\]' || fail "columns.csv begins $(head -c 60 test-2-5/csv/columns.csv)"
cut -d, -f1,2 test-2-5/csv/columns.csv >a
cut -d, -f1,2 test-2-5/result.csv >b
cmp -s a b || fail "export has other times than result.csv"
try 0 compare run test-20-1 --columns 'x1 displacement,x2 displacement' --tolerance 1e-12

# A test that pauses and one that goes on from it: simulated time goes on where it stood, wall-clock time begins anew.
try 0 test storeys.yaml --as-fast-as-possible --until 0.3 --out paused
try 0 test storeys.yaml --as-fast-as-possible --continue paused --out continued
# Every third tick; a fault before the start, with its times.
try 0 test storeys.yaml --as-fast-as-possible --set time.record-every=3 --out thinned
try 1 test storeys.yaml --as-fast-as-possible --set specimen.0.limits.tracking=1nm --set specimen.0.actuator='{second-order: {frequency: 5 Hz, damping-ratio: 0.7}}' --out tripped
PYTHONPATH="$IFD_SOURCE_DIR/python" /usr/bin/python3 - <<'END' 2>said || fail "$(tail -n 2 said)"
import json
import numpy
import interfield
paused, continued, thinned, whole = (interfield.read(x) for x in ("paused", "continued", "thinned", "test-1-1"))
goes_on = numpy.flatnonzero(continued["state"] > 2)[0]  # behind its ramp-in, in which nothing is simulated yet
# kept in the tick that commands the rest; in the next one the specimens have arrived there, and the row shows it
assert paused.time[-1] >= 0.3 and paused.time[-1] == continued.time[goes_on + 1] and paused.time[-2] == continued.time[goes_on] and continued.wall_time[0] == 0
assert numpy.all(continued.time[:goes_on] == 0) and numpy.all(numpy.diff(continued.time) >= 0)
assert continued.attributes["outcome"] == "completed" and paused.attributes["outcome"] == "parked" and paused.attributes["outcome_reason"]
rest = (paused["state"] == 4) & (paused["rate"] == 0)  # on hold, at rest
held = paused.time[paused["state"] == 4]
assert rest.sum() >= 1 and len(held) > len(numpy.unique(held)) > 1 and numpy.all(paused.time[rest][1:] == paused.time[-1]) and abs(paused.time[-1] - paused.time[rest][0] - 0.002) < 1e-12 and numpy.all(numpy.diff(paused.wall_time) > 0)
assert numpy.array_equal(thinned.time, whole.time[::3]) and numpy.array_equal(thinned.wall_time, whole.wall_time[::3])
for backend in ("h5py", "ctypes"):
    coded = interfield.read("tripped", backend=backend)
    assert coded.legend("state")[int(coded["state"][-1])] == "tripped" and coded.legend("test/fault")[6] == "TRACKING", backend
    assert coded.legend("late") == {}
tripped, fault = interfield.read("tripped"), json.load(open("tripped/summary.json"))["fault"]
row = int(numpy.argmax(tripped["fault"] != 0))
assert fault["time"] == tripped.time[row] == tripped.attributes["fault_time"], (fault, tripped.time[row])
assert fault["wall_time"] == tripped.wall_time[row] == tripped.attributes["fault_wall_time"], fault
assert tripped.attributes["outcome_reason"] == fault["text"], tripped.attributes["outcome_reason"]
END

# result.h5 explains itself: codes, descriptions, time base, start, and every note that was said at set-up.
/usr/bin/python3 - <<'END' 2>said || fail "$(tail -n 2 said)"
import json, re
import h5py
with h5py.File("tripped/result.h5") as f:
    state = dict(zip(f["test/state"].attrs["flag_values"], f["test/state"].attrs["flag_meanings"].split()))
    assert state[3] == "run" and state[7] == "tripped" and f["test/state"][-1] == 7, state
    assert "7 tripped: a fault stopped the test" in f["test/state"].attrs["legend"].split("\n")[7]
    fault = dict(zip(f["test/fault"].attrs["flag_values"], f["test/fault"].attrs["flag_meanings"].split()))
    assert fault[f["test/fault"][-1]] == f.attrs["fault"] == "TRACKING", fault
    for path in ("clock/order", "test/waiting"):
        assert f[path].attrs["legend"].startswith("0 "), path
    assert "/wall_time" in f.attrs["time_base"] and "simulated" in f["time"].attrs["description"]
    bare = []
    f.visititems(lambda path, d: bare.append(path) if "index" in d.attrs and not d.attrs["description"] else None)
    assert not bare, bare
    started = f.attrs["started"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", started) and json.load(open("tripped/summary.json"))["started"] == started, started
END
verdict "one time base"
