#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The two masses of figures 9 to 13 in one piece, by the classical Runge-Kutta method: what expected.json compares with."""
from math import cos, sin

FIGURES = {9: (5, 200, 100), 10: (3.333333333333333, 300, 100), 11: (1, 1000, 100), 12: (1, 1000, 156.25), 13: (0.1, 1000, 10)}
M1, C1, C2, A, W = 10, 0.05, 0.06, 0.01, 6


def rate(t, z, m2, k1, k2):
    x, y, u, v = z
    between = k2 * (y - x) + C2 * (v - u)
    below = k1 * (A * cos(W * t) - x) + C1 * (-A * W * sin(W * t) - u)
    return u, v, (below + between) / M1, -between / m2


def solve(end, h, *system):
    z = (0, 0, 0, 0)
    for i in range(round(end / h)):
        a = rate(i * h, z, *system)
        b = rate((i + 0.5) * h, [p + h / 2 * q for p, q in zip(z, a)], *system)
        c = rate((i + 0.5) * h, [p + h / 2 * q for p, q in zip(z, b)], *system)
        d = rate((i + 1) * h, [p + h * q for p, q in zip(z, c)], *system)
        z = [p + h / 6 * (k + 2 * l + 2 * m + n) for p, k, l, m, n in zip(z, a, b, c, d)]
    return z


for figure, system in FIGURES.items():
    print("figure %d at 10 s: x %.12g, y %.12g, x' %.12g, y' %.12g" % (figure, *solve(10, 2e-4, *system)))
