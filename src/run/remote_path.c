/* SPDX-License-Identifier: MIT */
/* The way of the specimens from target to target of a remote master.
 *
 * All paths are in ticks. At a target the force is measured and answered; then, tau steps later,
 *
 *     predict   p(tau) = u0 + tau d1 + tau (tau + 1)/2 d2 + tau (tau + 1)(tau + 2)/6 d3
 *
 * continues the polynomial through the past targets (d: backward differences) for at most SHARE of a step. As soon
 * as the next target is known,
 *
 *     correct   the cubic from where the specimen is and how fast it goes, to the target with the slope p'(0) of the
 *               polynomial that now includes it: prediction will take over there with the same velocity.
 *
 * Without a target in time, and on hold, the specimen brakes and rests, on a quintic that begins with the
 * acceleration of the path it leaves and ends without any (quintic.h). What leaves such a path, or its end, or goes
 * to a target to rest there, is a quintic too, and ends with p'(0) and p''(0) where prediction takes over: nothing
 * jumps but what a run makes jump. (In a run the cubic is the gentler of the two when a target comes late: it need
 * not undo an acceleration that was predicted wrongly.) A path that would break a limit of velocity or acceleration
 * is given more ticks. A target that needs several steps is no motion but a jump (a script that sets initial
 * displacements): it is approached from rest to rest, and nothing is extrapolated from it. */
#include <math.h>
#include <string.h>

#include "run/quintic.h"
#include "run/remote_path.h"

static const double SHARE = 0.6;   /* of a step, that is predicted */
static const double MARGIN = 0.95; /* of the limits, that a planned path uses */
static const double JUMP = 3.0;    /* steps; a longer way to a target is a jump */
static const double BRAKING = 0.5; /* of a step, in which a path comes to rest, or more where limits demand it */
/* A path that breaks a limit is made longer by this factor, so often: 1.25^60 is 650,000 steps. */
static const double LONGER = 1.25;
enum { LENGTHENINGS = 60, POINTS = 12 }; /* points: between them a quintic bends by a hundredth of its peak */
static const double ROUND_OFF = 1e-12;   /* of the stroke: a sum of steps, against what was asked for */
static const double SETTLE = 5.0;        /* steps in which a compensator comes to rest behind the end of a path */

double ifd__path_predictable(const ifd_hybrid *h)
{
    return floor(SHARE * h->opt.ticks_per_stage);
}

