/* SPDX-License-Identifier: MIT */
/* Lag and losses from two cycles of equal amplitude a. With H = F/X at the fundamental and p = arg H,
 *
 *     lag = -(p2 - p1) / (w2 - w1),     rest = p1 + w1 lag:
 *
 * a lag turns the force in proportion to the frequency, friction and play turn it by the same angle in both. Friction
 * of F0 adds (4/pi) F0 to the part of the force in phase with the velocity: F0 = k a (pi/4) tan(rest). Play d takes
 * (2/pi) d from the deflection: d = a (pi/2) tan(-rest). The phase of the sweep does not separate these. */
#include "qualify/slow_cycle.h"

#include <math.h>

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
    double sign = noise->stiffness < 0.0 ? -1.0 : 1.0;
    long T = (span.to - span.from) / 2, from = span.from + T / 2;
    double x[2], f[2];
    fundamental(r->position + from, T, x);
    fundamental(r->force + from, T, f);
    double share = hypot(noise->position_noise / hypot(x[0], x[1]), noise->force_noise / hypot(f[0], f[1]));
    return (turned){.phase = atan2(sign * (f[1] * x[0] - f[0] * x[1]), sign * (f[0] * x[0] + f[1] * x[1])),
                    .error = sqrt(2.0 / (double)T) * share,
                    .w = 2.0 * PI / ((double)T * r->period)};
}

/* A line through the part of the slow cycle where sign times the command exceeds half its amplitude. */
typedef struct line {
    double n, x, f, slope, spread; /* means; spread: sum of squares of the force about its mean */
} line;

/* The slow cycle of a record: the command that tick i answers is that of i - late, so that friction, which changes
 * its sign where the position turns, is in both halves of a part alike. */
typedef struct slow_part {
    const ifd_motions *at;
    const ifd_motion_record *r;
    long from, to, late; /* ticks */
} slow_part;

/* Whether tick i belongs to the part. */
static bool belongs(const slow_part *s, double sign, long i)
{
    return sign * (s->r->command[i - s->late] - s->r->command[s->at->small - 2]) > 0.5 * s->at->amplitude;
}

static line part(const slow_part *s, double sign)
{
    const double *command = s->r->command - s->late, *x = s->r->position, *f = s->r->force;
    double u = 0.0, ux = 0.0, uf = 0.0;
    line l = {0};
    for (long i = s->from; i < s->to; i++)
        if (belongs(s, sign, i)) {
            l.n += 1.0;
            u += command[i];
            l.x += x[i];
            l.f += f[i];
        }
    u /= l.n;
    l.x /= l.n;
    l.f /= l.n;
    for (long i = s->from; i < s->to; i++)
        if (belongs(s, sign, i)) {
            ux += (command[i] - u) * (x[i] - l.x);
            uf += (command[i] - u) * (f[i] - l.f);
            l.spread += (f[i] - l.f) * (f[i] - l.f);
        }
    l.slope = uf / ux;
    return l;
}

/* rad: smaller losses are round-off of a rig without noise. */
static const double least_rest = 1e-6;

/* Position of the line at force f, and the variance of it. */
static double position_at(const line *l, double f, double noise, double *variance)
{
    double off = f - l->f;
    *variance += noise * noise / (l->slope * l->slope) * (1.0 / l->n + off * off / l->spread);
    return l->x + off / l->slope;
}

/* Distance of both lines at the mean force. */
static void clearance(const ifd_motions *at, const ifd_motion_record *r, ifd_characterisation *out)
{
    long T = (at->fast - at->cycle) / 2, first = at->cycle + T / 2;
    long late = lround(fmin(fmax(0.0, out->delay / r->period), 0.25 * (double)T));
    const slow_part s = {.at = at, .r = r, .from = first + late, .to = first + late + T, .late = late + 1};
    const line up = part(&s, 1.0), down = part(&s, -1.0);
    double variance = 0.0, f = 0.5 * (up.f + down.f), noise = hypot(out->force_noise, up.slope * out->position_noise);
    out->clearance = position_at(&up, f, noise, &variance) - position_at(&down, f, noise, &variance);
    out->clearance_error = sqrt(variance);
}

/* Friction that turns into sliding only after some way looks like a clearance of a part of its loop. */
static bool loose(const ifd_characterisation *f)
{
    return f->clearance > certain * f->clearance_error && f->clearance > 10.0 * f->position_noise &&
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
        out->friction = rest > 0.0 ? fabs(out->stiffness) * at->amplitude * 0.25 * PI * tan(rest) : 0.0;
        out->play = rest < 0.0 ? at->amplitude * 0.5 * PI * tan(-rest) : 0.0;
    }
    clearance(at, r, out);
    out->loose = loose(out);
}
