/* SPDX-License-Identifier: MIT */
/* Average acceleration on the shear building with a pendulum, iterated until the out-of-balance forces fall below a
 * bound in newtons. Nothing of the library is used.
 *
 *     m1 x1'' + k1 x1 - k2 (x2 - x1) = -m1 a
 *     (m2 + m3) x2'' + m3 L (th'' cos th - th'^2 sin th) + k2 (x2 - x1) = -(m2 + m3) a
 *     m3 L^2 th'' + m3 L x2'' cos th + m3 g L sin th = -m3 L a cos th */
#include "reproduce.h"

#include <string.h>

enum { N = 3, MOST_ROUNDS = 20 };

static const double m1 = 1.5, m2 = 10, m3 = 0.1, k1 = 4000, k2 = 4000, L = 0.2, gravity = 9.81;

typedef struct motion {
    double u[N], v[N], a[N];
} motion;

static void residual(const motion *m, double ground, double r[N])
{
    double s = sin(m->u[2]), c = cos(m->u[2]), spring = k2 * (m->u[1] - m->u[0]);
    r[0] = m1 * m->a[0] + k1 * m->u[0] - spring + m1 * ground;
    r[1] = (m2 + m3) * (m->a[1] + ground) + m3 * L * (m->a[2] * c - m->v[2] * m->v[2] * s) + spring;
    r[2] = m3 * L * (L * m->a[2] + (m->a[1] + ground) * c + gravity * s);
}

/* d residual / d u, velocities and accelerations following the rule v = 2/h du, a = 4/h^2 du. */
static void tangent(const motion *m, double ground, double h, double K[N][N])
{
    double s = sin(m->u[2]), c = cos(m->u[2]), i = 4 / (h * h);
    const double k[N][N] = {
        {k1 + k2 + i * m1, -k2, 0},
        {-k2, k2 + i * (m2 + m3), m3 * L * (i * c - m->a[2] * s - m->v[2] * m->v[2] * c - 4 / h * m->v[2] * s)},
        {0, i * m3 * L * c, m3 * L * (i * L - (m->a[1] + ground) * s + gravity * c)},
    };
    memcpy(K, k, sizeof k);
}

/* r := K^-1 r; K is diagonally dominant at any step worth taking. */
static void eliminate(double K[N][N], double r[N])
{
    for (int p = 0; p < N; p++)
        for (int i = p + 1; i < N; i++) {
            double f = K[i][p] / K[p][p];
            for (int j = p; j < N; j++)
                K[i][j] -= f * K[p][j];
            r[i] -= f * r[p];
        }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++)
            r[i] -= K[i][j] * r[j];
        r[i] /= K[i][i];
    }
}

static bool newton_step(motion *m, double ground, double h, double bound)
{
    motion next = *m;
    double r[N], K[N][N];
    for (int round = 0; round < MOST_ROUNDS; round++) {
        for (int i = 0; i < N; i++) {
            double moved = next.u[i] - m->u[i];
            next.v[i] = 2 / h * moved - m->v[i];
            next.a[i] = 4 / (h * h) * moved - 4 / h * m->v[i] - m->a[i];
        }
        residual(&next, ground, r);
        if (largest(r, N) <= bound) {
            *m = next;
            return true;
        }
        tangent(&next, ground, h, K);
        eliminate(K, r);
        for (int i = 0; i < N; i++)
            next.u[i] -= r[i];
    }
    return false;
}

double newton_failure(const double *ground, long rows, double h, double bound)
{
    motion m = {.a = {0}};
    m.a[0] = m.a[1] = -ground[0];
    for (long k = 1; k < rows; k++)
        if (!newton_step(&m, ground[k], h, bound))
            return (double)k * h;
    return (double)NAN;
}
