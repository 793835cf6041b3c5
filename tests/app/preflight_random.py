#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random tests before a judge of its own: does preflight say GO only where the test goes well, and NO-GO only where it does not?

    IFD_PROGRAM=build/gcc/interfield tests/app/preflight_random.py [CASES [SEED]]

One to three storeys with a specimen between ground and first floor. Of every second case the specimen acts late by a
pure delay, and the judge shares no code with the program: the loop of structure and delayed specimen, M x'' + C x' + K x + b k b' x(t - tau) = 0, is at
its limit where 1 + k H(i w) exp(-i w tau) = 0, with the receptance H of the structure. So the frequencies are those
where k |H| = 1, and the smallest tau of them is the critical delay. Then the test itself is run on the virtual rig, and grows or decays. The others
are shaken, behind an actuator of second order with compensation and noise; one limit is set below or above what is
predicted, and the test is run with other noise.
"""
import cmath
import csv
import glob
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

import numpy

PROGRAM = os.environ["IFD_PROGRAM"]
STEP = 1e-3  # s
RUN = 3  # code of that state in the record
START = 1e-6  # m, of the first floor: far from yielding


def receptance(case, s):
    """b' (s^2 M + s C + K)^-1 b of the shear building, b at the first floor: a continued fraction from the top."""
    below = 0.0
    for m, k, c in reversed(list(zip(case["mass"], case["stiffness"], case["damping"]))):
        storey = k + s * c
        floor = s * s * m + below
        below = storey * floor / (storey + floor)  # the storey in series with what stands on it
    return 1.0 / (floor + storey)


def critical_delay(case, stiffness):
    """The smallest delay with a root on the imaginary axis and its frequency; None when no frequency has k |H| = 1."""
    found = None
    top = 4.0 * math.sqrt((sum(case["stiffness"]) + stiffness) / min(case["mass"]))
    count = 40000
    size = stiffness * numpy.abs(receptance(case, 1j * top * numpy.arange(1, count + 1) / count))
    for i in numpy.flatnonzero((size[:-1] - 1.0) * (size[1:] - 1.0) <= 0.0):
        low, high = top * (i + 1) / count, top * (i + 2) / count
        for _ in range(60):
            mid = 0.5 * (low + high)
            inside = (stiffness * abs(receptance(case, 1j * mid)) - 1.0) * (size[i] - 1.0) > 0.0
            low, high = (mid, high) if inside else (low, mid)
        angle = (math.pi + cmath.phase(receptance(case, 1j * low))) % (2.0 * math.pi)
        if found is None or angle / low < found[0]:
            found = (angle / low, low)
    return found


def growth(case, delay, w):
    """Of the root near i w: its real part, 1/s, by Newton's iteration with a difference for the derivative; and its share of the
    start, the residue of s m H / (1 + k H exp(-s tau)) there."""
    def equation(s):
        return 1.0 + case["k"] * receptance(case, s) * cmath.exp(-s * delay)
    s = 1j * w
    for _ in range(50):
        slope = (equation(s + 1e-6 * w) - equation(s - 1e-6 * w)) / (2e-6 * w)
        s -= equation(s) / slope
    return s.real, min(1.0, 2.0 * abs(s * case["mass"][0] * receptance(case, s) / slope))


def draw(dice):
    """A structure whose highest frequency the step resolves, and a specimen with an initial stiffness."""
    case = {"mass": [], "stiffness": [], "damping": []}
    for _ in range(dice.randint(1, 3)):
        mass = 10.0 ** dice.uniform(2.5, 4.5)
        stiffness = mass * (2.0 * math.pi * dice.uniform(1.0, 4.0)) ** 2
        case["mass"].append(mass)
        case["stiffness"].append(stiffness)
        case["damping"].append(2.0 * dice.uniform(0.01, 0.06) * math.sqrt(mass * stiffness))
    k = case["stiffness"][0] * 10.0 ** dice.uniform(-0.7, 0.3)
    yielding = 10.0 ** dice.uniform(-3.0, -1.5)  # m
    case["k"] = k
    case["linear"] = False
    kind = dice.choice(["spring", "bouc-wen", "bilinear", "sliders", "cubic"])
    ends = "between: [ground, floor1]"
    if kind == "spring":
        case["specimen"], case["linear"] = f"spring: {{{ends}, stiffness: {k}}}", True
    elif kind == "bouc-wen":
        b = 0.5 / yielding
        case["specimen"] = f"bouc-wen: {{{ends}, stiffness: {k}, alpha: 0.1, beta: {b}, gamma: {b}}}"
    elif kind == "bilinear":
        case["specimen"] = f"bilinear: {{{ends}, stiffness: {k}, ratio: 0.1, yield: {yielding}}}"
    elif kind == "sliders":
        case["specimen"] = f"sliders: {{{ends}, sliders: [[{0.8 * k}, {yielding}]], spring: {0.2 * k}}}"
    else:
        case["specimen"] = f"cubic-spring: {{{ends}, stiffness: {k}, epsilon: {0.2 / yielding ** 2}}}"
    case["critical"] = critical_delay(case, k)
    return case


