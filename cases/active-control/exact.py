#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The exact solutions of the cases of this folder: each is a linear system z' = A z with the load as two further states, and
z(t) = exp(A t) z(0). Prints the final displacements and the closed forms of the table."""
from cmath import pi
from math import sqrt

M, C, K, STATIC, P, W, END = 1000, 120, 40000, 400, 200, 2 * pi, 20
LAWS = {  # name: (what it reads, numerator, denominator) of f = H(s) y, lowest power first
    "uncontrolled": ("x", [0], [1]),
    "block": ("v", [-800 * 60], [60, 1]),
    "pid": ("x", None, None),
    "high-pass": ("x", [0, -20000], [2 * pi * 0.3, 1]),
    "washout": ("v", [0, -800 * 2], [1, 2]),
    "lead-lag": ("x", [-1000, -1000 * 0.8], [1, 0.01]),
}
KP, KI, KD, T = 2000, 10000, 800, 0.005


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def exponential(a, t):
    """exp(a t) by scaling and squaring of a Taylor series."""
    n, halvings = len(a), 24
    h = t / 2 ** halvings
    term = out = [[float(i == j) for j in range(n)] for i in range(n)]
    for k in range(1, 12):
        term = [[h / k * x for x in row] for row in product(term, a)]
        out = [[x + y for x, y in zip(r, s)] for r, s in zip(out, term)]
    for _ in range(halvings):
        out = product(out, out)
    return out


def final(name):
    """States: x, v, sin, cos, 1, and those of the law."""
    reads, num, den = LAWS[name]
    rate = [[0, 1, 0, 0, 0], [-K / M, -C / M, P / M, 0, STATIC / M], [0, 0, 0, W, 0], [0, 0, -W, 0, 0], [0] * 5]
    if name == "pid":  # integral of -x, filtered x
        rate = [row + [0, 0] for row in rate]
        rate[1][0] += (-KP - KD / T) / M
        rate[1][5], rate[1][6] = KI / M, KD / T / M
        rate += [[-1, 0, 0, 0, 0, 0, 0], [1 / T, 0, 0, 0, 0, 0, -1 / T]]
    elif len(den) == 2:  # f = d y + c w, w' = y - (den0/den1) w
        d = (num[1] if len(num) == 2 else 0) / den[1]
        c = (num[0] - d * den[0]) / den[1]
        at = 0 if reads == "x" else 1
        rate = [row + [0] for row in rate]
        rate[1][at] += d / M
        rate[1][5] = c / M
        rate.append([1 if i == at else 0 for i in range(5)] + [-den[0] / den[1]])
    z = exponential(rate, END)
    return z[0][3] + z[0][4]


def response(name, s):
    """Displacement per unit force at the complex frequency s."""
    reads, num, den = LAWS[name]
    if name == "pid":
        if s == 0:
            return 0
        h = -(KP + KI / s + KD * s / (1 + T * s))
    else:
        h = sum(k * s ** i for i, k in enumerate(num)) / sum(k * s ** i for i, k in enumerate(den))
        h *= s if reads == "v" else 1
    return 1 / (M * s * s + C * s + K - h)


for law in LAWS:
    print("%-12s static %8.4f mm, amplitude %8.4f mm; x(20 s) = %.12g m"
          % (law, 1e3 * STATIC * abs(response(law, 0)), 1e3 * P * abs(response(law, 1j * W)), final(law)))
