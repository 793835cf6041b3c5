/* SPDX-License-Identifier: MIT */
/* Path of the specimens between targets of a remote master.
 *
 * All paths are in ticks. At a target the force is measured and answered; then, tau steps later,
 *
 *     predict   p(tau) = u0 + tau d1 + tau (tau + 1)/2 d2 + tau (tau + 1)(tau + 2)/6 d3
 *
 * continues the polynomial through the past targets (d: backward differences) for at most SHARE of a step. As soon as
 * the next target is known,
 *
 *     correct   the cubic from the present position and velocity to the target with the slope p'(0) of the polynomial
 *               that includes it: prediction then starts with the same velocity.
 *
 * Without a target in time, and on hold, the specimen brakes on a quintic that starts with the acceleration of the
 * present path and ends with zero (quintic.h). A path from there, or to rest at a target, is also a quintic and ends
 * with p'(0) and p''(0) where prediction starts, so that acceleration is as continuous as in a run. (In a run with a
 * late target the cubic has smaller accelerations: it need not undo a wrongly predicted acceleration.) A path that
 * would exceed a limit of velocity or acceleration takes more ticks. A target that needs several steps is a jump (a
 * script that sets initial displacements): the path is from rest to rest, without extrapolation. */
#include <math.h>
#include <string.h>

#include "hybrid/quintic.h"
#include "hybrid/remote/path.h"

static const double SHARE = 0.6;   /* largest predicted fraction of a step */
static const double MARGIN = 0.95; /* fraction of the limits that a planned path uses */
static const double JUMP = 3.0;    /* steps; a longer path to a target is a jump */
static const double BRAKING = 0.5; /* fraction of a step for a brake; longer if limits require it */
/* A path that exceeds a limit is extended by this factor, up to LENGTHENINGS times: 1.25^60 is 650,000 steps. */
static const double LONGER = 1.25;
enum { LENGTHENINGS = 60, POINTS = 12 }; /* points: between them a quintic deviates by 0.01 of its peak */
static const double ROUND_OFF = 1e-12;   /* of the stroke: rounding of a sum of steps */
static const double SETTLE = 5.0;        /* steps in which a compensator comes to rest after the end of a path */

double ifd__path_predictable(const ifd_hybrid *h)
{
    return floor(SHARE * h->opt.ticks_per_stage);
}

/* Backward differences of the targets of interface k, d[0] is the newest target; those of unknown targets are
 * zero. */
static void differences(const ifd_hybrid *h, int k, double d[IFD__REMOTE_PAST])
{
    double s[IFD__REMOTE_PAST];
    int order = ifd__remote_options(h->opt.remote)->order, known = (int)ifd__rem(h)->known;
    int p = order < known - 1 ? order : known - 1;
    for (int j = 0; j < IFD__REMOTE_PAST; j++) {
        s[j] = ifd__deformation(h->interface[k].o->from, h->interface[k].o->to, ifd__rem_past(h, j));
        d[j] = 0.0;
    }
    d[0] = s[0];
    if (p >= 1)
        d[1] = s[0] - s[1];
    if (p >= 2)
        d[2] = s[0] - 2.0 * s[1] + s[2];
    if (p >= 3)
        d[3] = s[0] - 3.0 * (s[1] - s[2]) - s[3];
}

/* The polynomial tau steps after its newest target, in m and ticks. */
static void predicted(const ifd_hybrid *h, int k, double tau, double out[3])
{
    double d[IFD__REMOTE_PAST], m = h->opt.ticks_per_stage;
    differences(h, k, d);
    out[0] = d[0] + tau * (d[1] + (tau + 1.0) / 2.0 * (d[2] + (tau + 2.0) / 3.0 * d[3]));
    out[1] = (d[1] + (2.0 * tau + 1.0) / 2.0 * d[2] + (3.0 * tau * tau + 6.0 * tau + 2.0) / 6.0 * d[3]) / m;
    out[2] = (d[2] + (tau + 1.0) * d[3]) / (m * m);
}

/* The quintic of interface k over x = ticks / N. */
static ifd__quintic quintic(const ifd_hybrid *h, int k, double N)
{
    ifd__interface_state *s = ifd__interface_of(h, k);
    const double *from = &s->from_u, *to = &s->to_u;
    const double a[3] = {from[0], N * from[1], N * N * from[2]}, b[3] = {to[0], N * to[1], N * N * to[2]};
    return ifd__quintic_of(a, b);
}

