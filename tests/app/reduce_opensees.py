# SPDX-License-Identifier: MIT
"""Reads the Tcl script of `interfield reduce --opensees` as text and compares it with the HDF5 file, `modes` and `run`; with IFD_OPENSEES
runs it in OpenSees. Shares no code with the program."""
import json
import math
import os
import re
import subprocess
import sys

import h5py
import numpy as np

STEP, STEPS = 0.002, 300
wrong = []


def close(what, found, expected, tolerance):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    size = np.abs(expected).max()
    off = np.abs(found - expected).max() / size if found.shape == expected.shape and size > 0 else math.inf
    print("%s: %.2g" % (what, off))
    if not off <= tolerance:
        wrong.append("%s: %g exceeds %g" % (what, off, tolerance))


def read_script(name):
    """M, C, K of the network, and the factors of inputs and rows, as dense vectors."""
    text = open(name).read()
    ties = [line.split()[1:] for line in text.splitlines() if line.startswith("superelement_tie")]
    order = max(int(t[1]) for t in ties)
    matrices = [np.zeros((order + 1, order + 1)) for _ in range(3)]
    for i, j, *values in ties:
        i, j = int(i), int(j)
        for A, value in zip(matrices, map(float, values)):
            A[i, i] += value
            A[j, j] += value
            A[i, j] -= value
            A[j, i] -= value
    factors = {"input": {}, "row": {}}
    for what, label, words in re.findall(r"^set superelement_(input|row)\((.*)\) \{(.*)\}$", text, re.M):
        vector, words = np.zeros(order), words.split()
        for i, value in zip(words[::2], words[1::2]):
            vector[int(i) - 1] = float(value)
        factors[what][label.replace("\\", "")] = vector
    return [A[1:, 1:] for A in matrices], factors


def read_stored(name):
    """The same from the file; its arrays have the last index first."""
    with h5py.File(name) as f:
        r, p = int(f.attrs["dofs"]), int(f.attrs["interface_dofs"])
        lam, columns = f["lambda"][()].ravel(), f["columns"][()]
        M, K = np.eye(r), np.zeros((r, r))
        M[:p, :p], M[p:, :p], M[:p, p:] = f["mass"][()], f["coupling"][()], f["coupling"][()].T
        K[:p, :p], K[p:, p:] = f["stiffness"][()], np.diag(lam)
        C = f.attrs["rayleigh_mass"] * M + f.attrs["rayleigh_stiffness"] * K
        C[:p, :p] += f["damping"][()]
        labels = [label.decode() for label in f["labels"][()].ravel()]
        for label, column in zip(labels, columns):
            if label.startswith("modal damping"):
                C += np.outer(column, column)
        return M, C, K, dict(zip(labels, columns)), p


def frequencies(M, K):
    L = np.linalg.inv(np.linalg.cholesky(M))
    return np.sqrt(np.linalg.eigvalsh(L @ K @ L.T)) / (2 * math.pi)


def newmark(M, C, K, load):
    """Average acceleration, from rest, load times 3 sin(2 pi 1.3 t)."""
    u, v, a = (np.zeros(len(M)) for _ in range(3))
    S, h, out = np.linalg.inv(M + STEP / 2 * C + STEP * STEP / 4 * K), STEP, [np.zeros(len(M))]
    for n in range(1, STEPS + 1):
        u, v = u + h * v + h * h / 4 * a, v + h / 2 * a
        a = S @ (load * 3 * math.sin(2 * math.pi * 1.3 * n * h) - C @ v - K @ u)
        u, v = u + h * h / 4 * a, v + h / 2 * a
        out.append(u)
    return np.array(out)


def read_run(name):
    lines = open("run-%s/result.csv" % name).read().splitlines()
    names = [re.sub(r"( displacement)? \[.*", "", cell) for cell in lines[0].split(",")]
    values = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    return dict(zip(names, values.T))


