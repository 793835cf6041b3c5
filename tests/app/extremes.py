# SPDX-License-Identifier: MIT
"""Every number of a case at both ends of its range, given to `check`, `preflight` and `test --as-fast-as-possible`.

    extremes.py [EVERY [FIRST]]      IFD_PROGRAM; each EVERY-th of the numbers (1: all), beginning with FIRST

The numbers and their ranges come from `interfield help all`, which is printed from the tables that the reader uses. A row (an
element, a signal, ...) needs the settings it must have at least, below: one that is missing here fails. Each command must end by
itself or, where the number makes it long, soon after SIGTERM, counted in processor time; with a documented exit status; saying why
when it refuses; and its result must hold finite numbers only."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

PROGRAM = os.environ["IFD_PROGRAM"]
# Of processor time: before a long command is asked to end, and after; s. Of the clock, for anything that must happen at all.
WORK, BUSY, PATIENCE = 3.0, 10.0, 300
TICK = os.sysconf("SC_CLK_TCK")

CASE = """time: {{step: 2 ms, end: 0.1 s}}
method: {method}
ground: {{signal: {signal}}}
model:
  dofs: [x]
  mass: [1000]
  damping: [800]
  stiffness: [4.0e+5]
  elements: {elements}
initial: {{displacement: {{x: 10 mm}}}}
specimen:
  - name: bearing
    {specimen}
    estimate: {{stiffness: 2e5 N/m}}
    actuator: {actuator}
    compensation: {compensation}
    position-sensor: {position}
    force-sensor: {force}
    limits: {{stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 50 kN, tracking: 50 mm}}
