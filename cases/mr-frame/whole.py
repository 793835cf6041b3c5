# SPDX-License-Identifier: MIT
"""Independent solutions of whole.yaml and, with an argument, of controlled.yaml without interfield: the classical Runge-Kutta method, 10 us, plain Python."""
import math
import sys

M = 2500.0
C = [[900.0, -250.0, 0.0], [-250.0, 500.0, -250.0], [0.0, -250.0, 250.0]]
K = [[4e5, -2e5, 0.0], [-2e5, 4e5, -2e5], [0.0, -2e5, 2e5]]


def ground(t):
    return 0.6 * math.sin(2 * math.pi * t) + 0.3 * math.sin(2 * math.pi * 2.3 * t)


CONTROLLED = len(sys.argv) > 1
CUTOFF = 2 * math.pi * 10


def voltage(filtered):
    return min(max(30 * filtered, 0.0), 2.25) if CONTROLLED else 1.5


def damper(q, v, y, z, w, filtered):
    alpha, c0, c1 = 14000 + 69500 * w, 2100 + 350 * w, 28300 + 295 * w
    rate = (alpha * z + c0 * v + 4690 * (q - y)) / (c0 + c1)
    u = v - rate
    dz = 301 * u - 3.63e6 * abs(u) * abs(z) * z - 3.63e6 * u * z * z
    return c1 * rate + 500 * q, rate, dz, -190 * (w - voltage(filtered))


def slope(t, s):
    x, v = s[0:3], s[3:6]
    r, dy, dz, dw = damper(x[0], v[0], *s[6:10])
    a = []
    for i in range(3):
        f = -sum(K[i][j] * x[j] + C[i][j] * v[j] for j in range(3)) - (r if i == 0 else 0.0)
        a.append(f / M - ground(t))
    return v + a + [dy, dz, dw, CUTOFF * (v[0] - s[9])]


def step(t, h, s):
    k1 = slope(t, s)
    k2 = slope(t + h / 2, [a + h / 2 * b for a, b in zip(s, k1)])
    k3 = slope(t + h / 2, [a + h / 2 * b for a, b in zip(s, k2)])
    k4 = slope(t + h, [a + h * b for a, b in zip(s, k3)])
    return [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(s, k1, k2, k3, k4)]


h, n = 1e-5, 600000
s = [0.0] * 10
peak, force = [0.0] * 3, 0.0
for i in range(n):
    s = step(i * h, h, s)
    peak = [max(p, abs(x)) for p, x in zip(peak, s[0:3])]
    force = max(force, abs(damper(s[0], s[3], *s[6:10])[0]))
print("peaks   x1 %.10g  x2 %.10g  x3 %.10g  force %.10g" % (peak[0], peak[1], peak[2], force))
print("final   x1 %.10g  x2 %.10g  x3 %.10g" % (s[0], s[1], s[2]))