/* Backward differences of channel k's targets, d[0] the newest itself; those of unknown targets are zero. */
static void differences(const ifd_hybrid *h, int k, double d[IFD__REMOTE_PAST])
{
    double s[IFD__REMOTE_PAST];
    int order = ifd__remote_options(h->opt.remote)->order, known = (int)*ifd__rem(h, REM_KNOWN);
    int p = order < known - 1 ? order : known - 1;
    for (int j = 0; j < IFD__REMOTE_PAST; j++) {
        s[j] = ifd__stretch(h->way[k].o, ifd__rem_past(h, j));
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

/* The cubic of channel k: c[0] + x (c[1] + x (c[2] + x c[3])), x = ticks / N. */
static void cubic(const ifd_hybrid *h, int k, double N, double c[4])
{
    double a = *ifd__way_row(h, k, CH_FROM_U), b = *ifd__way_row(h, k, CH_TO_U);
    double va = N * *ifd__way_row(h, k, CH_FROM_V), vb = N * *ifd__way_row(h, k, CH_TO_V);
    c[0] = a;
    c[1] = va;
    c[2] = 3.0 * (b - a) - 2.0 * va - vb;
    c[3] = 2.0 * (a - b) + va + vb;
}

/* The quintic of channel k over x = ticks / N. */
static ifd__quintic quintic(const ifd_hybrid *h, int k, double N)
{
    const double *from = ifd__way_row(h, k, CH_FROM_U), *to = ifd__way_row(h, k, CH_TO_U);
    const double a[3] = {from[0], N * from[1], N * N * from[2]}, b[3] = {to[0], N * to[1], N * N * to[2]};
    return ifd__quintic_of(a, b);
}

/* In m and ticks. */
static void on_path(const ifd_hybrid *h, int k, double out[3])
{
    if (ifd__rem_phase(h) == IFD__PHASE_PREDICT) {
        predicted(h, k, *ifd__hyb(h, HYB_K) / h->opt.ticks_per_stage, out);
        return;
    }
    double N = *ifd__hyb(h, HYB_N), x = *ifd__hyb(h, HYB_K) / N, c[4];
    cubic(h, k, N, c);
    if (x > 1.0) {
        out[0] = *ifd__way_row(h, k, CH_TO_U);
        out[1] = out[2] = 0.0;
        return;
    }
    if (*ifd__rem(h, REM_SMOOTH) > 0.0) {
        const ifd__quintic p = quintic(h, k, N);
        ifd__quintic_at(&p, x, out);
        out[0] = x == 1.0 ? *ifd__way_row(h, k, CH_TO_U) : out[0];
        out[1] /= N;
        out[2] /= N * N;
        return;
    }
    out[0] =
        x == 1.0 ? *ifd__way_row(h, k, CH_TO_U) : c[0] + x * (c[1] + x * (c[2] + x * c[3])); /* the end to the bit */
    out[1] = (c[1] + x * (2.0 * c[2] + 3.0 * c[3] * x)) / N;
    out[2] = (2.0 * c[2] + 6.0 * c[3] * x) / (N * N);
}

void ifd__remote_path(const ifd_hybrid *h, int k, double out[3])
{
    on_path(h, k, out);
    out[1] /= h->period;
    out[2] /= h->period * h->period;
}

/* Whether the cubic over N ticks keeps velocity and acceleration. The velocities at its ends are given and not
 * judged. */
static bool fits_cubic(const ifd_hybrid *h, int k, double N)
{
    const ifd__bounds *b = &h->way[k].bounds;
    double c[4], most = MARGIN * b->acceleration * b->dt * b->dt;
    cubic(h, k, N, c);
    double at = c[3] != 0.0 ? -c[2] / (3.0 * c[3]) : -1.0;
    bool slow =
        !(at > 0.0 && at < 1.0) || fabs(c[1] - c[2] * c[2] / (3.0 * c[3])) / N <= MARGIN * b->velocity * b->dt;
    return slow && fabs(2.0 * c[2]) / (N * N) <= most && fabs(2.0 * c[2] + 6.0 * c[3]) / (N * N) <= most;
}

/* The same of the quintic, at points of it. What it begins and ends with is given and not judged. */
static bool fits_smoothly(const ifd_hybrid *h, int k, double N)
{
    const ifd__bounds *b = &h->way[k].bounds;
    const double *from = ifd__way_row(h, k, CH_FROM_U), *to = ifd__way_row(h, k, CH_TO_U);
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

static double fit(const ifd_hybrid *h, double N)
{
    bool (*fits)(const ifd_hybrid *h, int k, double N) = *ifd__rem(h, REM_SMOOTH) > 0.0 ? fits_smoothly : fits_cubic;
    bool fine = false;
    for (int i = 0; i < LENGTHENINGS && !fine; i++) {
        fine = true;
        for (int k = 0; k < h->channels; k++)
            fine = fine && fits(h, k, N);
        N = fine ? N : ceil(LONGER * N);
    }
    return N;
}

/* Where the channels are and how fast they go becomes the start of a new path. */
void ifd__path_start_here(ifd_hybrid *h)
{
    for (int k = 0; k < h->channels; k++) {
        double y[3];
        on_path(h, k, y);
        memcpy(ifd__way_row(h, k, CH_FROM_U), y, sizeof y);
    }
}

bool ifd__path_moves(const ifd_hybrid *h)
{
    bool moves = false;
    for (int k = 0; k < h->channels; k++)
        moves = moves || *ifd__way_row(h, k, CH_TO_V) != 0.0;
    return moves;
}

bool ifd__path_leads_on(const ifd_hybrid *h)
{
    bool on = true;
    for (int k = 0; k < h->channels; k++) {
        double y[3];
        predicted(h, k, 0.0, y);
        on = on && *ifd__way_row(h, k, CH_TO_V) == y[1];
    }
    return on;
}

/* The path that is planned is a quintic, and ends at rest. */
static void end_at_rest(ifd_hybrid *h)
{
    *ifd__rem(h, REM_SMOOTH) = 1.0;
    for (int k = 0; k < h->channels; k++)
        *ifd__way_row(h, k, CH_TO_V) = *ifd__way_row(h, k, CH_TO_A) = 0.0;
}

void ifd__path_go(ifd_hybrid *h, ifd__phase next, double N)
{
    *ifd__rem(h, REM_PHASE) = (double)next;
    *ifd__hyb(h, HYB_N) = N;
    *ifd__hyb(h, HYB_K) = 0.0;
}

/* From where the last path was left to the newest target. A master that tries several displacements per step (order
 * 0) is followed without running ahead of it: every target is reached at rest. */
void ifd__path_correct(ifd_hybrid *h)
{
    const ifd_remote_options *o = ifd__remote_options(h->opt.remote);
    double m = h->opt.ticks_per_stage, left = m;
    bool predicts = ifd__rem_phase(h) == IFD__PHASE_PREDICT;
    if (predicts)
        left = fmax(m - *ifd__hyb(h, HYB_K), m - ifd__path_predictable(h));
    *ifd__rem(h, REM_SMOOTH) = predicts || ifd__path_moves(h) ? 0.0 : 1.0;
    for (int k = 0; k < h->channels; k++)
        predicted(h, k, 0.0, ifd__way_row(h, k, CH_TO_U));
    if ((o->paced && o->order == 0) || !ifd__path_moves(h))
        end_at_rest(h);
    double N = fit(h, left);
    if (N > JUMP * m) {
        *ifd__rem(h, REM_KNOWN) = 1.0;
        end_at_rest(h);
        N = fit(h, left);
    }
    ifd__path_go(h, IFD__PHASE_CORRECT, N);
    *ifd__rem(h, REM_GOAL) = *ifd__rem(h, REM_TAKEN);
}

/* Where a quintic from the present motion to rest ends that covers N ticks without turning back: its way is
 * N v/2 + N^2 a/12, and that of even braking when the acceleration would make it turn. */
static void aim_at_rest(ifd_hybrid *h, double N)
{
    for (int k = 0; k < h->channels; k++) {
        const ifd__bounds *b = &h->way[k].bounds;
        double v = *ifd__way_row(h, k, CH_FROM_V), even = 0.5 * N * v,
               bent = N * N * *ifd__way_row(h, k, CH_FROM_A) / 12.0;
        double way = (even + bent) * even > 0.0 ? even + bent : even;
        *ifd__way_row(h, k, CH_TO_U) = fmin(fmax(*ifd__way_row(h, k, CH_FROM_U) + way, b->low), b->high);
    }
}

/* To rest within half a step, or as fast as the limits allow. */
void ifd__path_brake(ifd_hybrid *h)
{
    double N = ceil(BRAKING * h->opt.ticks_per_stage);
    bool fine = false;
    ifd__path_start_here(h);
    end_at_rest(h);
    for (int i = 0; i < LENGTHENINGS && !fine; i++) {
        N = i > 0 ? ceil(LONGER * N) : N;
        aim_at_rest(h, N);
        fine = true;
        for (int k = 0; k < h->channels; k++)
            fine = fine && fits_smoothly(h, k, N);
    }
    ifd__path_go(h, IFD__PHASE_BRAKE, N);
}

/* On hold a target that is under way is still reached, at rest. */
void ifd__path_settle(ifd_hybrid *h)
{
    if (!ifd__path_moves(h))
        return;
    double left = fmax(*ifd__hyb(h, HYB_N) - *ifd__hyb(h, HYB_K), ceil(BRAKING * h->opt.ticks_per_stage));
    ifd__path_start_here(h);
    end_at_rest(h);
    ifd__path_go(h, IFD__PHASE_CORRECT, fit(h, left));
}

/* What the governor makes of channel k is not what it was asked for. A governed position is a sum of steps, and
 * rounded. */
static bool held_back(const ifd_hybrid *h, int k)
{
    const ifd__bounds *b = &h->way[k].bounds;
    double off = *ifd__way_row(h, k, CH_P) - *ifd__way_row(h, k, CH_ASKED);
    return !h->way[k].o->force && !(fabs(off) <= ROUND_OFF * (b->high - b->low));
}

bool ifd__path_arrived(const ifd_hybrid *h)
{
    bool met = *ifd__hyb(h, HYB_K) >= *ifd__hyb(h, HYB_N);
    for (int k = 0; k < h->channels && met; k++)
        met = !held_back(h, k);
    return met;
}

/* Behind the end of its path a target stands. What still moves then gets there within the time in which a governor
 * crosses its whole stroke, s/v + v/a; what stands short of it stands at an edge, and stays. */
int ifd__path_in_vain(const ifd_hybrid *h, double value[2])
{
    double over = *ifd__hyb(h, HYB_K) - *ifd__hyb(h, HYB_N) - SETTLE * h->opt.ticks_per_stage;
    for (int k = 0; k < h->channels && over > 0.0; k++) {
        const ifd__bounds *b = &h->way[k].bounds;
        double cross = (b->high - b->low) / b->velocity + b->velocity / b->acceleration;
        if (!held_back(h, k) || (*ifd__way_row(h, k, CH_W) != 0.0 && over * b->dt <= cross))
            continue;
        value[0] = *ifd__way_row(h, k, CH_ASKED);
        value[1] = value[0] > b->high ? b->high : value[0] < b->low ? b->low : *ifd__way_row(h, k, CH_P);
        return k;
    }
    return -1;
}
