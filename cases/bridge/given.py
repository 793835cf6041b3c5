#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Independent solution of `given` with numpy: Runge-Kutta of fourth order, 0.25 ms, the law of the bearings as in docs/reference/hysteresis.md, the load as a formula.
The ground acceleration is that of the result, linear between its rows; the condensed matrices are those of the program.
Use: interfield run bridge/given --set time.step=0.25ms --set time.record-every=1 --out result
     interfield matrices bridge/given -o matrices; python3 given.py result/result.h5 matrices"""
import sys

import h5py
import numpy as np
from scipy.io import mmread

M, C, K = (np.asarray(mmread("%s/%s.mtx" % (sys.argv[2], n)).todense()) for n in "MCK")
names = ["p1", "p2", "d1.y", "d6.y", "d11.y", "d16.y"]
with h5py.File(sys.argv[1]) as f:
    a_g = f["ground/acceleration_y"][:]
    own = np.array([f["displacement/" + n][:] for n in names]).T
# pairs of dofs (-1: ground), number of bearings with the load of one
bearings = [(0, 3, 2), (1, 4, 2), (-1, 2, 1), (-1, 5, 1)]
B = np.zeros((6, 4))
for k, (a, b, _) in enumerate(bearings):
    B[b, k] = 1
    if a >= 0:
        B[a, k] = -1
count = np.array([n for _, _, n in bearings])
inverse = np.linalg.inv(M)


def load(t):
    return 2.943e6 + (0.6e6 * np.sin(np.pi * (t - 2)) if t > 2 else 0.0)


def rates(t, y, a):
    u, v, z = y[:6], y[6:12], y[12:]
    q, w, n = B.T @ u, B.T @ v, load(t)
    mu = 0.05 - 0.03 * np.exp(-20 * np.abs(w))
    r = count * (n / 2.8 * q + mu * n * z)
    return np.concatenate([v, -inverse @ (C @ v + K @ u + B @ r) - a, (w - z * np.maximum(w * z, 0)) / 1e-3])


h, y = 0.25e-3, np.zeros(16)
out = np.zeros((len(a_g), 6))
for i in range(len(a_g) - 1):
    t, mid = i * h, (a_g[i] + a_g[i + 1]) / 2
    k1 = rates(t, y, a_g[i])
    k2 = rates(t + h / 2, y + h / 2 * k1, mid)
    k3 = rates(t + h / 2, y + h / 2 * k2, mid)
    k4 = rates(t + h, y + h * k3, a_g[i + 1])
    y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    out[i + 1] = y[:6]
for i, n in enumerate(names):
    difference = np.sqrt(np.mean((own[:, i] - out[:, i]) ** 2) / np.mean(out[:, i] ** 2))
    print("%-6s peak %.7f m, run %.7f m, difference %.2e (rms)" % (n, abs(out[:, i]).max(), abs(own[:, i]).max(), difference))
