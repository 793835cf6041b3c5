/* SPDX-License-Identifier: MIT */
/* Lag and losses from two cycles of equal amplitude a. With H = F/X at the fundamental and p = arg H,
 *
 *     lag = -(p2 - p1) / (w2 - w1),     rest = p1 + w1 lag:
 *
 * a lag turns the force in proportion to the frequency, friction and play turn it by the same angle in both. Friction
 * of F0 adds (4/pi) F0 to the part of the force in phase with the velocity: F0 = k a (pi/4) tan(rest). Play d takes
 * (2/pi) d from the deflection: d = a (pi/2) tan(-rest). The phase of the sweep does not separate these. */
#include "qualify/characterise.h"

#include <math.h>

#include "algebra/dense.h"
#include "substructure/loading_protocol.h"

static const double PI = 3.14159265358979323846;

static const double certain = 3.0; /* standard errors */

typedef struct turned {
    double phase, error, w; /* rad, rad, rad/s */
} turned;

/* Amplitude at the fundamental over one period of T ticks. */
static void fundamental(const double *y, long T, double out[2])
{
    out[0] = out[1] = 0.0;
    for (long i = 0; i < T; i++) {
        double turn = 2.0 * PI * (double)i / (double)T;
        out[0] += y[i] * cos(turn) * 2.0 / (double)T;
        out[1] -= y[i] * sin(turn) * 2.0 / (double)T;
    }
}

/* Of the force behind the position; a device of negative stiffness has the opposite force. */
static turned phase(ifd__span span, const ifd_motion_record *r, const ifd_characterisation *noise)
{
    long T = (span.to - span.from) / 2, from = span.from + T / 2;
    double x[2], f[2];
    fundamental(r->position + from, T, x);
    fundamental(r->force + from, T, f);
    if (noise->stiffness < 0.0) {
        f[0] = -f[0];
        f[1] = -f[1];
    }
    double share = hypot(noise->position_noise / hypot(x[0], x[1]), noise->force_noise / hypot(f[0], f[1]));
    return (turned){.phase = atan2(f[1] * x[0] - f[0] * x[1], f[0] * x[0] + f[1] * x[1]),
                    .error = sqrt(2.0 / (double)T) * share,
                    .w = 2.0 * PI / ((double)T * r->period)};
}

/* A line through the part of the slow cycle where sign times the command exceeds half its amplitude; from, to: of the
 * cycle. The command that tick i answers is that of i - late, so that friction, which changes its sign where the
 * position turns, is in both halves of a part alike. */
typedef struct line {
    ifd__cycle sum;
    double n, slope;
} line;

static line part(const ifd_motions *at, const ifd_motion_record *r, double sign, ifd__span cycle, long late)
{
    ifd_motion_record moved = *r;
    moved.command -= late;
    ifd__span in = {cycle.to, cycle.from};
    for (long i = cycle.from; i < cycle.to; i++)
        if (sign * (moved.command[i - 1] - r->command[at->small - 2]) > 0.5 * at->amplitude)
            in = (ifd__span){in.from < i ? in.from : i, i + 1};
    line l = {.n = (double)(in.to - in.from)};
    in.from--; /* the sums leave out the first tick */
    ifd__cycle_sums(in, &moved, r->position, r->force, &l.sum);
    l.slope = l.sum.zy / l.sum.zx;
    return l;
}

/* rad, and of the amplitude: smaller losses are round-off of a rig without noise. */
static const double least_rest = 1e-6;

/* Position of the line at force f, and the variance of it: slope zy gain is the sum of squares of the force about its
 * mean. */
static double position_at(const line *l, double f, double noise, double *variance)
{
    double off = f - l->sum.y0, spread = l->slope * l->sum.zy * l->sum.gain;
    *variance += noise * noise / (l->slope * l->slope) * (1.0 / l->n + off * off / spread);
    return l->sum.x0 + off / l->slope;
}

/* Distance of both lines at the mean force. */
static void clearance(const line *up, const line *down, ifd_characterisation *out)
{
    double variance = 0.0, f = 0.5 * (up->sum.y0 + down->sum.y0),
           noise = hypot(out->force_noise, up->slope * out->position_noise);
    out->clearance = position_at(up, f, noise, &variance) - position_at(down, f, noise, &variance);
    out->clearance_error = sqrt(variance);
}

/* The slope of the whole cycle would contain the clearance. */
static void stiffness_outside(const ifd__cycle *up, const ifd__cycle *down, ifd_characterisation *out)
{
    double zx = up->zx + down->zx;
    out->stiffness = (up->zy + down->zy - out->mass * (up->inertia + down->inertia)) / zx;
    out->stiffness_error = hypot(up->error * up->zx, down->error * down->zx) / zx;
    out->force_offset = 0.5 * (up->y0 + down->y0 - out->stiffness * (up->x0 + down->x0));
}

/* Friction that turns into sliding only after some way looks like a clearance of a part of its loop. */
static bool loose(const ifd_motions *at, const ifd_characterisation *f)
{
    const double least = fmax(least_rest * at->amplitude, f->position_resolution);
    return f->clearance > certain * f->clearance_error && f->clearance > fmax(least, 10.0 * f->position_noise) &&
           f->clearance * fabs(f->stiffness) > f->friction && !f->yields && !(f->play > 0.0) &&
           fabs(f->stiffness) > certain * f->stiffness_error;
}

void ifd__find_losses(const ifd_motions *at, const ifd_motion_record *r, ifd_characterisation *out)
{
    const turned slow = phase((ifd__span){at->cycle, at->fast}, r, out),
                 fast = phase((ifd__span){at->fast, at->step}, r, out);
    double apart = fast.w - slow.w, rest;
    out->force_lag = -(fast.phase - slow.phase) / apart;
    out->force_lag_error = hypot(slow.error, fast.error) / apart;
    out->force_late = out->force_lag > fmax(certain * out->force_lag_error, 0.5 * r->period);
    out->rest = rest = slow.phase + slow.w * out->force_lag;
    out->rest_error = hypot(slow.error * fast.w, fast.error * slow.w) / apart;
    if (fabs(rest) > fmax(certain * out->rest_error, least_rest) && fabs(rest) < 1.0) {
        out->friction = fabs(out->stiffness) * at->amplitude * 0.25 * PI * fmax(0.0, tan(rest));
        out->play = at->amplitude * 0.5 * PI * fmax(0.0, tan(-rest));
    }
    long T = (at->fast - at->cycle) / 2, late = lround(fmin(fmax(0.0, out->delay / r->period), 0.25 * (double)T));
    const ifd__span cycle = {at->cycle + T / 2 + late, at->cycle + T / 2 + late + T};
    const line up = part(at, r, 1.0, cycle, late), down = part(at, r, -1.0, cycle, late);
    clearance(&up, &down, out);
    out->loose = loose(at, out);
    if (out->loose)
        stiffness_outside(&up.sum, &down.sum, out);
}

/* Slow cycles, and the stiffness matrix from those of all interfaces. */
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
    for (int i = 1; i < n; i++)
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