test: {{rig: {rig}, ramp-in: 0.05 s, settle: 0.01 s}}
"""
PLAIN = dict(method="lsrt2", signal="{sine: {amplitude: 1 m/s2, frequency: 2 Hz}}", elements="[]", actuator="ideal",
             compensation="none", position="{}", force="{}", rig="virtual",
             specimen="spring: {between: [ground, x], stiffness: 2e5 N/m}")

BLOCK = "read: [x], apply: [x]"
PAIR = "between: [ground, x]"
# What a row must be told, besides the number in question.
NEEDS = {
    "signal": {"sine": "frequency: 2", "cosine": "frequency: 2", "chirp": "from: 1, to: 2, duration: 1", "pulse": "duration: 0.1", "step": "",
               "ramp": "rise: 0.1", "noise": "sigma: 1, max-frequency: 20", "kanai-tajimi": "", "table": "values: [0, 1, 0], dt: 0.02",
               "record": "file: motion.csv"},
    "element": {"spring": "stiffness: 1e5", "dashpot": "damping: 100", "mass": "mass: 10", "cubic-spring": "stiffness: 1e5, epsilon: 10",
                "power-dashpot": "coefficient: 1000, exponent: 0.5", "gap": "stiffness: 1e6, gap: 5 mm",
                "multilinear": "points: [[1 mm, 1 kN]]", "t-z": "diameter: 0.6, friction: 4e4", "q-z": "diameter: 0.6, resistance: 8e5",
                "p-y": "depth: 1.5, diameter: 0.6, sand: {friction-angle: 35 deg, weight: 10 kN/m3, modulus: 22 MN/m3}", "bilinear": "stiffness: 1e5, yield: 5 mm", "sliders": "sliders: [[1e5, 0.005]]",
                "bouc-wen": "stiffness: 1e5, beta: 100, gamma: 50", "pendulum": "mass: 10, length: 1, angle: a",
                "spring-pendulum": "mass: 10, length: 1, stiffness: 1e4, angle: a",
                "double-pendulum": "mass: 10, length: 1, mass2: 5, length2: 1, angle: a, angle2: b", "block": "D: [[-10]]",
                "pid": "kp: 10", "low-pass": "gain: -10, cutoff: 5", "high-pass": "gain: -10, cutoff: 5", "washout": "gain: -10, time: 0.1",
                "lead-lag": "gain: -10, lead: 0.1, lag: 0.01", "maxwell": "branches: [[1e5, 1000]]", "mr-damper": "",
                "steel": "stiffness: 1e5, yield-force: 500", "lead-rubber": "yield-force: 500, yield-displacement: 5 mm",
                "friction-pendulum": "load: 5000, friction: 0.1", "hinge": "stiffness: 1e5, yield-force: 500",
                "pivot": "stiffness: 1e5, yield-force: 500", "self-centring": "stiffness: 1e5, activation-force: 500",
                "bouc-wen-degrading": "stiffness: 1e5, beta: 100, gamma: 50, yield-force: 500, yield-displacement: 5 mm",
                "brb": "stiffness: 1e5, yield-force: 500", "bingham": "friction-force: 100",
                "mr-tanh": "amplitude: 100, slope: 40", "double-pendulum-bearing": "radii: [1, 2], friction: [0.03, 0.08], load: 5000, stiffness: 1e5",
                "triple-pendulum-bearing": "radii: [1.5, 0.3], friction: [0.02, 0.06, 0.1], load: 5000, stiffness: 1e5",
                "leaning-column": "load: 1000, height: 3", "p-delta-member": "length: 2, axial-force: -1000", "fibre-beam": "length: 2, width: 10 mm, depth: 20 mm, young: 200e9, yield-stress: 350e6",
                "fmu": None},
    "actuator": {"ideal": "", "delay": "delay: 5 ms", "first-order": "time-constant: 5 ms", "second-order": "frequency: 20",
                 "servo-hydraulic": "", "fmu": None},
    "compensation": {"none": "", "polynomial": "delay: 5 ms", "taylor": "delay: 5 ms", "inverse-1": "delay: 5 ms", "inverse-2": "",
                     "inverse-3": "", "phase-lead": "", "pi-lead": "", "upper-bound": "bound: 10 ms", "adaptive-series": "",
                     "adaptive-model": "", "cats": "", "decoupling": "velocity: [[0.01]]", "acceleration": "coefficients: [1, 0.01, 5e-5, 1e-7]", "tadc": "delay: 10 ms", "tracking-adaptive": "delay: 10 ms, amplitude: 20 mm",
                     "frequency-adaptive": "delay: 10 ms", "lqg": "", "predictive": "",
                     "energy-damping": "stiffness: 1 MN/m, most: 10 kN s/m"},
    "rig": {"virtual": "", "udp": "port: 4711", "shm": "name: nobody", "opensees-adapter": "port: 4711", "openfresco": "port: 4711"},
    "extrapolator": {"hold": "", "lagrange": "", "least-squares": "", "reproducing-kernel": ""},
}
AT = {"pendulum": "at: x", "spring-pendulum": "at: x", "double-pendulum": "at: x"}
AT["fibre-beam"] = AT["p-delta-member"] = "at: [ground, ground, ground, ground, x, ground]"
AT.update(dict.fromkeys(("block", "pid", "low-pass", "high-pass", "washout", "lead-lag"), BLOCK))
# Sections whose numbers stand at a path of the case.
PATHS = {"time": "time", "test": "test", "limits": "specimen.0.limits", "estimate": "specimen.0.estimate", "rayleigh": "model.rayleigh",
         "specimen": "specimen.0"}
ELSEWHERE = {("specimen", "substeps")}  # of a specimen with a model
# Lists need their company.
SHAPES = {("block", "A"): "A: [[{}]], B: [[1]], C: [[1]]", ("block", "B"): "A: [[-1]], B: [[{}]], C: [[1]]",
          ("block", "C"): "A: [[-1]], B: [[1]], C: [[{}]]", ("block", "D"): "D: [[{}]]",
          ("block", "initial"): "A: [[-1]], B: [[1]], C: [[1]], initial: [{}]",
          ("maxwell", "branches"): "branches: [[{0}, {0}]]", ("mr-damper", "schedule"): "schedule: [[0, {0}]]",
          ("sliders", "sliders"): "sliders: [[{0}, {0}]]", ("multilinear", "points"): "points: [[{0}, {0}]]", ("table", "values"): "values: [0, {}, 0], dt: 0.02",
          ("table", "times"): "values: [0, 1, 0], times: [{0}, 1, 2]" , ("table", "dt"): "values: [0, 1, 0], dt: {}",
          ("friction-pendulum", "schedule"): "schedule: [[0, {0}]], friction: 0.1",
          ("bingham", "schedule"): "friction-force: 100, schedule: [[0, {0}]]",
          ("double-pendulum-bearing", "radii"): "radii: [{0}, {0}], friction: [0.03, 0.08], load: 5000, stiffness: 1e5",
          ("double-pendulum-bearing", "friction"): "radii: [1, 2], friction: [{0}, {0}], load: 5000, stiffness: 1e5",
          ("triple-pendulum-bearing", "radii"): "radii: [{0}, {0}], friction: [0.02, 0.06, 0.1], load: 5000, stiffness: 1e5",
          ("triple-pendulum-bearing", "friction"): "radii: [1.5, 0.3], friction: [{0}, {0}, {0}], load: 5000, stiffness: 1e5",
          ("noise", "psd"): "psd: {}, max-frequency: 20",
          ("decoupling", "velocity"): "velocity: [[{}]]", ("decoupling", "position"): "velocity: [[0.01]], position: [[{}]]",
          ("decoupling", "acceleration"): "velocity: [[0.01]], acceleration: [[{}]]",
          ("decoupling", "lag"): "velocity: [[0.01]], lag: [[{}]]"}

failed = tried = refused = ended = 0


def fail(what):
    global failed
    failed += 1
    print(f"FAILED: {what}", flush=True)


def rows():
    """(kind, row, number, low, high) of every number that help shows."""
    text = subprocess.run([PROGRAM, "help", "all"], check=True, stdout=subprocess.PIPE).stdout.decode()
    kind, row = None, None
    for part in re.split(r"\n(?=#|  [\w-]+ )", text):
        head = re.match(r"### (\w+) `([\w-]+)`", part)
        section = re.match(r"## ([\w-]+)", part)
        if head:
            kind, row = head.groups()
        elif section:
            kind, row = "section", section.group(1)
            if row == "sensor":
                kind = "sensor"
        entry = re.match(r"  ([\w-]+) +(.*)", part, re.S)
        facts = entry and " ".join(entry.group(2).split())
        ends = entry and re.search(r"(?:range|or) (-?[\d.e+-]+) to (-?[\d.e+-]+)", facts)
        if ends and kind:
            yield kind, row, entry.group(1), ends.group(1), ends.group(2), facts.startswith("list")


def settings(needs, row, name, value, listed):
    if (row, name) in SHAPES:
        return SHAPES[row, name].format(value)
    rest = [w for w in re.split(r", (?=[\w-]+: )", needs) if w and not w.startswith(f"{name}:")]
    return ", ".join(rest + [f"{name}: [{value}]" if listed else f"{name}: {value}"])


def case_of(kind, row, name, value, listed):
    """(words of the case, whether somebody could answer) or None where there is nothing to try."""
    if kind == "section":
        path = None if (row, name) in ELSEWHERE else PATHS.get(row)
        return path and (dict(PLAIN), [f"{path}.{name}={value}"], True)
    if kind == "coupling":
        return None
    if kind == "sensor":
        return dict(PLAIN, position=f"{{{name}: {value}}}", force=f"{{{name}: {value}}}"), [], True
    if kind == "method":
        return dict(PLAIN, method=f"{{{row}: {{{settings('', row, name, value, listed)}}}}}"), [], True
    if row not in NEEDS[kind]:
        sys.exit(f"{kind} '{row}' has no settings in tests/app/extremes.py: say what it needs")
    needs = NEEDS[kind][row]
    if needs is None:
        return None
    told = settings(needs, row, name, value, listed)
    if kind == "element":
        where = AT.get(row, PAIR)
        return dict(PLAIN, elements=f"[{{name: e, {row}: {{{where}, {told}}}}}]"), [], True
    if kind == "extrapolator":
        return None, [f"coupling.rts.extrapolator={{{row}: {{{told}}}}}"], True
    return dict(PLAIN, **{kind: f"{{{row}: {{{told}}}}}"}), [], kind != "rig" or row == "virtual"


def used(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        words = f.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / TICK


def ends(what, words):
    """Its exit status, after SIGTERM where it takes long; None when it fails."""
    global ended
    shutil.rmtree("out", ignore_errors=True)
    with open("said", "wb") as said:
        p = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
    asked, began = [], time.monotonic()
    while p.poll() is None:
        time.sleep(0.002 if time.monotonic() - began < 0.5 else 0.02)
        try:
            spent = used(p.pid)
        except (FileNotFoundError, ProcessLookupError, IndexError):
            continue
        if not asked and (spent > WORK or time.monotonic() - began > 60):
            asked.append(spent)
            p.send_signal(signal.SIGTERM)
        elif asked and (spent - asked[0] > BUSY or time.monotonic() - began > PATIENCE):
            p.kill()
            p.wait()
            fail(f"{what}: {words[0]} did not end {spent - asked[0]:.1f} s of processor time after SIGTERM")
            return None
    ended += bool(asked)
    with open("said", "rb") as f:
        text = f.read().decode(errors="replace")
    if p.returncode == -signal.SIGTERM and asked:
        return 1
    if p.returncode not in (0, 1, 2, 3) or "Sanitizer" in text or "runtime error" in text:
        fail(f"{what}: {words[0]} ends with {p.returncode}: {text[-600:]}")
        return None
    if p.returncode == 2 and "expected" not in text and len(text) < 20:
        fail(f"{what}: {words[0]} refuses and does not say why: {text}")
    return p.returncode


def one(kind, row, name, value, listed):
    global tried, refused
    made = case_of(kind, row, name, value, listed)
    if not made:
        return
    fill, sets, answered = made
    what = f"{kind} {row}: {name} = {value}"
    if fill is None:
        words = ["rts-double-pendulum/one-ahead", "--set", "time.end=0.1s"]
    else:
        with open("case.yaml", "w", encoding="ascii") as f:
            f.write(CASE.format(**fill))
        words = ["case.yaml"]
    for s in sets:
        words += ["--set", s]
    tried += 1
    status = ends(what, ["check", *words])
    if status == 2:
        refused += 1
        with open("said", encoding="utf-8", errors="replace") as f:
            text = f.read()
        if re.search(r"unknown (key|unit|\w+ ')|needs '|needs the key|no such|found '|cannot be read", text):
            fail(f"{what} is refused for another reason: {text[-300:]}")
        elif os.environ.get("IFD_SHOW"):
            print(f"{what}: {text.strip()[:200]}")
        return
    if status is None or not answered:
        return
    if fill is None:
        ends(what, ["run", *words, "--out", "out"])
        return
    for command in (["preflight", *words], ["test", *words, "--as-fast-as-possible", "--without-preflight", "--exit-on-trip", "--out", "out"]):
        ends(what, command)


def main():
    every, first = int(sys.argv[1]) if len(sys.argv) > 1 else 1, int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with open("motion.csv", "w", encoding="ascii") as f:
        f.write("time,acceleration [m/s2]\n" + "".join(f"{k * 0.01},{(k % 3) - 1}\n" for k in range(50)))
    everything = [(kind, row, name, end, listed) for kind, row, name, low, high, listed in rows() for end in (low, high)]
    if len(everything) < 500:
        sys.exit(f"only {len(everything)} ends were found in the help")
    began = time.monotonic()
    for k, number in enumerate(everything):
        if k % every == first % every:
            one(*number)
    print(f"{len(everything)} ends, {tried} tried, {refused} refused by check, {ended} commands asked to end, "
          f"{failed} failures, {time.monotonic() - began:.0f} s")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
