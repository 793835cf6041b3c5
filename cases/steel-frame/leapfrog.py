#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An independent solution: Giuffre-Menegotto-Pinto steel as its papers print it, the frame by leap-frog with 200 steps
per step of the case. Prints the numbers of expected.json."""
import math


class Steel:
    def __init__(self, E, fy, b=0.01, R0=20, c1=0.925, c2=0.15, a1=0, a2=1, a3=0, a4=1):
        self.E, self.fy, self.b, self.R0, self.c1, self.c2 = E, fy, b, R0, c1, c2
        self.a1, self.a2, self.a3, self.a4, self.ey = a1, a2, a3, a4, fy / E
        self.e = self.f = self.d = 0

    def move(self, e):
        d = (e > self.e) - (e < self.e)
        E, b, fy, ey = self.E, self.b, self.fy, self.ey
        if d == 0:
            return self.f
        if self.d == 0:
            self.emax, self.emin, self.er, self.fr, self.es, self.fs = ey, -ey, 0, 0, d * ey, d * fy
            self.epl = self.es
        elif d != self.d:
            self.er, self.fr = self.e, self.f
            if d > 0:
                self.emin = min(self.emin, self.e)
                S = 1 + self.a3 * ((self.emax - self.emin) / (2 * self.a4 * ey)) ** 0.8
                self.epl = self.emax
            else:
                self.emax = max(self.emax, self.e)
                S = 1 + self.a1 * ((self.emax - self.emin) / (2 * self.a2 * ey)) ** 0.8
                self.epl = self.emin
            self.es = (d * (fy * S - b * E * ey * S) - self.fr + E * self.er) / (E - b * E)
            self.fs = d * fy * S + b * E * (self.es - d * ey * S)
        self.d, self.e = d, e
        xi = abs(self.epl - self.es) / ey
        R = self.R0 * (1 - self.c1 * xi / (self.c2 + xi))
        X = (e - self.er) / (self.es - self.er)
        self.f = self.fr + (self.fs - self.fr) * (b * X + (1 - b) * X * (1 + abs(X) ** R) ** (-1 / R))
        return self.f


def cyclic():
    bar = Steel(40e6, 70e3, R0=18, c1=0.9, a1=0.05, a3=0.02)
    times, value = [0, 0.2, 0.6, 1, 1.4, 1.9, 2.4], [0, 4e-3, -6e-3, 8e-3, -9e-3, 10e-3, 0]
    peak, work, loop = 0, 0, 0
    for i in range(1, len(times)):
        steps = round((times[i] - times[i - 1]) * 1000) # those of the case
        for k in range(1, steps + 1):
            before, at = bar.f, bar.e
            q = value[i] if k == steps else value[i - 1] + (value[i] - value[i - 1]) * k / steps
            dw = 0.5 * (before + bar.move(q)) * (q - at)
            work += dw
            loop += dw if times[i - 1] >= 0.6 - 1e-9 and times[i] <= 1.9 + 1e-9 else 0
            peak = max(peak, abs(bar.f))
    print("cyclic: peak force %.9g N, final force %.9g N, work of 0.6 to 1.9 s %.9g J" % (peak, bar.f, loop))


def frame():
    h, m, (k1, k2), (c1, c2) = 5e-6, (1000, 800), (200e3, 150e3), (2e3, 1.5e3)
    lower, upper = Steel(1.8e6, 8e3, b=0.02), Steel(1.3e6, 5e3, b=0.02)
    u, v, peak = [0, 0], [0, 0], [0, 0] # v half a step behind u
    for n in range(round(3 / h) + 1):
        q2, q2d = u[1] - u[0], v[1] - v[0]
        f1, f2 = k1 * u[0] + lower.move(u[0]), k2 * q2 + upper.move(q2)
        g = 4 * math.sin(2 * math.pi * 2.5 * n * h)
        # M dv/h + C (v + dv/2) = F
        F = [-f1 + f2 - m[0] * g - c1 * v[0] + c2 * q2d, -f2 - m[1] * g - c2 * q2d]
        A, B, D = m[0] / h + (c1 + c2) / 2, -c2 / 2, m[1] / h + c2 / 2
        det = A * D - B * B
        peak = [max(p, abs(x)) for p, x in zip(peak, u)]
        final = list(u)
        v[0] += (D * F[0] - B * F[1]) / det
        v[1] += (A * F[1] - B * F[0]) / det
        u = [u[0] + h * v[0], u[1] + h * v[1]]
    print("frame: peaks %.9g %.9g m, final %.9g %.9g m" % (*peak, *final))


cyclic()
frame()
