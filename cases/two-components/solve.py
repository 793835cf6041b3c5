# SPDX-License-Identifier: MIT
"""Independent solution of `wenchuan` with scipy; the ground acceleration is that of the result, linear between its rows.
Use: interfield run two-components/wenchuan --set time.record-every=1 --out result; python3 solve.py result/result.h5"""
import sys

import h5py
import numpy as np
from scipy.integrate import solve_ivp

FY, Y, A, M = 120e3, 8e-3, 0.1, 300e3
with h5py.File(sys.argv[1]) as f:
    t = f["time"][...]
    ground = [f["ground/acceleration_" + d][...] for d in "xy"]


def rate(at, s):
    u, v, z = s[0:2], s[2:4], s[4:6]
    a = np.array([np.interp(at, t, g) for g in ground])
    r = A * FY / Y * u + (1 - A) * FY * z
    return np.concatenate([v, -r / M - a, (v - z * max(v @ z, 0)) / Y])


y = solve_ivp(rate, (0, t[-1]), np.zeros(6), "DOP853", t, rtol=1e-9, atol=1e-12, max_step=5e-3).y
print("peaks x, y", abs(y[0]).max(), abs(y[1]).max(), "final", y[0, -1], y[1, -1])
c = np.corrcoef(ground)[0, 1]
print("peak ground accelerations", abs(ground[0]).max(), abs(ground[1]).max(), "correlation", c)
