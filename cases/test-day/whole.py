#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The numbers of expected.json: Runge-Kutta of fourth order for the equations of the README, without code of the program.

    ./whole.py [STEP]       the time step in s, 1e-5 when not given
"""
import math
import sys

M = 4000.0
K = ((2.4e6, -1.2e6), (-1.2e6, 1.2e6))
C = ((9.0e3, -3.0e3), (-3.0e3, 6.0e3))
STIFFNESS, YIELD, RATIO = 4e5, 6e-3, 0.2  # of the device
PULL = 6e3


def device(u, plastic):
    return RATIO * STIFFNESS * u + (1 - RATIO) * STIFFNESS * (u - plastic)


def plastic_after(u, plastic):
    return min(max(plastic, u - YIELD), u + YIELD)


def rates(t, s, plastic):
    x1, x2, v1, v2 = s
    g = 2 * math.sin(2 * math.pi * 1.5 * t)
    f = (device(x1, plastic_after(x1, plastic)), -PULL)
    a = [-(K[i][0] * x1 + K[i][1] * x2 + C[i][0] * v1 + C[i][1] * v2 + f[i]) / M - g for i in (0, 1)]
    return v1, v2, a[0], a[1]


def solve(h, preload):
    static = PULL / (K[0][0] + K[0][1] + STIFFNESS) if preload else 0.0
    s, plastic = [static, static + PULL / -K[0][1] if preload else 0.0, 0.0, 0.0], 0.0
    peak = [abs(s[0]), abs(s[1])]
    steps = round(1.6 / h)
    for n in range(steps):
        t = n * h
        k1 = rates(t, s, plastic)
        k2 = rates(t + h / 2, [a + h / 2 * b for a, b in zip(s, k1)], plastic)
        k3 = rates(t + h / 2, [a + h / 2 * b for a, b in zip(s, k2)], plastic)
        k4 = rates(t + h, [a + h * b for a, b in zip(s, k3)], plastic)
        s = [a + h / 6 * (p + 2 * q + 2 * r + w) for a, p, q, r, w in zip(s, k1, k2, k3, k4)]
        plastic = plastic_after(s[0], plastic)
        peak = [max(p, abs(x)) for p, x in zip(peak, s)]
    return peak, s[:2]


if __name__ == "__main__":
    step = float(sys.argv[1]) if len(sys.argv) > 1 else 1e-5
    for name, preload in (("frame", True), ("slow", False)):
        peak, final = solve(step, preload)
        print(f"{name}: peak x1 {peak[0]!r} x2 {peak[1]!r} m, final x1 {final[0]!r} x2 {final[1]!r} m")