def write(case, path, delay, limits, end):
    storeys = ", ".join(f"{{mass: {m}, stiffness: {k}, damping: {c}}}"
                        for m, k, c in zip(case["mass"], case["stiffness"], case["damping"]))
    with open(path, "w") as out:
        out.write(f"""time: {{step: 1 ms, end: {end}}}
method: lsrt2
model: {{shear-building: {{storeys: [{storeys}]}}}}
initial: {{displacement: {{floor1: {START}}}}}
specimen:
  - name: s
    {case['specimen']}
    actuator: {{delay: {{delay: {delay} s}}}}
    limits: {limits}
test: {{ramp-in: 0.2 s, leave: start, frozen-for: 2000 s, force-stuck: off}}
""")


def write_shaken(case, path, seed, limits):
    """The same structure on shaking ground, behind an actuator with compensation and noise."""
    storeys = ", ".join(f"{{mass: {m}, stiffness: {k}, damping: {c}}}"
                        for m, k, c in zip(case["mass"], case["stiffness"], case["damping"]))
    delay = case["lag"]
    with open(path, "w") as out:
        out.write(f"""time: {{step: 1 ms, end: 6 s}}
method: lsrt2
ground: {{motion: kanai-tajimi, seed: {case['motion']}, peak: {case['peak']}, rise: 1 s, decay: 2 s, duration: 6 s}}
model: {{shear-building: {{storeys: [{storeys}]}}}}
specimen:
  - name: s
    {case['specimen']}
    actuator: {{second-order: {{frequency: {2.0 * 0.7 / delay / (2.0 * math.pi)}, damping-ratio: 0.7}}}}
    compensation: {{polynomial: {{delay: {delay * case['mismatch']} s}}}}
    position-sensor: {{noise: 5 um, seed: {seed}}}
    force-sensor: {{noise: {1e-5 * case['k']} N, seed: {seed + 1}}}
    limits: {{{', '.join(f'{name}: {value}' for name, value in limits.items())}}}
test: {{ramp-in: 0.2 s, leave: start}}
""")


def run(*words):
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def judge(number, seed, work):
    """The complaints about one case; None when it has no critical delay that a rig of this tick can have."""
    dice = random.Random(f"{seed} {number}")
    case = draw(dice)
    if case["critical"] is None or not 4.0 * STEP < case["critical"][0] < 0.2:
        return None
    critical, w = case["critical"]
    share = dice.choice([0.5, 0.8, 0.9, 1.15, 1.3])
    stable = share < 1.0
    delay = share * critical
    path = os.path.join(work, f"{number}.yaml")
    wide = "{stroke: 1 m, velocity: 10 m/s, acceleration: 1000 m/s2, force: 1e9 N, tracking: 1 m}"
    write(case, path, delay, wide, 10.0)
    status, out, err = run("preflight", path, "--as-fast-as-possible", "--json", "--out", work)
    if status not in (0, 1, 3) or not out:
        return [f"preflight ends with {status}: {err}"]
    said = json.loads(out)
    line = {check["topic"]: check["verdict"] for check in said["checks"]}["stability"]
    loop = said["loop"]
    complaints = []
    if loop["stable"] != stable:
        complaints.append(f"{share} of the critical delay, {1e3 * critical:.4g} ms, but stable is {loop['stable']}")
    if stable and line == "NO-GO":
        complaints.append("stable, but the stability line says NO-GO")
    if stable:
        edge = delay + loop["extra_delay"]["value"]
        # The rig is told once a tick: half a tick of doubt.
        if not loop["extra_delay"]["edge"] or abs(edge - critical) > 0.5 * STEP + 0.01 * critical:
            complaints.append(f"critical delay {1e3 * edge:.4g} ms, by the characteristic equation {1e3 * critical:.4g} ms")
    if not stable and status == 0:
        complaints.append("unstable, but the verdict is GO")
    if not stable and case["linear"] and status != 1:
        complaints.append(f"unstable and linear, but the exit status is {status}")

    # The test itself, with a force limit of twelve times the start: a motion that grows reaches it, one that decays does not.
    rate, part = growth(case, delay, w)
    end = 20.0 if stable else 10.0 + 2.0 * math.log(24.0 / part) / rate
    if end > 2000.0:
        return complaints
    tight = "{stroke: 1 m, velocity: 10 m/s, acceleration: 1000 m/s2, force: %r N, tracking: 1 m}" % (12.0 * case["k"] * START)
    write(case, path, delay, tight, end)
    status, out, err = run("test", path, "--as-fast-as-possible", "--json", "--out", os.path.join(work, f"{number}-test"))
    if (status == 0) != stable:
        complaints.append(f"{'stable' if stable else 'unstable'}, but the test ends with {status} after {end:.0f} s: {err.strip()}")
    return complaints


