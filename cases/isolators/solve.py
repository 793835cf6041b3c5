# SPDX-License-Identifier: MIT
"""Independent solution of `ground` and `vertical`: solve_ivp of scipy (DOP853, relative tolerance 1e-10), without code of the program."""
import numpy as np
from scipy.integrate import solve_ivp

FY, Y, A = 120e3, 8e-3, 0.1


def lead(t, s):
    u, v, z = s[0:2], s[2:4], s[4:6]
    ground = np.array([2 * np.sin(2 * np.pi * 0.8 * t), 0.8 * np.sin(2 * np.pi * 0.5 * t)])
    r = A * FY / Y * u + (1 - A) * FY * z
    return np.concatenate([v, -r / 300e3 - ground, (v - z * max(v @ z, 0)) / Y])


def slide(t, s):
    x, w, vx, vw, z = s
    n = max(981e3 - 200e6 * w, 0)
    mu = 0.08 - 0.05 * np.exp(-50 * abs(vx))
    ground = 3 * np.sin(2 * np.pi * 0.7 * t), 4 * np.sin(2 * np.pi * 3 * t)
    r = n / 2 * x + mu * n * z
    return [vx, vw, -r / 1e5 - ground[0], (-(981e3 - n) - 3e5 * vw) / 1e5 - ground[1], (vx - z * max(vx * z, 0)) / 1e-3 if n > 0 else 0]


def solved(f, n, end, step):
    t = np.linspace(0, end, round(end / step) + 1)
    return solve_ivp(f, (0, end), np.zeros(n), "DOP853", t, rtol=1e-10, atol=1e-13, max_step=1e-3).y


y = solved(lead, 6, 10, 1e-3)
print("ground: final x, y", y[0, -1], y[1, -1], "peaks", abs(y[0]).max(), abs(y[1]).max())
y = solved(slide, 5, 6, 5e-4)
print("vertical: final x, z", y[0, -1], y[1, -1], "peaks", abs(y[0]).max(), abs(y[1]).max())
