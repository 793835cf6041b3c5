# SPDX-License-Identifier: MIT
"""Independent solution of `degrading` and `brace` of `cyclic`: classical Runge-Kutta steps of 20 us along the straight parts of the motion,
without code of the program."""
from math import copysign, exp

TURNS = [0, 0.005, 0.02, 0.012, 0.016, 0.03, 0, -0.01, -0.025, -0.02, -0.04, 0, 0.01, 0.04, 0.02, -0.02, 0.05, 0]


def degrading(q, v, s):
    z, e = s
    nu, eta, side = 1 + 0.01 * e, 1 + 0.02 * e, copysign(1, v)
    z1 = 0.9 * (1 - exp(-0.8 * e))
    z2 = (0.002 + 2e-5 * e) * (0.2 + z1)
    x = z * side - 0.1 * (nu * 1000) ** (-1 / 1.5)
    bend = 600 * abs(v) * abs(z) ** 0.5 * z + 400 * v * abs(z) ** 1.5
    slip = 1 - z1 * exp(-(x / z2) ** 2)
    return slip * (v - nu * bend) / eta, 0.96 * 4e6 * z * v / 400


def brace(q, v, s):
    p, mu = s
    b = 1.5e8 * (q - p) - 2.5e6 * p
    first, end = (4.5e5, 5.5e5) if v >= 0 else (4.5e5, 6.2e5)
    f = end - (end - first) * exp(-mu / 0.05)
    rate = v * (b / f) ** 2 if b * v > 0 else 0
    return rate, abs(rate)


def solved(rates, force):
    s, h, n, work = [0.0, 0.0], 2e-5, 50000, 0.0
    for a, b in zip(TURNS, TURNS[1:]):
        v = b - a
        for i in range(n):
            q = a + v * i * h
            before = force(q, s)
            k1 = rates(q, v, s)
            k2 = rates(q + v * h / 2, v, [x + h / 2 * k for x, k in zip(s, k1)])
            k3 = rates(q + v * h / 2, v, [x + h / 2 * k for x, k in zip(s, k2)])
            k4 = rates(q + v * h, v, [x + h * k for x, k in zip(s, k3)])
            s = [x + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4) for x, a1, a2, a3, a4 in zip(s, k1, k2, k3, k4)]
            work += 0.5 * (before + force(q + v * h, s)) * v * h
    return force(0, s), work


print("degrading: final force and work", solved(degrading, lambda q, s: 0.04 * 4e6 * q + 0.96 * 4e6 * s[0]))
print("brace: final force and work", solved(brace, lambda q, s: 1.5e8 * (q - s[0])))
