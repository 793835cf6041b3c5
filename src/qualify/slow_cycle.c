/* SPDX-License-Identifier: MIT */
/* Slow cycles, and the stiffness matrix from those of all interfaces. */
#include "qualify/slow_cycle.h"

#include <math.h>

#include "algebra/dense.h"
#include "substructure/loading_protocol.h"

static double mean(const double *y, long from, long to)
{
    double sum = 0.0;
    for (long i = from; i < to; i++)
        sum += y[i];
    return sum / (double)(to - from);
}

/* The residual of y is correlated in time unless it is noise; then neighbouring samples count less. */
static double slope_error(const ifd__cycle *s, double zz, const double *x, const double *y, long from, long to)
{
    double square = 0.0, lagged = 0.0, before = 0.0;
    for (long i = from; i < to; i++) {
        double rest = y[i] - s->y0 - s->zy / s->zx * (x[i] - s->x0);
        square += rest * rest;
        lagged += rest * before;
        before = rest;
    }
    double n = (double)(to - from), memory = fmin(0.999, fmax(0.0, square > 0.0 ? lagged / square : 0.0));
    return sqrt(square / n * zz * (1.0 + memory) / (1.0 - memory)) / fabs(s->zx);
}

void ifd__cycle_sums(ifd__span span, const ifd_motion_record *moved, const double *x, const double *y,
                     ifd__cycle *out)
{
    const double *z = moved->command - 1, h = moved->period; /* a command is the position for the next tick */
    long from = span.from + 1, to = span.to;
    double z0 = mean(z, from, to), zz = 0.0;
    *out = (ifd__cycle){.x0 = mean(x, from, to), .y0 = mean(y, from, to)};
    for (long i = from; i < to; i++) {
        double d = z[i] - z0;
        out->zx += d * (x[i] - out->x0);
        out->zy += d * (y[i] - out->y0);
        out->inertia += d * (z[i + 1] - 2.0 * z[i] + z[i - 1]) / (h * h);
        zz += d * d;
    }
    out->gain = out->zx / zz;
    out->inertia *= out->gain; /* the cycle is slow: x equals z except for its gain */
    out->error = slope_error(out, zz, x, y, from, to);
}

static double asymmetry(int n, const double *K)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            most = fmax(most, fabs(K[i * n + j] - K[j * n + i]) / sqrt(fabs(K[i * n + i] * K[j * n + j])));
    return most;
}

/* With the sums over cycle j as columns, (z f) = K (z x). */
ifd_status ifd_characterise_stiffness(ifd_arena *arena, const ifd_protocol *p, const ifd_motion_record *record,
                                      const double *mass, ifd_stiffness_matrix *out)
{
    int n = p->interfaces, *pivot;
    double *X, *K, *error;
    IFD_TRY(
        IFD__TAKE(arena, IFD__ARRAY(pivot, n), IFD__ARRAY(X, n * n), IFD__ARRAY(K, n * n), IFD__ARRAY(error, n * n)));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            ifd__cycle force, position;
            const ifd__span slow = {p->motion[j].at.cycle, p->motion[j].at.fast};
            ifd__cycle_sums(slow, &record[j], record[j].position, record[i].force, &force);
            ifd__cycle_sums(slow, &record[j], record[j].position, record[i].position, &position);
            X[i * n + j] = position.zy;
            K[i * n + j] = force.zy - (i == j ? mass[j] * force.inertia : 0.0);
            error[i * n + j] = force.error;
        }
    /* Rows of K and X are columns of their transposes: X^T K^T = F^T. */
    if (!ifd__lu_factor(n, X, pivot))
        return IFD_SINGULAR;
    ifd__lu_solve(n, X, pivot, n, K);
    *out = (ifd_stiffness_matrix){n, K, error, asymmetry(n, K)};
    return IFD_OK;
}
