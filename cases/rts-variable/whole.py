#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The two masses of stop.yaml in one piece, by the classical Runge-Kutta method: what expected.json compares with."""
from math import cos, sin

GAP = 0.015


def between(q, v):
    contact = q - GAP if q > GAP else q + GAP if q < -GAP else 0
    return 40 * q + 0.5 * v + 20e3 * contact


def rate(t, z):
    x, y, u, v = z
    f = between(y - x, v - u)
    return u, v, (200 * (0.01 * cos(6 * t) - x) + 2 * (-0.06 * sin(6 * t) - u) + f) / 10, -f / 2


def solve(end, h):
    z = (0, 0, 0, 0)
    for i in range(round(end / h)):
        a = rate(i * h, z)
        b = rate((i + 0.5) * h, [p + h / 2 * q for p, q in zip(z, a)])
        c = rate((i + 0.5) * h, [p + h / 2 * q for p, q in zip(z, b)])
        d = rate((i + 1) * h, [p + h * q for p, q in zip(z, c)])
        z = [p + h / 6 * (k + 2 * l + 2 * m + n) for p, k, l, m, n in zip(z, a, b, c, d)]
    return z


print("10 s: x %.12g, y %.12g, x' %.12g, y' %.12g" % tuple(solve(10, 1e-5)))
