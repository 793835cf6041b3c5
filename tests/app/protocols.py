# SPDX-License-Identifier: MIT
"""Loading protocols: measures of the cycles against closed forms, end criteria, refusals, replay, recovery.

    protocols.py PROGRAM
"""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

program = sys.argv[1]
failed = 0
os.environ["COLUMNS"] = "10000"


def check(good, what):
    global failed
    failed += not good
    if not good:
        print("FAILED:", what)


def near(got, expected, relative, what):
    check(abs(got - expected) <= relative * abs(expected) + 1e-9, f"{what}: {got}, expected {expected}")


def call(*words, status=0):
    done = subprocess.run([program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    check(done.returncode == status, f"{words}: status {done.returncode}: {done.stdout[-800:]} {done.stderr[-800:]}")
    return done.stdout + done.stderr


def case(name, element, displacement, limits="force: 400 kN, tracking: 5 mm", step="0.1 ms", more="", test="rig: virtual"):
    pathlib.Path(name + ".yaml").write_text(f"""time: {{step: {step}}}
specimen:
  - name: s
    {element}
    limits: {{stroke: 200 mm, velocity: 0.5 m/s, acceleration: 10 m/s2, {limits}}}
protocol:
  - specimen: s
    displacement: {displacement}
    {more}
test: {{{test}}}
""")


def cycles(folder, name="s"):
    with open(folder + "/cycles.csv", newline="") as file:
        return [row for row in csv.DictReader(file) if row["specimen"] == name]


def number(row, key):
    return float(next(v for k, v in row.items() if k.split(" [")[0] == key))


def run(name, *words):
    call("run", name + ".yaml", "--out", name + "-run", *words)
    return cycles(name + "-run")


def test(name, *words, status=0):
    said = call("test", name + ".yaml", "--as-fast-as-possible", "--without-preflight", "--out", name + "-test", *words,
                status=status)
    path = pathlib.Path(name + "-test/summary.json")
    return (json.loads(path.read_text()) if path.exists() else None), said


# The second cycle of an amplitude. E = 4 sum k d (a - d) of sliders that yield; k_s from the virgin line; 1e-5.
bearing = "sliders: {sliders: [[6.67e7, 0.0015], [1.15e6, 0.07]], spring: 5e5}"
triangle = "{cycles: {amplitudes: [%s], each: 2, velocity: 0.1 m/s, acceleration: 1 m/s2}}"
case("bearing", bearing, triangle % "50 mm, 100 mm, 150 mm")
rows = run("bearing")
check(len(rows) == 6, f"{len(rows)} cycles of the bearing, expected 6")
for row, (E, k, xi) in zip(rows[1::2], [(19409.70, 3651000, 0.33844423), (49079.70, 2305500, 0.33881053),
                                        (85189.70, 1703666.67, 0.35370409)]):
    near(number(row, "energy"), E, 1e-5, "E of the bearing")
    near(number(row, "stiffness"), k, 1e-5, "k_s of the bearing")
    near(number(row, "damping"), xi, 1e-5, "xi of the bearing")

bilinear = "bilinear: {stiffness: 4 MN/m, yield: 5 mm, ratio: 0.05}"
case("bilinear", bilinear, triangle % "4 mm, 10 mm, 20 mm, 30 mm")
pathlib.Path("bilinear.yaml").write_text(pathlib.Path("bilinear.yaml").read_text().replace("0.1 m/s, acc", "50 mm/s, acc"))
rows = run("bilinear")
for row, (E, k, xi) in zip(rows[3::2], [(380, 2.1e6, 0.28799466), (1140, 1.15e6, 0.39442747), (1900, 833333.33, 0.40319252)]):
    near(number(row, "energy"), E, 1e-5, "E of the bilinear spring")
    near(number(row, "stiffness"), k, 1e-5, "k_s of the bilinear spring")
    near(number(row, "damping"), xi, 1e-5, "xi of the bilinear spring")
    near(number(row, "strength"), 19e3, 1e-5, "Q of the bilinear spring")
check(abs(number(rows[1], "energy")) < 1e-6, "an elastic cycle absorbs energy")

# A damper has no stiffness to speak of: E = pi c w a^2, and no damping ratio.
case("dashpot", "dashpot: {damping: 20 kN s/m}", "{cycles: {amplitudes: 20 mm, each: 3, frequency: 1 Hz, shape: sine}}")
rows = run("dashpot")
near(number(rows[1], "energy"), 3.14159265358979**2 * 2 * 20e3 * 0.02**2, 1e-5, "E of the dashpot")
check([v for k, v in rows[1].items() if k == "damping"] == [""], "a dashpot has a damping ratio")
summary = json.loads(pathlib.Path("dashpot-run/summary.json").read_text())
check("stiffness" in summary["cycles"]["s"]["table"][1]["no_damping"], "no reason for the missing damping ratio")
near(summary["cycles"]["s"]["travel"], 12 * 0.02, 1e-9, "travel")
near(summary["cycles"]["s"]["peak_velocity"], 2 * 3.14159265358979 * 0.02, 1e-4, "peak velocity")
check(len(summary["cycles"]["s"]["backbone"]) == 2, "backbone of one amplitude")

# What needs a structure is refused.
for command in ("modes", "stability", "converge", "compensate", "static", "export-fmu"):
    check("needs a structure" in call(command, "dashpot.yaml", status=2), f"{command} of a protocol")

# The report has the cycles, their definitions and no diagram of a structure.
call("report", "dashpot-run")
page = pathlib.Path("dashpot-run/report.html").read_text()
for word in ("<h2>Cycles", "backbone", "closed integral of r dx", '"title": "E"', '"title": "s: cycles"'):
    check(word in page, f"the report lacks {word}")
check("id=scheme" not in page, "the report of a protocol draws a structure")

# A motion that never turns has sums only.
case("ramp", bilinear, "{step: {amplitude: 20 mm, rise: 2 s}}")
check(run("ramp", "--set", "time.end=3 s") == [], "a ramp has cycles")

# A test reproduces the run to a step; its replay is bit-identical, and so are its measures after a recovery.
case("small", bilinear, triangle % "10 mm, 20 mm", step="1 ms")
one = run("small")
summary, _ = test("small")
check(summary["outcome"] == "completed", "outcome of the test")
check("cycles.csv" in summary["files"], "cycles.csv is not listed")
for a, b in zip(one, cycles("small-test")):
    near(number(b, "energy"), number(a, "energy"), 1e-3, "E of run and test")
check("identical" in call("replay", "small-test"), "replay of a protocol")

# Friction under a compression that an actuator keeps: mu of the element, less its elastic displacement of 0.1 mm.
pathlib.Path("pressed.yaml").write_text("""time: {step: 1 ms}
specimen:
  - name: s
    friction-pendulum: {load: 200 kN, radius: 2 m, friction: 0.06, yield-displacement: 0.1 mm}
    limits: {stroke: 200 mm, velocity: 0.5 m/s, acceleration: 10 m/s2, force: 400 kN, tracking: 5 mm}
force-control:
  - {name: jack, force: 200 kN, stiffness: 50 MN/m, bandwidth: 1 Hz, error: 40 kN, presses: s,
     twin: {spring: {stiffness: 50 MN/m}}, limits: {stroke: 20 mm, velocity: 50 mm/s, acceleration: 5 m/s2, force: 400 kN}}
protocol:
  - {specimen: s, displacement: {cycles: {amplitudes: 80 mm, each: 2, velocity: 0.1 m/s, acceleration: 1 m/s2}}}
test: {rig: virtual}
""")
summary, _ = test("pressed")
near(number(cycles("pressed-test")[1], "friction"), 0.06, 2e-3, "mu of the second cycle")

# A force of the size of its noise gives no damping; the last one-sided cycle does not return to its mean.
case("noisy", "spring: {stiffness: 1 kN/m}\n    force-sensor: {noise: 10 N, seed: 5}",
     "{cycles: {amplitudes: 10 mm, each: 3, ratio: 0, velocity: 20 mm/s, acceleration: 1 m/s2}}", step="1 ms")
summary, _ = test("noisy")
near(summary["cycles"]["s"]["force_noise"], 10, 0.25, "noise at rest")
check("noise" in summary["cycles"]["s"]["table"][0]["no_damping"], "a damping ratio from noise")
check(len(cycles("noisy-test")) == 2, "number of one-sided cycles")
near(number(cycles("noisy-test")[0], "amplitude"), 0.005, 1e-6, "amplitude of a one-sided cycle")

# A specimen that is a model has cycles too: a mass on a spring that follows slowly.
pathlib.Path("mounted.yaml").write_text("""time: {step: 1 ms}
specimen:
  - name: table
    model:
      dofs: [top]
      mass: [200 kg]
      supports: {base: {follows: table}}
      elements: [{spring: {between: [base, top], stiffness: 2 MN/m}}, {spring: {at: top, stiffness: 2 MN/m}}]
    limits: {stroke: 60 mm, velocity: 0.5 m/s, acceleration: 5 m/s2, force: 100 kN}
  - name: s
    parallel: [{spring: {stiffness: 1 MN/m}}, {dashpot: {damping: 1 kN s/m}}]
    limits: {stroke: 60 mm, velocity: 0.5 m/s, acceleration: 5 m/s2, force: 100 kN}
protocol:
  - {specimen: table, displacement: {cycles: {amplitudes: 10 mm, each: 2, velocity: 10 mm/s, acceleration: 0.1 m/s2}}}
  - {specimen: s, displacement: {cycles: {amplitudes: 20 mm, each: 2, velocity: 20 mm/s, acceleration: 0.2 m/s2}}}
test: {rig: virtual}
""")
test("mounted")
for name, stiffness, amplitude in (("table", 1e6, 0.01), ("s", 1e6, 0.02)):
    rows = cycles("mounted-test", name)
    check(len(rows) == 2, f"cycles of {name}: {len(rows)}")
    near(number(rows[1], "amplitude"), amplitude, 1e-6, f"amplitude of {name}")
    near(number(rows[1], "stiffness"), stiffness, 2e-2, f"stiffness of {name}")

# Bounds of a protocol: refused also without preflight, and NO-GO in preflight.
for limit in ("stroke=0.019", "velocity=0.09", "acceleration=0.9"):
    said = call("test", "small.yaml", "--as-fast-as-possible", "--without-preflight", "--out", "refused", "--set",
                f"specimen.0.limits.{limit}", status=2)
    check("exceeds the limit of the " + limit.split("=")[0] in said, f"{limit}: {said}")
    check(not os.path.exists("refused"), "a refused protocol has a result")
    said = call("preflight", "small.yaml", "--as-fast-as-possible", "--set", f"specimen.0.limits.{limit}", status=1)
    check("above the limit of the " + limit.split("=")[0] in said and "NO-GO    protocol" in said, f"preflight {limit}: {said}")
said = call("preflight", "small.yaml", "--as-fast-as-possible")
check("stability" not in said and "margin" not in said, f"preflight of an open loop: {said}")
check("GO    certificate" in said, f"preflight: {said}")

# A force that drops to 70 % beyond 40 mm ends the test there, but not with a larger drop.
drop = "multilinear: {rule: elastic, points: [[-0.1, -1e5], [0.04, 100e3], [0.04001, 70e3], [0.1, 75e3]]}"
way = "{cycles: {points: [80 mm], velocity: 10 mm/s, acceleration: 1 m/s2}}"
case("drop", drop, way, step="1 ms", more="end-when: {force-drop: 20 %}")
summary, _ = test("drop")
check(summary["outcome"] == "completed", "outcome of a drop")
check(summary["outcome_reason"] == "end-when: force-drop of 20 % in cycle 1 of 's'", str(summary["outcome_reason"]))
check(summary["fault"] is None, "a drop is a fault")
peak = summary["peaks"]["s deformation"]["value"]
check(0.04 < peak < 0.0402, f"a drop ends at {peak}")
check("identical" in call("replay", "drop-test"), "replay of a drop")
case("no-drop", drop, way, step="1 ms", more="end-when: {force-drop: 40 %}")
summary, _ = test("no-drop")
check(summary["outcome_reason"] is None and summary["peaks"]["s deformation"]["value"] > 0.079, "40 % ends a drop of 30 %")
check("incomplete" not in call("run", "drop.yaml", "--out", "drop-run"), "a run with an end criterion")

# The other criteria.
for criterion, value, least, most in [("force: 50 kN", "50000 N", 0.01999, 0.0202), ("displacement: 30 mm", "0.03 m", 0.03, 0.0302),
                                      ("energy: 500 J", "500 J", 0.0199, 0.0202)]:
    case("criterion", "spring: {stiffness: 2.5 MN/m}", way, step="1 ms", more=f"end-when: {{{criterion}}}")
    summary, _ = test("criterion")
    check(value in str(summary["outcome_reason"]), f"{criterion}: {summary['outcome_reason']}")
    check(least <= summary["peaks"]["s deformation"]["value"] <= most, f"{criterion}: {summary['peaks']['s deformation']}")
    subprocess.run(["rm", "-r", "criterion-test"], check=True)

# A limit that is reached first trips.
case("trip", drop, way, limits="force: 60 kN, tracking: 5 mm", step="1 ms", more="end-when: {force-drop: 20 %}")
summary, _ = test("trip", status=1)
check(summary["outcome"] == "tripped", "a limit of the force does not trip")

# Strength lost from cycle to cycle ends at a turning point.
lost = ("bouc-wen-degrading: {stiffness: 4 MN/m, beta: 100, gamma: 100, yield-force: 20 kN, yield-displacement: 5 mm, "
        "strength-degradation: 0.006}")
case("lost", lost, "{cycles: {amplitudes: 30 mm, each: 10, velocity: 50 mm/s, acceleration: 1 m/s2}}", limits="force: 100 kN, tracking: 5 mm",
     step="1 ms", more="end-when: {force-drop: 20 %}")
summary, _ = test("lost")
check(str(summary["outcome_reason"]).startswith("end-when: force-drop of 20 %"), f"lost strength: {summary['outcome_reason']}")
rows = cycles("lost-test")
first, last = number(rows[0], "r1"), number(rows[-1], "r1")
check(0.8 * first < last < first, f"the cycles before the end have {first} and {last} N")
check(abs((summary["time"] - 0.65) % 1.25) < 0.01, f"lost strength ends between turning points, at {summary['time']} s")
print("lost strength:", summary["outcome_reason"], "at", summary["time"])

# An elastic specimen under CUREE, and friction that halves at low velocity, never end.
case("elastic", "spring: {stiffness: 2 MN/m}",
     "{cycles: {amplitudes: {curee: {reference: 60 mm}}, velocity: 50 mm/s, acceleration: 1 m/s2}}", step="1 ms",
     more="end-when: {force-drop: 5 %}")
summary, _ = test("elastic")
check(summary["outcome"] == "completed" and summary["outcome_reason"] is None, f"elastic: {summary['outcome_reason']}")
slow = "friction-pendulum: {load: 400 kN, radius: 2 m, friction: 0.08, friction-slow: 0.04, rate: 50}"
for shape in ("sine, velocity: 0.3 m/s", "triangle, velocity: 0.3 m/s, acceleration: 5 m/s2"):
    case("friction", slow, "{cycles: {amplitudes: [50 mm, 100 mm], each: 3, shape: %s}}" % shape, step="1 ms",
         more="end-when: {force-drop: 20 %}")
    summary, _ = test("friction")
    check(summary["outcome_reason"] is None, f"friction, {shape}: {summary['outcome_reason']}")
    subprocess.run(["rm", "-r", "friction-test"], check=True)

# A test that is killed leaves its cycles to `recover`.
case("killed", bilinear, triangle % "20 mm, 30 mm, 40 mm", step="1 ms")
child = subprocess.Popen([program, "test", "killed.yaml", "--start", "--without-preflight", "--out", "killed-test"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
rows = pathlib.Path("killed-test/result.h5")
deadline = time.time() + 60
while time.time() < deadline and not (rows.exists() and rows.stat().st_size > 1000000):
    time.sleep(0.05)
child.send_signal(signal.SIGKILL)
child.wait()
call("recover", "killed-test", "--out", "recovered")
check(len(cycles("recovered")) >= 1, "a recovered test has no cycles")

print(failed, "failures")
sys.exit(failed > 0)
