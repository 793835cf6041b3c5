#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The numbers of expected.json: Runge-Kutta of fourth order for the equations of the README, without code of the program.

    ./whole.py [STEP]       the time step in s, 2e-5 when not given
"""
import math
import sys

M = (4e3, 4e3, 3e3)
K = (2e6, 2e6, 1.5e6)  # of the storeys
C = 8e3
BEARING, RATIO, YIELD = 2e6, 0.1, 2e-3
COLUMN, BRACE = 0.5e6, 0.1e6


def plastic_after(u, plastic):
    return min(max(plastic, u - YIELD), u + YIELD)


def rates(t, s, plastic):
    x, v = s[:3], s[3:]
    g = 0.5 * math.sin(2 * math.pi * 2 * t)
    drift = (x[0], x[1] - x[0], x[2] - x[1])
    rate = (v[0], v[1] - v[0], v[2] - v[1])
    storey = [k * d + C * r for k, d, r in zip(K, drift, rate)]
    bearing = RATIO * BEARING * x[0] + (1 - RATIO) * BEARING * (x[0] - plastic_after(x[0], plastic))
    column, brace = COLUMN * drift[1], BRACE * x[2]
    f = (storey[0] - storey[1] + bearing - column, storey[1] - storey[2] + column, storey[2] + brace)
    return [*v, *(-f[i] / M[i] - g for i in range(3))]


def solve(h):
    s, plastic, peak = [0.0] * 6, 0.0, [0.0] * 3
    for n in range(round(2 / h)):
        t = n * h
        k1 = rates(t, s, plastic)
        k2 = rates(t + h / 2, [a + h / 2 * b for a, b in zip(s, k1)], plastic)
        k3 = rates(t + h / 2, [a + h / 2 * b for a, b in zip(s, k2)], plastic)
        k4 = rates(t + h, [a + h * b for a, b in zip(s, k3)], plastic)
        s = [a + h / 6 * (p + 2 * q + 2 * r + w) for a, p, q, r, w in zip(s, k1, k2, k3, k4)]
        plastic = plastic_after(s[0], plastic)
        peak = [max(p, abs(x)) for p, x in zip(peak, s)]
    return peak, s[:3]


if __name__ == "__main__":
    peaks, final = solve(float(sys.argv[1]) if len(sys.argv) > 1 else 2e-5)
    print(f"peak x1 {peaks[0]!r} x2 {peaks[1]!r} x3 {peaks[2]!r} m, final x1 {final[0]!r} x3 {final[2]!r} m")
