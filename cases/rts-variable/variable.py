#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The variable step of coupling rts, written a second time: two masses on a shaken support, the upper one with a fast decaying
motion. Leader and follower are integrated by classical Runge-Kutta steps of 1/64 of a step. Prints what tests/couple/test_rts_variable.c
expects."""
from math import cos, sin

M1, M2, K1, K2, C1, C2, A, W = 10, 0.1, 200, 1000, 2, 1, 0.01, 6
PARTS = 64


def runge_kutta(rate, t, h, z):
    d = h / PARTS
    for i in range(PARTS):
        s = t + i * d
        a = rate(s, z)
        b = rate(s + d / 2, [p + d / 2 * q for p, q in zip(z, a)])
        c = rate(s + d / 2, [p + d / 2 * q for p, q in zip(z, b)])
        e = rate(s + d, [p + d * q for p, q in zip(z, c)])
        z = [p + d / 6 * (k + 2 * l + 2 * m + n) for p, k, l, m, n in zip(z, a, b, c, e)]
    return z


def polynomial(times, values):
    def at(t):
        total = 0
        for i, (s, v) in enumerate(zip(times, values)):
            for k, r in enumerate(times):
                v *= 1 if k == i else (t - r) / (s - r)
            total += v
        return total
    return at


def below(t, x, v):
    return K1 * (A * cos(W * t) - x) + C1 * (-A * W * sin(W * t) - v)


def quintic(t0, h, start, end):
    """x and x' of the motion with given displacement, velocity and acceleration at both ends."""
    (x0, v0, a0), (x1, v1, a1) = start, end
    c = [x0, v0 * h, a0 * h * h / 2]
    d, e, f = x1 - sum(c), v1 * h - c[1] - 2 * c[2], a1 * h * h - 2 * c[2]
    c += [10 * d - 4 * e + f / 2, -15 * d + 7 * e - f, 6 * d - 3 * e + f / 2]

    def at(t):
        s = (t - t0) / h
        return sum(k * s ** i for i, k in enumerate(c)), sum(i * k * s ** (i - 1) for i, k in enumerate(c) if i) / h
    return at


def one_step(t, h, G, lower, upper):
    """Both substructures over one step under the force G(t) on the lower one; their states and the reaction at its end."""
    accelerate = lambda s, z: (below(s, z[0], z[1]) + G(s)) / M1
    new = runge_kutta(lambda s, z: (z[1], accelerate(s, z)), t, h, lower)
    base = quintic(t, h, (*lower, accelerate(t, lower)), (*new, accelerate(t + h, new)))

    def rate(s, z):
        x, v = base(s)
        return z[1], (K2 * (x - z[0]) + C2 * (v - z[1])) / M2
    moved = runge_kutta(rate, t, h, upper)
    return new, moved, K2 * (moved[0] - new[0]) + C2 * (moved[1] - new[1])


def whole(t, z):
    x, u, y, v = z
    g = K2 * (y - x) + C2 * (v - u)
    return u, (below(t, x, u) + g) / M1, v, -g / M2


def solve(h, end, ahead, tolerance, halvings):
    times, forces, z = [0], [0], (0, 0, 0, 0)
    for i in range(3):  # the start: its converged iteration is the solution of the whole
        z = runge_kutta(whole, i * h, h, z)
        times.append((i + 1) * h)
        forces.append(K2 * (z[2] - z[0]) + C2 * (z[3] - z[1]))
    lower, upper, largest = list(z[:2]), list(z[2:]), 0
    k, blocks, rejected, exceeded, most, unit = 0, 0, 0, 0, 0, 2 ** halvings
    for i in range(3, round(end / h)):
        at = 0
        while at < unit:
            length, t = unit >> k, i * h + h * at / unit
            step, G = h / 2 ** k / ahead, polynomial(times[-4:], forces[-4:])
            trial, error, big = [lower, upper, [], []], 0, largest
            for j in range(ahead):
                trial[0], trial[1], f = one_step(t + j * step, step, G, trial[0], trial[1])
                trial[2].append(t + (j + 1) * step)
                trial[3].append(f)
                big = max(big, abs(f))
                error = max(error, abs(f - G(t + (j + 1) * step)) / (tolerance * big))
            if error > 1 and k < halvings:
                k, rejected = k + 1, rejected + 1
                continue
            lower, upper, largest = trial[0], trial[1], big
            times, forces = times + trial[2], forces + trial[3]
            at, blocks, exceeded, most = at + length, blocks + 1, exceeded + (error > 1), max(most, k)
            if k > 0 and error < 1 / 32 and at % (2 * length) == 0:
                k -= 1
    return lower, upper, blocks, rejected, exceeded, h / 2 ** most / ahead


for ahead in 1, 3:
    lower, upper, blocks, rejected, exceeded, shortest = solve(0.02, 3, ahead, 1e-3, 6)
    print("ahead %d: x %.12g, x' %.12g, y %.12g, y' %.12g; blocks %d, rejected %d, exceeded %d, shortest %.12g s"
          % (ahead, *lower, *upper, blocks, rejected, exceeded, shortest))
z = (0, 0, 0, 0)
for i in range(150):
    z = runge_kutta(whole, i * 0.02, 0.02, z)
print("the whole: x %.12g, x' %.12g, y %.12g, y' %.12g" % (z[0], z[1], z[2], z[3]))
