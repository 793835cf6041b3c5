#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every element of the catalogue as a sound specimen, with random motions and noise: neither STIFFNESS nor NO_FORCE may occur.

    sound_specimens.py RUNS [FIRST]      IFD_PROGRAM; run n has element n modulo their number and the seed n

The settings are those of extremes.py. An element that is no specimen by itself (mass, pendulum, controller) is left out; the number is printed."""
import json
import os
import random
import subprocess
import sys

from extremes import NEEDS, PAIR

PROGRAM = os.environ["IFD_PROGRAM"]
WITHOUT_STIFFNESS = {"dashpot", "power-dashpot", "maxwell", "mr-damper", "bingham", "mr-tanh", "friction-pendulum", "leaning-column"}
# Soil as stiff as the estimate; that of extremes.py is a pile's, beyond the limit of force here.
SOFT = {"t-z": "diameter: 0.1, length: 0.02, friction: 1e4", "q-z": "diameter: 0.1, resistance: 80", "multilinear": "points: [[1 mm, 100 N]]",
        "p-y": "depth: 1.5, diameter: 0.1, length: 3 mm, sand: {friction-angle: 35 deg, weight: 10 kN/m3, modulus: 22 MN/m3}"}
CASE = """time: {{step: 4 ms, end: 8 s}}
method: lsrt2
ground: {{motion: kanai-tajimi, seed: {seed}, peak: {peak:.3f} m/s2}}
model: {{dofs: [x], mass: [1000], damping: [2000], stiffness: [2.0e+5]}}
initial: {{displacement: {{x: {start:.2f} mm}}}}
specimen:
  - name: specimen
    {element}: {{{settings}}}
    {estimate}
    actuator: {{second-order: {{frequency: 30 Hz, damping-ratio: 0.7}}}}
    compensation: {{polynomial: {{delay: 7 ms, order: 3}}}}
    position-sensor: {{noise: 2 um, seed: {seed}}}
    force-sensor: {{noise: {noise:.2f} N, seed: {seed}}}
    limits: {{stroke: 200 mm, velocity: 5 m/s, acceleration: 500 m/s2, force: 50 kN, tracking: 100 mm}}
test: {{leave: stay, ramp-in: 0.5 s, settle: 0.1 s}}
"""


def words(element, seed):
    draw = random.Random(seed)
    estimate = "" if element in WITHOUT_STIFFNESS else "estimate: {stiffness: 1e5 N/m}"
    return CASE.format(seed=seed, peak=draw.uniform(0.3, 4.0), start=draw.choice((-1, 1)) * draw.uniform(0.0, 12.0), element=element,
                       settings=f"{PAIR}, {SOFT.get(element, NEEDS['element'][element])}".rstrip(", "), estimate=estimate, noise=10 ** draw.uniform(-1.0, 1.5))


def run(element, seed):
    """The summary of a test; None: it is no specimen."""
    with open(f"sound-{os.getpid()}.yaml", "w", encoding="utf-8") as file:
        file.write(words(element, seed))
    done = subprocess.run([PROGRAM, "test", file.name, "--as-fast-as-possible", "--without-preflight", "--exit-on-trip", "--json",
                           "--out", f"sound-{os.getpid()}"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    subprocess.run(["rm", "-rf", f"sound-{os.getpid()}"], check=True)
    if done.returncode == 2:
        return None
    return json.loads(done.stdout)


def main():
    runs, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    kinds = [e for e, needs in NEEDS["element"].items() if needs is not None and run(e, 1) is not None]
    assert len(kinds) >= 24, kinds
    wrong, whole = [], 0
    for n in range(first, first + runs):
        summary = run(kinds[n % len(kinds)], n)
        seen = summary["seen"] if summary else {"refused": 1}
        whole += summary is not None and summary["outcome"].startswith("completed")
        if not summary or {"STIFFNESS", "NO_FORCE"} & set(seen):
            wrong.append((kinds[n % len(kinds)], n, seen))
    print(f"{runs} runs of {len(kinds)} sound specimens, {whole} to their end, {len(wrong)} false alarms: {wrong[:20]}")
    return 1 if wrong or whole < 0.9 * runs else 0


sys.exit(main())