/* In m and ticks. */
static void on_path(const ifd_hybrid *h, int k, double out[3])
{
    ifd__test_state *t = ifd__test_of(h);
    ifd__interface_state *s = ifd__interface_of(h, k);
    if (ifd__rem_phase(h) == IFD__PHASE_PREDICT) {
        predicted(h, k, t->path_tick / h->opt.ticks_per_stage, out);
        return;
    }
    double N = t->path_ticks, x = t->path_tick / N;
    if (x > 1.0) {
        out[0] = s->to_u;
        out[1] = out[2] = 0.0;
        return;
    }
    if (ifd__rem(h)->smooth > 0.0) {
        const ifd__quintic p = quintic(h, k, N);
        ifd__quintic_at(&p, x, out);
        out[1] /= N;
        out[2] /= N * N;
    } else {
        const ifd__cubic p = ifd__cubic_of(s, N);
        ifd__cubic_at(&p, x, N, out);
    }
    out[0] = x == 1.0 ? s->to_u : out[0]; /* exact end */
}

void ifd__remote_path(const ifd_hybrid *h, int k, double out[3])
{
    on_path(h, k, out);
    out[1] /= h->period;
    out[2] /= h->period * h->period;
}

/* Whether the cubic over N ticks keeps velocity and acceleration. The velocities at its ends are given and not
 * checked. */
static bool fits_cubic(const ifd_hybrid *h, int k, double N)
{
    const ifd__bounds *b = &h->interface[k].bounds;
    const ifd__interface_state *s = ifd__interface_of(h, k);
    const ifd__cubic p = ifd__cubic_of(s, N);
    double most = MARGIN * b->acceleration * b->dt * b->dt, at = p.c3 != 0.0 ? -p.c2 / (3.0 * p.c3) : -1.0;
    bool slow =
        !(at > 0.0 && at < 1.0) || fabs(p.v0 - p.c2 * p.c2 / (3.0 * p.c3)) / N <= MARGIN * b->velocity * b->dt;
    return slow && fabs(2.0 * p.c2) / (N * N) <= most && fabs(2.0 * p.c2 + 6.0 * p.c3) / (N * N) <= most;
}

/* The same for the quintic, at discrete points. Its end conditions are given and not checked. */
static bool fits_smoothly(const ifd_hybrid *h, int k, double N)
{
    ifd__interface_state *s = ifd__interface_of(h, k);
    const ifd__bounds *b = &h->interface[k].bounds;
    const double *from = &s->from_u, *to = &s->to_u;
    double fast = fmax(MARGIN * b->velocity * b->dt, fmax(fabs(from[1]), fabs(to[1])));
    double sharp = fmax(MARGIN * b->acceleration * b->dt * b->dt, fmax(fabs(from[2]), fabs(to[2])));
    const ifd__quintic p = quintic(h, k, N);
    bool fine = true;
    for (int i = 1; i < POINTS; i++) {
        double y[3];
        ifd__quintic_at(&p, (double)i / POINTS, y);
        fine = fine && fabs(y[1]) / N <= fast && fabs(y[2]) / (N * N) <= sharp;
    }
    return fine;
}

static bool all_fit(const ifd_hybrid *h, double N)
{
    bool fine = true;
    for (int k = 0; k < h->interfaces; k++)
        fine = fine && (ifd__rem(h)->smooth > 0.0 ? fits_smoothly : fits_cubic)(h, k, N);
    return fine;
}

static double fit(const ifd_hybrid *h, double N)
{
    for (int i = 0; i < LENGTHENINGS && !all_fit(h, N); i++)
        N = ceil(LONGER * N);
    return N;
}

/* Present positions and velocities of the interfaces become the start of a new path. */
void ifd__path_start_here(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++) {
        double y[3];
        on_path(h, k, y);
        memcpy(&ifd__interface_of(h, k)->from_u, y, sizeof y);
    }
}

bool ifd__path_moves(const ifd_hybrid *h)
{
    bool moves = false;
    for (int k = 0; k < h->interfaces; k++)
        moves = moves || ifd__interface_of(h, k)->to_v != 0.0;
    return moves;
}

bool ifd__path_leads_on(const ifd_hybrid *h)
{
    bool on = true;
    for (int k = 0; k < h->interfaces; k++) {
        double y[3];
        predicted(h, k, 0.0, y);
        on = on && ifd__interface_of(h, k)->to_v == y[1];
    }
    return on;
}

/* Makes the planned path a quintic that ends at rest. */
static void end_at_rest(ifd_hybrid *h)
{
    ifd__rem(h)->smooth = 1.0;
    for (int k = 0; k < h->interfaces; k++)
        ifd__interface_of(h, k)->to_v = ifd__interface_of(h, k)->to_a = 0.0;
}

void ifd__path_go(ifd_hybrid *h, ifd__phase next, double N)
{
    ifd__test_state *t = ifd__test_of(h);
    ifd__rem(h)->phase = (double)next;
    t->path_ticks = N;
    t->path_tick = 0.0;
}

