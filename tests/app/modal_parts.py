# SPDX-License-Identifier: MIT
"""Damping ratios of the lowest modes from the files of `interfield matrices`: Z is M phi with factors, so that phi = M^-1 Z (conjugate
gradients) needs no eigenvalue problem. Frequencies against those of `interfield modes`."""
import json
import sys

import numpy as np


def read(name):
    with open("large/" + name) as f:
        symmetric = "symmetric" in f.readline()
        words = np.loadtxt(f, comments="%")
    size, (i, j, x) = words[0].astype(int), words[1:].T
    i, j = i.astype(int) - 1, j.astype(int) - 1
    off = (i != j) & symmetric
    return size, np.r_[i, j[off]], np.r_[j, i[off]], np.r_[x, x[off]]


def times(A, u):
    return np.bincount(A[1], A[3] * u[A[2]], A[0][0])


def solve(A, b):
    """Conjugate gradients, scaled by the diagonal."""
    scale = np.bincount(A[1], A[3] * (A[1] == A[2]), len(b)) ** -0.5
    x, r = np.zeros(len(b)), scale * b
    p, rho = r, r @ r
    for _ in range(2000):
        q = scale * times(A, scale * p)
        alpha = rho / (p @ q)
        x, r = x + alpha * p, r - alpha * q
        rho, before = r @ r, rho
        if rho < 1e-28 * (b * scale @ (b * scale)):
            break
        p = r + rho / before * p
    return scale * x


M, K, C, Z = read("M.mtx"), read("K.mtx"), read("C-sparse.mtx"), read("C-modal.mtx")
dense = np.zeros(Z[0][:2])
dense[Z[1], Z[2]] = Z[3]
expected = [mode["frequency"] for mode in json.load(open("modes.json"))["modes"]]
found = []
for z in dense.T:
    phi = solve(M, z)
    mass = phi @ times(M, phi)
    omega = np.sqrt(phi @ times(K, phi) / mass)
    found.append((omega / (2 * np.pi), (phi @ times(C, phi) + np.sum((dense.T @ phi) ** 2)) / mass / (2 * omega)))
print(found, expected)
right = len(found) >= 3
for frequency, ratio in found:
    k = int(np.argmin(np.abs(np.array(expected) - frequency)))
    right = right and abs(frequency / expected[k] - 1) < 1e-8 and abs(ratio - (0.05, 0.04, 0.03, 0.02)[k]) < 1e-8
sys.exit(not right)