def check_script(name):
    (M, C, K), factors = read_script(name + ".tcl")
    M0, C0, K0, columns, p = read_stored(name + ".h5")
    scale = np.sqrt(np.outer(np.diag(M0), np.diag(M0)))
    close(name + " M", M / scale, M0 / scale, 1e-12)
    for what, A, B in (("C", C, C0), ("K", K, K0)):
        scale = np.sqrt(np.outer(np.diag(B), np.diag(B)))
        close(name + " " + what, A / scale, B / scale, 1e-12)
    close(name + " flexibility of the interface", np.linalg.inv(K)[:p, :p], np.linalg.inv(K0[:p, :p]), 1e-10)
    close(name + " ground", factors["input"]["ground x"], columns["ground x"], 1e-15)
    found = frequencies(M, K)
    modes = [m["frequency"] for m in json.load(open(name + ".json"))["modes"]]
    close(name + " frequencies", found[: len(modes)] / modes, np.ones(len(modes)), 1e-9)
    run, u = read_run(name), newmark(M, C, K, factors["input"]["ground x"])
    rows = [row for row in factors["row"] if row in run]
    if "s5c1.x" not in rows or "s2c1-s3c1 deformation 3" not in rows:
        wrong.append("%s has the rows %s" % (name, sorted(factors["row"])))
    for row in rows:
        close("%s response of %s" % (name, row), u @ factors["row"][row], run[row], 1e-8)
    return rows, modes, (M, C, K, factors)


def check_added(name, M, C, K, factors):
    """A mass and a spring on the structure: the Rayleigh damping of the structure does not act on them."""
    top, low = (int(np.argmax(factors["row"][row])) for row in ("s5c1.x", "s1c2.x"))
    load = factors["input"]["ground x"].copy()
    M, K = M.copy(), K.copy()
    M[top, top] += 3e4
    K[low, low] += 2e7
    load[top] += math.copysign(3e4, load[top])
    run, u = read_run(name), newmark(M, C, K, load)
    for row in ("s5c1.x", "s1c2.x"):
        close("%s response of %s" % (name, row), u @ factors["row"][row], run[row], 1e-8)


SCENE = """set superelement_first 1001
source %s.tcl
puts "eigen [eigen -fullGenLapack 10]"
%s
timeSeries Trig 1 0.0 1000.0 [expr {1 / 1.3}] -factor 3.0
superelement_load 1 1 {ground x}
pattern UniformExcitation 2 1 -accel 1
constraints Transformation
numberer RCM
system UmfPack
algorithm Linear
integrator Newmark 0.5 0.25
analysis Transient
for {set n 1} {$n <= %d} {incr n} {
    if {[analyze 1 %g] != 0} {error "the analysis failed"}
    set line values
    foreach name {%s} {append line " [superelement_value $name]"}
    puts $line
}
"""
# Nodes with six dofs, whose dof 1 is that of the superelement: a mass, which UniformExcitation loads, and a spring to the ground.
ADDED = """model basic -ndm 3 -ndf 6
foreach node {1 2 3} {node $node 0.0 0.0 0.0}
fix 1 1 1 1 1 1 1
foreach node {2 3} {fix $node 0 1 1 1 1 1}
equalDOF_Mixed $superelement_node(s5c1.x) 2 1 1 1
equalDOF_Mixed $superelement_node(s1c2.x) 3 1 1 1
mass 2 3.0e4 0.0 0.0 0.0 0.0 0.0
uniaxialMaterial Elastic 1 2.0e7
element zeroLength 1 1 3 -mat 1 -dir 1"""


def check_opensees(program, case, script, more, rows, modes):
    name = case + "-scene.tcl"
    with open(name, "w") as f:
        f.write(SCENE % (script, more, STEPS, STEP, " ".join("{%s}" % row for row in rows)))
    done = subprocess.run([program, name], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    lines = (done.stdout + done.stderr).splitlines()
    values = np.array([[float(x) for x in line.split()[1:]] for line in lines if line.startswith("values")])
    eigen = [float(x) for line in lines if line.startswith("eigen") for x in line.split()[1:]]
    if values.shape != (STEPS, len(rows)) or len(eigen) != 10:
        wrong.append("OpenSees: %s" % "\n".join(lines[-10:]))
        return
    n = min(10, len(modes))
    close(case + " frequencies of OpenSees", np.sqrt(eigen[:n]) / (2 * math.pi) / modes[:n], np.ones(n), 1e-9)
    run = read_run(case)
    for k, row in enumerate(rows):
        close("%s: %s of OpenSees" % (case, row), values[:, k], run[row][1:], 1e-8)


program = os.environ.get("IFD_OPENSEES")
for case in ("rayleigh", "modal"):
    rows, modes, script = check_script(case)
    if case == "rayleigh":
        check_added("added", *script)
    if program:
        check_opensees(program, case, case, "", rows, modes)
        if case == "rayleigh":
            check_opensees(program, "added", case, ADDED, ["s5c1.x", "s1c2.x"], modes)
if not program:
    print("skipped: IFD_OPENSEES names no OpenSees")
for line in wrong:
    print("WRONG: " + line)
sys.exit(len(wrong) > 0)