/* From the end of the last path to the newest target. A master with several trials per step (order 0) is followed
 * without prediction: every target is reached at rest. */
double ifd__path_correct(ifd_hybrid *h)
{
    ifd__remote_state *r = ifd__rem(h);
    const ifd_remote_options *o = ifd__remote_options(h->opt.remote);
    double m = h->opt.ticks_per_stage, left = m;
    bool predicts = ifd__rem_phase(h) == IFD__PHASE_PREDICT;
    if (predicts)
        left = fmax(m - ifd__test_of(h)->path_tick, m - ifd__path_predictable(h));
    r->smooth = predicts || ifd__path_moves(h) ? 0.0 : 1.0;
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = ifd__interface_of(h, k);
        double y[3];
        predicted(h, k, 0.0, y);
        s->to_u = y[0];
        s->to_v = y[1];
        s->to_a = y[2];
    }
    if ((o->paced && o->order == 0) || !ifd__path_moves(h))
        end_at_rest(h);
    double N = fit(h, left);
    if (N > JUMP * m) {
        r->known = 1.0;
        end_at_rest(h);
        N = fit(h, left);
    }
    ifd__path_go(h, IFD__PHASE_CORRECT, N);
    r->goal = r->taken;
    return left;
}

/* End of a quintic of N ticks from the present motion to rest without reversal: its length is N v/2 + N^2 a/12, or
 * that of constant deceleration if the acceleration would cause a reversal. */
static void aim_at_rest(ifd_hybrid *h, double N)
{
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = ifd__interface_of(h, k);
        const ifd__bounds *b = &h->interface[k].bounds;
        double v = s->from_v, even = 0.5 * N * v, bent = N * N * s->from_a / 12.0;
        double travel = (even + bent) * even > 0.0 ? even + bent : even;
        s->to_u = fmin(fmax(s->from_u + travel, b->low), b->high);
    }
}

/* To rest within half a step, or as fast as the limits permit. */
void ifd__path_brake(ifd_hybrid *h)
{
    double N = ceil(BRAKING * h->opt.ticks_per_stage);
    ifd__path_start_here(h);
    end_at_rest(h);
    aim_at_rest(h, N);
    for (int i = 1; i < LENGTHENINGS && !all_fit(h, N); i++) {
        N = ceil(LONGER * N);
        aim_at_rest(h, N);
    }
    ifd__path_go(h, IFD__PHASE_BRAKE, N);
}

/* On hold, a target in progress is still reached, at rest. */
void ifd__path_settle(ifd_hybrid *h)
{
    ifd__test_state *t = ifd__test_of(h);
    if (!ifd__path_moves(h))
        return;
    double left = fmax(t->path_ticks - t->path_tick, ceil(BRAKING * h->opt.ticks_per_stage));
    ifd__path_start_here(h);
    end_at_rest(h);
    ifd__path_go(h, IFD__PHASE_CORRECT, fit(h, left));
}

/* Whether the governor reduces the command of interface k. A governed position is a rounded sum of steps. */
static bool held_back(const ifd_hybrid *h, int k)
{
    ifd__interface_state *s = ifd__interface_of(h, k);
    const ifd__bounds *b = &h->interface[k].bounds;
    double off = s->command - s->requested;
    return !h->interface[k].o->force && !(fabs(off) <= ROUND_OFF * (b->high - b->low));
}

bool ifd__path_arrived(const ifd_hybrid *h)
{
    ifd__test_state *t = ifd__test_of(h);
    bool met = t->path_tick >= t->path_ticks;
    for (int k = 0; k < h->interfaces && met; k++)
        met = !held_back(h, k);
    return met;
}

/* After the end of a path its target is constant. A governed command reaches it within the time to cross the stroke,
 * s/v + v/a; a command that rests before it is at a limit and remains there. */
int ifd__path_in_vain(const ifd_hybrid *h, double value[2])
{
    ifd__test_state *t = ifd__test_of(h);
    double over = t->path_tick - t->path_ticks - SETTLE * h->opt.ticks_per_stage;
    for (int k = 0; k < h->interfaces && over > 0.0; k++) {
        ifd__interface_state *s = ifd__interface_of(h, k);
        const ifd__bounds *b = &h->interface[k].bounds;
        double cross = (b->high - b->low) / b->velocity + b->velocity / b->acceleration;
        if (!held_back(h, k) || (s->step != 0.0 && over * b->dt <= cross))
            continue;
        value[0] = s->requested;
        value[1] = value[0] > b->high ? b->high : value[0] < b->low ? b->low : s->command;
        return k;
    }
    return -1;
}
