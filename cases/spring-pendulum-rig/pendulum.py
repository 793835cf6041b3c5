# SPDX-License-Identifier: MIT
"""Spring pendulum below a mass on a Bouc-Wen spring: plain fourth-order Runge-Kutta, for the numbers of expected.json.

    python3 pendulum.py
"""
from math import cos, pi, sin

M, C, K, BETA, GAMMA = 11.0, 90.0, 1000.0, 55.0, 45.0
m, L, k, b, g = 0.34, 0.167, 400.0, 1.4, 9.81


def solve3(a, r):
    for i in range(3):
        for j in range(i + 1, 3):
            f = a[j][i] / a[i][i]
            a[j] = [p - f * q for p, q in zip(a[j], a[i])]
            r[j] -= f * r[i]
    x = [0.0] * 3
    for i in (2, 1, 0):
        x[i] = (r[i] - sum(a[i][j] * x[j] for j in range(i + 1, 3))) / a[i][i]
    return x


def rates(t, y):
    x, th, e, v, w, s, z = y
    n, c, l = sin(th), cos(th), L + e
    # of x + l sin(theta) and l cos(theta)
    push = 20.0 * sin(2 * pi * 1.2 * t) - C * v - K * z - m * (2 * s * w * c - l * w * w * n)
    a = [[M + m, m * l * c, m * n], [m * l * c, m * l * l, 0.0], [m * n, 0.0, m]]
    r = [push, -2 * m * l * s * w - m * g * l * n, m * l * w * w - b * s - k * e + m * g * c]
    return [v, w, s] + solve3(a, r) + [v - BETA * abs(v) * z - GAMMA * v * abs(z)]


def main(h=2e-4, end=10.0):
    y = [0.0, 0.0, 8.3385e-3, 0.0, 0.0, 0.0, 0.0]
    peak = [abs(u) for u in y[:3]]
    for i in range(round(end / h)):
        t = i * h
        k1 = rates(t, y)
        k2 = rates(t + h / 2, [p + h / 2 * q for p, q in zip(y, k1)])
        k3 = rates(t + h / 2, [p + h / 2 * q for p, q in zip(y, k2)])
        k4 = rates(t + h, [p + h * q for p, q in zip(y, k3)])
        y = [p + h / 6 * (q1 + 2 * q2 + 2 * q3 + q4) for p, q1, q2, q3, q4 in zip(y, k1, k2, k3, k4)]
        peak = [max(p, abs(u)) for p, u in zip(peak, y)]
    print("final", y[:3], "peak", peak)


main()
