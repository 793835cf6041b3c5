#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An independent solution: the portal assembled by numpy, its rotations condensed, the brace as a force along the unit vector of
its chord, by Runge-Kutta's method of order 4 with 40 steps per step of the case. Prints the numbers of expected.json."""
import numpy as np

E, COLUMN, BEAM = 210e9, (64.3e-4, 3692e-8), (53.8e-4, 8356e-8)


def frame(node, member, fixed):
    """Stiffness over x and y of the free nodes, rotations condensed; directions of the nodes: x, y."""
    names = [n for n in node if n not in fixed]
    number = {(n, d): 3 * i + d for i, n in enumerate(names) for d in range(3)}
    K = np.zeros((3 * len(names),) * 2)
    for a, b, (A, I) in member:
        X = np.subtract(node[b], node[a])
        L = np.hypot(*X)
        c, s = X / L
        stretch = np.array([-c, -s, 0, c, s, 0])
        across = np.array([s, -c, 0, -s, c, 0]) / L
        turn = [across * -1 + np.eye(6)[2], across * -1 + np.eye(6)[5]]
        k = E * A / L * np.outer(stretch, stretch)
        for i in range(2):
            for j in range(2):
                k += E * I / L * (4 if i == j else 2) * np.outer(turn[i], turn[j])
        at = [number.get((n, d)) for n in (a, b) for d in range(3)]
        for i in range(6):
            for j in range(6):
                if at[i] is not None and at[j] is not None:
                    K[at[i], at[j]] += k[i, j]
    move = [number[n, d] for n in names for d in range(2)]
    turn = [number[n, 2] for n in names]
    Kr = K[np.ix_(move, move)] - K[np.ix_(move, turn)] @ np.linalg.solve(K[np.ix_(turn, turn)], K[np.ix_(turn, move)])
    return names, Kr


def row(node, names, a, b):
    X = np.subtract(node[b], node[a])
    out = np.zeros(2 * len(names))
    for n, sign in ((a, -1), (b, 1)):
        if n in names:
            out[2 * names.index(n):2 * names.index(n) + 2] += sign * X / np.hypot(*X)
    return out


def solve(K, M, rows, force, states, h, end, every):
    """force(q, v, s): forces along the rows and rates of the states."""
    C = 0.2 * M + 0.2e-3 * K
    iota = np.tile([1.0, 0.0], len(K) // 2)
    y = np.zeros(2 * len(K) + states)
    n = len(K)

    def f(t, y):
        u, v, s = y[:n], y[n:2 * n], y[2 * n:]
        r, g = force(rows @ u, rows @ v, s)
        a = np.linalg.solve(M, -C @ v - K @ u - rows.T @ r) - 3 * np.sin(3 * np.pi * t) * iota
        return np.concatenate([v, a, g])

    out = []
    for i in range(round(end / h)):
        t = i * h
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if (i + 1) % every == 0:
            out.append(y.copy())
    return np.array(out)


def brb(q, v, s):
    p, mu = s
    r = 60e6 * (q[0] - p)
    B = r - 1.2e6 * p
    first, last = (150e3, 190e3) if B > 0 else (160e3, 210e3)
    F = last - (last - first) * np.exp(-mu / 0.05)
    rate = v[0] * (abs(B) / F) ** 2 if B * v[0] > 0 else 0.0
    return np.array([r]), np.array([rate, abs(rate)])


def damper(q, v, s):
    return 1.5e5 * (v * v + 1e-6) ** -0.3 * v, np.zeros(0)


node = {"a": (0, 0), "b": (0, 3), "c": (4, 3), "d": (4, 0)}
names, K = frame(node, [("a", "b", COLUMN), ("d", "c", COLUMN), ("b", "c", BEAM)], "ad")
b = row(node, names, "a", "c")
y = solve(K, 25e3 * np.eye(4), b[None, :], brb, 2, 5e-5, 4, 40)
print("frequency", np.sqrt(np.linalg.eigvalsh(K / 25e3 + 60e6 / 25e3 * np.outer(b, b))) / 2 / np.pi)
print("frame: peak, final c.x", abs(y[:, 2]).max(), y[-1, 2], "peak q", abs(y[:, :4] @ b).max())
node["m"] = (2, 3)
names, K = frame(node, [("a", "b", COLUMN), ("d", "c", COLUMN), ("b", "m", BEAM), ("m", "c", BEAM)], "ad")
rows = np.array([row(node, names, "a", "m"), row(node, names, "d", "m")])
M = np.diag(np.repeat([12.5e3 if n != "m" else 25e3 for n in names], 2))
y = solve(K, M, rows, damper, 0, 2.5e-5, 6, 40)
at = 2 * names.index("m")
print("chevron: peak, final m.x", abs(y[:, at]).max(), y[-1, at], "peak q", abs(y[:, :len(K)] @ rows[0]).max())
