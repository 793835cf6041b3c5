#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A matched motion, judged by numpy alone: matched.py ORIGINAL MATCHED TARGET FROM TO TOLERANCE FACTOR.

Pseudo-accelerations under an acceleration that is linear between samples, exact, at 100 periods, against the target (linear in
the logarithms of both); and the drift that the matching adds: velocity and displacement at the end.
"""
import sys

import numpy as np


def columns(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, unpack=True)


def psa(t, a, period, damping=0.05):
    """Of all periods: the response to straight pieces in closed form, free motion about the particular solution of each piece."""
    w = 2 * np.pi / period[:, None]
    wd = w * np.sqrt(1 - damping**2)
    dt = t[1] - t[0]
    s = np.linspace(0, dt, max(2, int(np.ceil(40 * dt / period.min())) + 1))[None, 1:]
    decay, cos, sin = np.exp(-damping * w * s), np.cos(wd * s), np.sin(wd * s)
    last = slice(-1, None)
    u, v, peak = np.zeros_like(w), np.zeros_like(w), np.zeros_like(w)
    for a0, a1 in zip(a[:-1], a[1:]):
        # A + B s solves u'' + 2 z w u' + w^2 u = -(a0 + slope s)
        B = -(a1 - a0) / dt / w**2
        A = -(a0 + 2 * damping * w * B) / w**2
        x, y = u - A, v - B
        pieces = A + B * s + decay * (x * cos + (y + damping * w * x) / wd * sin)
        peak = np.maximum(peak, np.abs(pieces).max(axis=1, keepdims=True))
        v = B + decay[:, last] * (y * cos[:, last] - (w**2 * x + damping * w * y) / wd * sin[:, last])
        u = pieces[:, last]
    return (w**2 * peak)[:, 0]


def end(t, a):
    """Velocity and displacement at the end, of straight pieces."""
    dt = t[1] - t[0]
    v = np.concatenate([[0], np.cumsum(dt * (a[:-1] + a[1:]) / 2)])
    return v[-1], np.sum(dt * v[:-1] + dt**2 * (2 * a[:-1] + a[1:]) / 6)


def main():
    original, matched, target, *numbers = sys.argv[1:]
    first, last, tolerance, factor = map(float, numbers)
    t, a = columns(matched)
    t0, a0 = columns(original)
    period, wanted = columns(target)
    periods = np.geomspace(first, last, 100)
    goal = np.exp(np.interp(np.log(periods), np.log(period), np.log(wanted * 9.80665)))
    worst = np.abs(np.log(psa(t, a, periods) / goal)).max()
    if worst > tolerance + 3e-3:  # 1 - cos(pi / 40): points in a period at which a peak is sought
        sys.exit(f"largest misfit {worst:.4f}, expected at most {tolerance}")
    for what, is_, was in zip(("velocity", "displacement"), end(t, a), end(t0, a0)):
        if abs(is_ - factor * was) > 1e-5:  # m/s, m: 12 digits of 4001 samples in the files
            sys.exit(f"{what} at the end: {is_:.9f}, expected {factor * was:.9f}")
    print(f"worst {worst:.5f}")


main()
