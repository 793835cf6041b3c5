#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Independent solution of `building` and `roller` with numpy. The members are assembled here; the constraints are used as the null
space of their matrix, which knows neither slaves nor masters; the response to the sines of the ground is a matrix exponential.
Use: python3 floors.py"""
import numpy as np
from scipy.linalg import eigh, expm, null_space


def member(xa, xb, E, G, A, Iy, Iz, J, rho, up):
    """Stiffness and consistent mass of a member in global directions: x, y, z, rx, ry, rz of both ends."""
    L = np.linalg.norm(xb - xa)
    e1 = (xb - xa) / L
    e2 = up - (up @ e1) * e1
    e2 /= np.linalg.norm(e2)
    R = np.kron(np.eye(4), np.array([e1, e2, np.cross(e1, e2)]))
    k, m = np.zeros((12, 12)), np.zeros((12, 12))
    bar = lambda a, d, o, i: a.__setitem__((np.ix_([i, i + 6], [i, i + 6])), [[d, o], [o, d]])
    bar(k, E * A / L, -E * A / L, 0)
    bar(k, G * J / L, -G * J / L, 3)
    bar(m, rho * A * L / 3, rho * A * L / 6, 0)
    bar(m, rho * (Iy + Iz) * L / 3, rho * (Iy + Iz) * L / 6, 3)
    for d, r, s, I in ((1, 5, 1, Iz), (2, 4, -1, Iy)):
        at, l = np.ix_([d, r, d + 6, r + 6], [d, r, d + 6, r + 6]), s * L
        k[at] = E * I / L**3 * np.array([[12, 6 * l, -12, 6 * l], [6 * l, 4 * L * L, -6 * l, 2 * L * L],
                                         [-12, -6 * l, 12, -6 * l], [6 * l, 2 * L * L, -6 * l, 4 * L * L]])
        m[at] = rho * A * L / 420 * np.array([[156, 22 * l, 54, -13 * l], [22 * l, 4 * L * L, 13 * l, -3 * L * L],
                                              [54, 13 * l, 156, -22 * l], [-13 * l, -3 * L * L, -22 * l, 4 * L * L]])
    return R.T @ k @ R, R.T @ m @ R


def response(M, C, K, p, sines, h, end):
    """Displacements at each step: states u, v and sin, cos of every frequency; p: a load per sine, sines: (amplitude, Hz)."""
    n, s = len(M), len(sines)
    A = np.zeros((2 * n + 2 * s, 2 * n + 2 * s))
    A[:n, n:2 * n] = np.eye(n)
    A[n:2 * n, :n], A[n:2 * n, n:2 * n] = -np.linalg.solve(M, K), -np.linalg.solve(M, C)
    y = np.zeros(2 * n + 2 * s)
    for i, (a, f) in enumerate(sines):
        j = 2 * n + 2 * i
        A[n:2 * n, j] = a * np.linalg.solve(M, p[i])
        A[j, j + 1], A[j + 1, j], y[j + 1] = 2 * np.pi * f, -2 * np.pi * f, 1.0
    step, out = expm(A * h), [y[:n]]
    for _ in range(round(end / h)):
        y = step @ y
        out.append(y[:n])
    return np.array(out)


def building():
    E, G = 30e9, 30e9 / 2.4
    column = (E, G, 0.16, 0.4**4 / 12, 0.4**4 / 12, 0.00360533333, 0.0)
    beam = (E, G, 0.15, 0.5 * 0.3**3 / 12, 0.3 * 0.5**3 / 12, 0.0028173708, 0.0)
    x = np.array([[6.0 * i, 5.0 * j, z] for z in (0, 4, 7) for j in (0, 1) for i in (0, 1)])
    K = np.zeros((6 * 14, 6 * 14))

    def add(a, b, of, up):
        at = np.r_[6 * a:6 * a + 6, 6 * b:6 * b + 6]
        K[np.ix_(at, at)] += member(x[a], x[b], *of, np.array(up, float))[0]

    for s in (1, 2):
        for i in range(4):
            add(4 * s - 4 + i, 4 * s + i, column, [1, 0, 0])
        for a, b in ((0, 1), (2, 3), (0, 2), (1, 3)):
            add(4 * s + a, 4 * s + b, beam, [0, 0, 1])
    M = np.zeros_like(K)
    G_rows = [np.eye(84)[i] for i in list(range(24)) + [72 + d for d in (2, 3, 4)] + [78 + d for d in (2, 3, 4)]]
    for s, mass in ((1, 60e3), (2, 50e3)):  # floors are nodes 12 and 13
        f, centre = 6 * (11 + s), np.array([3.5, 2.8])
        M[f, f] = M[f + 1, f + 1] = mass
        M[f + 5, f + 5] = mass * (36 + 25) / 12
        for i in range(4 * s, 4 * s + 4):
            r, u = x[i, :2] - centre, 6 * i
            for d, lever in ((0, -r[1]), (1, r[0]), (5, 0.0)):
                row = np.zeros(84)
                row[u + d], row[f + d] = 1.0, -1.0
                row[f + 5] -= lever
                G_rows.append(row)
    N = null_space(np.array(G_rows))
    # the motions without mass follow statically
    w, V = np.linalg.eigh(N.T @ M @ N)
    heavy, light = V[:, w > 1.0], V[:, w <= 1.0]
    k = N.T @ K @ N
    T = N @ (heavy - light @ np.linalg.solve(light.T @ k @ light, light.T @ k @ heavy))
    Mz, Kz = T.T @ M @ T, T.T @ K @ T
    print("building, Hz:", *("%.9g" % f for f in np.sqrt(eigh(Kz, Mz, eigvals_only=True)) / 2 / np.pi))
    p = [-T.T @ M @ np.tile(np.eye(6)[d], 14) for d in (0, 1)]
    u = response(Mz, 0.3 * Mz + 0.5e-3 * Kz, Kz, p, ((2.0, 2.0), (1.0, 3.0)), 2e-3, 6.0) @ T.T
    for name, dof in (("floor2.x", 78), ("floor2.y", 79), ("floor2.rz", 83), ("s2x2y2.x", 66)):
        print("building, peak and final %s: %.10g %.10g" % (name, abs(u[:, dof]).max(), u[-1, dof]))


def roller():
    x = np.array([[0.0, 0, 0], [2, 0, 0], [4, 0, 0]])
    K, M = np.zeros((18, 18)), np.zeros((18, 18))
    for a in (0, 1):
        k, m = member(x[a], x[a + 1], 210e9, 80e9, 53.8e-4, 8356e-8, 8356e-8, 1e-4, 7850.0, np.array([0.0, 1, 0]))
        K[6 * a:6 * a + 12, 6 * a:6 * a + 12] += k
        M[6 * a:6 * a + 12, 6 * a:6 * a + 12] += m
    rows = [np.eye(18)[6 * i + d] for i in range(3) for d in (2, 3, 4)] + [np.eye(18)[0], np.eye(18)[1]]
    slope = np.zeros(18)
    slope[13], slope[12] = 1.0, -np.tan(np.pi / 6)
    T = null_space(np.array(rows + [slope]))
    Mz, Kz = T.T @ M @ T, T.T @ K @ T
    print("roller, Hz:", *("%.9g" % f for f in np.sqrt(eigh(Kz, Mz, eigvals_only=True))[:3] / 2 / np.pi))
    p = [-T.T @ M @ np.tile([0.0, 1, 0, 0, 0, 0], 3)]
    u = response(Mz, 0.05e-3 * Kz, Kz, p, ((5.0, 20.0),), 2e-4, 0.2) @ T.T
    for name, dof in (("m.y", 7), ("d.x", 12), ("d.y", 13)):
        print("roller, peak and final %s: %.10g %.10g" % (name, abs(u[:, dof]).max(), u[-1, dof]))


building()
roller()