WIDE = {"stroke": 1.0, "velocity": 10.0, "acceleration": 1000.0, "force": 1e9, "tracking": 1.0}
GOVERNED = ("velocity", "acceleration")  # held back by the governor; the others trip


def columns(path, *names):
    with open(path, newline="") as file:
        rows = csv.reader(file)
        head = [name.split(" [")[0] for name in next(rows)]
        at = [head.index(name) for name in names]
        return [tuple(float(row[i]) for i in at) for row in rows]


def error(work, number):
    """Rms of the first floor in the run of the test, of a computed run with an ideal specimen at the same step."""
    whole = {round(t / STEP): x for t, x in columns(os.path.join(work, f"{number}-run", "result.csv"), "time", "floor1 displacement")}
    off = size = 0.0
    last = -1
    for t, state, x in columns(os.path.join(work, f"{number}-test", "result.csv"), "time", "state", "floor1 displacement"):
        step = round(t / STEP)
        if state != RUN or abs(t - step * STEP) > 1e-9 or step <= last or step not in whole:
            continue
        last = step
        off += (x - whole[step]) ** 2
        size += whole[step] ** 2
    return math.sqrt(off / size) if size > 0.0 and last > 5.0 / STEP else math.nan


def judge_shaken(number, seed, work):
    """Verdicts of a test on shaking ground, and the same test with other noise."""
    dice = random.Random(f"shaken {seed} {number}")
    case = draw(dice)
    case["motion"], case["peak"] = dice.randint(1, 999), 9.81 * 10.0 ** dice.uniform(-1.5, -0.3)
    case["lag"], case["mismatch"] = dice.uniform(5e-3, 20e-3), dice.uniform(0.9, 1.1)
    path = os.path.join(work, f"{number}.yaml")
    look = ("preflight", path, "--as-fast-as-possible", "--json", "--out", work)
    write_shaken(case, path, 10, WIDE)
    status, out, err = run(*look)
    if status not in (0, 1, 3) or not out:
        return [f"preflight ends with {status}: {err}"]
    said = json.loads(out)
    if not said["loop"]["stable"] or not said["dry_run"]["finished"]:
        return None
    predicted = said["predicted"]["s"]
    predicted["stroke"] = max(abs(predicted["low"]), abs(predicted["high"]))
    topic, share = dice.choice(list(WIDE)), dice.choice([0.7, 1.3])
    limits = dict(WIDE)
    limits[topic] = share * predicted[topic]
    write_shaken(case, path, 10, limits)
    status, out, err = run(*look)
    said = json.loads(out)
    line = {check["topic"]: check["verdict"] for check in said["checks"]}[topic]
    complaints = []
    if share > 1.0 and line != "GO":
        complaints.append(f"{topic} limit of {share} of what is predicted: {line}")
    if share < 1.0 and (line == "GO" or (topic not in GOVERNED and line != "NO-GO")):
        complaints.append(f"{topic} limit of {share} of what is predicted: {line}")

    write_shaken(case, path, 1000 + number, limits)
    ended, _, err = run("test", path, "--as-fast-as-possible", "--csv", "--json", "--out", os.path.join(work, f"{number}-test"))
    if status == 0 and ended != 0:
        complaints.append(f"GO, but the test ends with {ended}: {err.strip()}")
    if share < 1.0 and topic not in GOVERNED and ended != 1:
        complaints.append(f"{topic} limit of {share} of what is predicted, but the test ends with {ended}")
    if ended == 0 and said["dry_run"]["finished"]:
        run("run", path, "--csv", "--quiet", "--out", os.path.join(work, f"{number}-run"))
        made, predicted = error(work, number), said["dry_run"]["error_rms"]
        # The largest of all dofs is predicted, at a finer step; other noise adds its own.
        if not made <= 1.2 * predicted + 0.005:
            complaints.append(f"an error of {100.0 * made:.3g} % rms, predicted {100.0 * predicted:.3g} %")
    return complaints


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    wrong = judged = 0
    with tempfile.TemporaryDirectory(prefix="interfield-preflight-") as work:
        for number in range(count):
            if number and number % 10 == 0:
                print(f"so far {number} of {count}: {judged} judged, {wrong} wrong", flush=True)
            complaints = (judge_shaken if number % 2 else judge)(number, seed, work)
            if complaints is None:
                continue
            judged += 1
            wrong += bool(complaints)
            for complaint in complaints:
                print(f"seed {seed} case {number}: {complaint}")
            for result in glob.glob(os.path.join(work, f"{number}-*")):
                shutil.rmtree(result)
    print(f"{judged} of {count} cases judged, {wrong} wrong")
    return 1 if wrong or judged < count // 3 else 0


sys.exit(main())
