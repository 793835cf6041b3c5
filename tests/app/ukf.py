# SPDX-License-Identifier: MIT
"""An unscented Kalman filter of its own, in numpy: recomputes the identification of a recorded test of bridge/learning
from the measured positions and forces, and compares it with the recorded columns."""
import sys

import h5py
import numpy as np

START = np.array([16e6, 0.12, 0, 0, 1.8])
BETA, GAMMA = 2064.1, 802.7
START[2] = (BETA + GAMMA) ** (-1 / 1.8)
START[3] = BETA / (BETA + GAMMA)
RANGE, TICK, FORCE_NOISE, POSITION_NOISE = 2.0, 1e-3, 500.0, 5e-6
NAMES = ["stiffness", "alpha", "yield", "shape", "n"]


def move(X, dq):
    """z of every column of X after dq, by one step of Runge and Kutta."""
    k, alpha, y, b, n = START[:, None] * X[1:]
    slope = lambda z: (1 - np.abs(z) ** n * (b * np.sign(dq * z) + 1 - b)) / y
    z = X[0]
    a = slope(z)
    c = slope(z + dq * a / 2)
    d = slope(z + dq * c / 2)
    e = slope(z + dq * d)
    return z + dq * (a + 2 * c + 2 * d + e) / 6


def points(x, P, low, high):
    L = np.linalg.cholesky(P) * np.sqrt(6)
    X = np.hstack([x[:, None] + L, x[:, None] - L])
    X[1:] = np.clip(X[1:], low[:, None], high[:, None])
    return X


def main(folder):
    f = h5py.File(folder + "/result.h5")
    q, force, state = f["specimen/bearing1/deformation"][:], f["specimen/bearing1/force"][:], f["test/state"][:]
    scale = START[0] * START[2]
    # bounds of the law: alpha and shape up to 1, n from 1
    low = np.maximum(1 / RANGE, np.array([0, 0, 0, 0, 1 / START[4]]))
    high = np.minimum(RANGE, np.array([RANGE, 1 / START[1], RANGE, 1 / START[3], RANGE]))
    x, P = np.array([0, 1, 1, 1, 1, 1.0]), np.diag([1e-4] + [0.09] * 5)
    Q = np.diag([(POSITION_NOISE / START[2]) ** 2 + 1e-9] + [0.002**2 * TICK] * 5)
    R, z_at, worst, compared, ramp_in, run = (FORCE_NOISE / scale) ** 2, None, 0.0, 0, 2, 3
    got = np.array([f["identified/bearing1." + n + "/identified"][:] for n in NAMES])
    deviation = np.array([f["identified/bearing1." + n + "/standard_deviation"][:] for n in NAMES])
    # a tick acts in the state of the one before it; ramp-in ends after the record of a tick
    for i in range(len(q)):
        before = state[i - 1] if i else 0
        dq = 0.0 if z_at is None else q[i] - z_at
        if run in (before, state[i]):
            X = points(x, P, low, high)
            X[0] = move(X, dq)
            x = X.mean(axis=1)
            D = X - x[:, None]
            P = D @ D.T / 12 + Q
            X = points(x, P, low, high)
            p = START[:, None] * X[1:]
            Y = (p[1] * p[0] * q[i] + (1 - p[1]) * p[0] * p[2] * X[0]) / scale
            y = Y.mean()
            s = ((Y - y) ** 2).mean() + R
            K = ((X - x[:, None]) * (Y - y)).mean(axis=1) / s
            nu = force[i] / scale - y
            if abs(nu) <= 6 * np.sqrt(s):
                x = x + K * nu
                P = P - np.outer(K, K) * s
                P = (P + P.T) / 2
                x[1:] = np.clip(x[1:], low, high)
            error = np.abs(x[1:] - got[:, i]).max()
            spread = np.abs(np.sqrt(np.diag(P))[1:] / deviation[:, i] - 1).max()
            worst, compared = max(worst, error, spread), compared + 1
        elif before == ramp_in and z_at is not None and abs(dq) <= 8 * POSITION_NOISE:
            continue
        elif before == ramp_in:
            x[0] = move(x[:, None], dq)[0]
        elif before > run:
            break
        z_at = q[i]
    print("compared", compared, "ticks, largest difference", worst)
    if compared < 1000 or not worst < 1e-8:
        sys.exit(1)


main(sys.argv[1])
