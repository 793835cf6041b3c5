/* SPDX-License-Identifier: MIT */
/* Reference solution of the shear building with a pendulum and a hysteretic first storey, by the classical
 * Runge-Kutta method with a tenth of the step. It uses no function of the library.
 *
 *     m1 x1'' + r - k2 (x2 - x1) = -m1 a                  r' = K0 x1' - beta |x1'| r - gamma x1' |r|
 *     (m2 + m3) x2'' + m3 L (th'' cos th - th'^2 sin th) + k2 (x2 - x1) = -(m2 + m3) a
 *     m3 L^2 th'' + m3 L x2'' cos th + m3 g L sin th = -m3 L a cos th */
#include "reproduce.h"

enum { X1, X2, TH, V1, V2, W, R, STATES, PIECES = 10 };

static const double m1 = 1.5, m2 = 10, m3 = 0.1, k2 = 4000, K0 = 4000, beta = 5, gamma_ = 3, L = 0.2, g = 9.81;

static void rates(const double y[STATES], double a, double d[STATES])
{
    double s = sin(y[TH]), c = cos(y[TH]), spring = k2 * (y[X2] - y[X1]);
    double p = -spring - (m2 + m3) * a + m3 * L * y[W] * y[W] * s,
           q = -g * s - a * c; /* of the pendulum, over m3 L */
    d[X1] = y[V1];
    d[X2] = y[V2];
    d[TH] = y[W];
    d[V1] = (spring - y[R]) / m1 - a;
    d[V2] = (p - m3 * c * q) / (m2 + m3 - m3 * c * c);
    d[W] = (q - d[V2] * c) / L;
    d[R] = K0 * y[V1] - beta * fabs(y[V1]) * y[R] - gamma_ * y[V1] * fabs(y[R]);
}

static void advance(double y[STATES], double from, double to, double h)
{
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    double sum[STATES] = {0}, d[STATES] = {0}, z[STATES];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < STATES; i++)
            z[i] = y[i] + at[k] * h * d[i];
        rates(z, from + at[k] * (to - from), d);
        for (int i = 0; i < STATES; i++)
            sum[i] += weight[k] * d[i];
    }
    for (int i = 0; i < STATES; i++)
        y[i] += h * sum[i];
}

void building_alone(const double *ground, long rows, double h, double *deformation, double *force)
{
    double y[STATES] = {0};
    for (long r = 0; r < rows; r++) {
        deformation[r] = y[X1];
        force[r] = y[R];
        for (int k = 0; k < PIECES && r + 1 < rows; k++) {
            double step = (ground[r + 1] - ground[r]) / PIECES;
            advance(y, ground[r] + k * step, ground[r] + (k + 1) * step, h / PIECES);
        }
    }
}
