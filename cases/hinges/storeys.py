#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An independent solution of two storeys with hinges: each law as a slope and a limit that the force does not cross,
the motion by leap-frog with steps of 5 us and of half of that, extrapolated. Prints the numbers of expected.json."""
import math
import sys


def sides(law):
    """A law for motion towards +, mirrored for the other direction; r = 0 divides a step."""
    def move(s, q):
        g = 1 if q > s.q else -1
        if q == s.q:
            return s.r
        if s.way and g != s.way and s.r * s.way > 0:
            s.turn(s.way)
        s.way = g
        x, y, x1 = g * s.q, g * s.r, g * q
        if y < 0:
            k = s.back(-g)
            if y + k * (x1 - x) < 0:
                s.q, s.r = q, g * (y + k * (x1 - x))
                return s.r
            x, y = x - y / k, 0
            s.point[-g] = None
        s.q, s.r = q, g * law(s, g, x, y, x1)
        return s.r
    return move


class Hinge:
    k0, fy, p, dy = 2e5, 3000, 0.05, 0.015

    def __init__(self):
        self.q = self.r = self.way = 0
        self.most = {1: self.dy, -1: self.dy}
        self.point = {1: None, -1: None}

    def backbone(self, x):
        return self.k0 * x if x < self.dy else self.fy + self.p * self.k0 * (x - self.dy)

    def turn(self, way):
        pass


class Takeda(Hinge):
    a, b = 0.4, 0.3

    def back(self, g):
        return self.k0 * (self.dy / self.most[g]) ** self.a

    def turn(self, way):
        x, y, P = way * self.q, way * self.r, self.point[way]
        if P is None or P[0] <= x:
            self.point[way] = (x, y)

    def loading(self, g, x, y, x1):
        P, ku = self.point[g], self.back(g)
        if P and P[1] > y and P[0] > x:
            if x1 < P[0]:
                return y + ku * (x1 - x)
            x, y = P
        self.point[g] = None
        T = max(self.most[g] - self.b * (self.most[g] - self.dy), self.dy)
        k = (self.backbone(T) - y) / (T - x) if T > x else math.inf
        y += min(k, ku) * (x1 - x)
        if x1 > self.dy and y >= self.backbone(x1):
            y = self.backbone(x1)
            self.most[g] = max(self.most[g], x1)
        return y

    move = sides(loading)


class Pivot(Hinge):
    al, be = 2, 0.5
    yielded = False

    def slope(self, x, y):
        """To the pivot; 100 k0 at most."""
        away = x + self.al * self.dy
        return min((y + self.al * self.fy) / away, 100 * self.k0) if away > 0 else 100 * self.k0

    def back(self, g):
        return self.slope(g * self.q, g * self.r)

    def loading(self, g, x, y, x1):
        px, py, most = self.be * self.dy, self.be * self.fy, self.most[g]
        if not self.yielded:
            y = self.backbone(x1)
        else:
            top = self.backbone(most)
            k = self.slope(x, y)
            if x < px:
                k = min(k, (py - y) / (px - x))
            limit = math.inf if x1 < px else py + (top - py) * (x1 - px) / (most - px) if x1 < most else self.backbone(x1)
            y = min(y + k * (x1 - x), limit)
        if x1 > most and y == self.backbone(x1):
            self.most[g], self.yielded = x1, True
        return y

    move = sides(loading)


class Flag:
    k1, k2, fa, b = 3e5, 1e4, 3000, 0.8

    def __init__(self):
        self.q = self.r = 0

    def move(self, q):
        x, da = abs(q), self.fa / self.k1
        low = min(self.k1 * x, (1 - self.b) * self.fa + self.k2 * (x - da))
        high = min(self.k1 * x, self.fa + self.k2 * (x - da))
        g = 1 if q > 0 else -1
        self.r = g * min(max(g * (self.r + self.k1 * (q - self.q)), low), high)
        self.q = q
        return self.r


def frame(law, h):
    m, (k1, k2), (c1, c2) = (1000, 800), (30e3, 80e3), (400, 200)
    lower, upper = law(), law()
    u, v = [0, 0], [0, 0] # v half a step behind u
    for n in range(round(6 / h) + 1):
        q2, q2d, t = u[1] - u[0], v[1] - v[0], n * h
        f1, f2 = k1 * u[0] + lower.move(u[0]), k2 * q2 + upper.move(q2)
        g = 2.5 * math.sin(2 * math.pi * 1.1 * t) + 3 * math.sin(2 * math.pi * 2.7 * t)
        F = [-f1 + f2 - m[0] * g - c1 * v[0] + c2 * q2d, -f2 - m[1] * g - c2 * q2d] # M dv/h + C (v + dv/2) = F
        A, B, D = m[0] / h + (c1 + c2) / 2, -c2 / 2, m[1] / h + c2 / 2
        det, final = A * D - B * B, list(u)
        v[0] += (D * F[0] - B * F[1]) / det
        v[1] += (A * F[1] - B * F[0]) / det
        u = [u[0] + h * v[0], u[1] + h * v[1]]
    return final


for name, law in ("takeda", Takeda), ("pivot", Pivot), ("flag", Flag):
    if sys.argv[1:] and name not in sys.argv[1:]:
        continue
    coarse, fine = frame(law, 5e-6), frame(law, 2.5e-6)
    print(name, "final %.9g %.9g m" % tuple(f + (f - c) / 3 for c, f in zip(coarse, fine)),
          "(5 us: %.9g %.9g m)" % tuple(coarse))
