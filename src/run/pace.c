/* SPDX-License-Identifier: MIT */
#include "run/pace.h"

#include <math.h>

#include "run/checkpoint.h"

/* A hold takes `brake`, and longer where the run was slow: a rate that falls to zero within T adds up to 1.5 v/T
 * to the acceleration of the command. For a motion v = V sin, a = A cos the sum stays below A when T is at least
 * sqrt(3) V/A; rounded up. What adds less than a hundredth of the limit is not worth a longer hold: in a slow test it
 * would be spread over stages whose forces are interpolated, where a short one rests on the next stage. */
static const double slow_brake = 1.75; /* V/A of the run */
static const double steepest = 1.5;    /* of the smooth rate, over 1/T */
static const double gentle = 0.01;     /* of the limit of acceleration */

static double ticks_of_brake(const ifd_hybrid *h)
{
    double time = h->opt.brake, most = IFD__LONGEST_BRAKE * h->opt.brake;
    for (int k = 0; k < h->channels; k++) {
        double v = *ifd__way_row(h, k, CH_PEAK_V), a = *ifd__way_row(h, k, CH_PEAK_A);
        double enough = steepest * v / (gentle * h->way[k].bounds.acceleration);
        if (!h->way[k].o->force && v > 0.0 && a > 0.0)
            time = fmax(time, fmin(most, fmin(enough, slow_brake * v / a)));
    }
    return fmax(2.0, round(time / h->period));
}

static double at_least(double low, double x)
{
    return x > low ? x : low;
}

void ifd__pace_begin(ifd_hybrid *h, bool at_end)
{
    *ifd__hyb(h, HYB_PHASE) = *ifd__hyb(h, HYB_PHASE_OLD) = at_end ? h->opt.ticks_per_stage : 0.0;
    *ifd__hyb(h, HYB_RATE) = *ifd__hyb(h, HYB_RATE0) = *ifd__hyb(h, HYB_RATE1) = 1.0;
    *ifd__hyb(h, HYB_SLOPE) = *ifd__hyb(h, HYB_SLOPE0) = 0.0;
    *ifd__hyb(h, HYB_K) = *ifd__hyb(h, HYB_N) = h->opt.ticks_per_stage; /* no plan; a remote path is travelled */
}

/* Ticks in which a rate goes smoothly from r0, changing by `slope` a tick, to r1 and rests there, on a way that is
 * given: the quintic covers N (r0 + r1)/2 + N^2 slope/12. */
static double ticks_of_way(double way, double r0, double r1, double slope)
{
    double b = 0.5 * (r0 + r1);
    return 2.0 * way / (b + sqrt(at_least(0.0, b * b + slope * way / 3.0)));
}

/* Where the end is given, the number of ticks follows, and the quintic makes up for its being whole. From next
 * to rest it would take for ever: then the rate rises first. */
static void plan(ifd_hybrid *h, double to, double r1)
{
    double from = *ifd__hyb(h, HYB_PHASE), r0 = *ifd__hyb(h, HYB_RATE), slope = *ifd__hyb(h, HYB_SLOPE);
    double even = ticks_of_way(to - from, r0, r1, slope), most = at_least(ticks_of_brake(h), 2.0 * (to - from));
    *ifd__hyb(h, HYB_RATE0) = r0;
    *ifd__hyb(h, HYB_RATE1) = r1;
    *ifd__hyb(h, HYB_SLOPE0) = slope;
    *ifd__hyb(h, HYB_FROM) = from;
    *ifd__hyb(h, HYB_TO) = to;
    *ifd__hyb(h, HYB_K) = 0.0;
    *ifd__hyb(h, HYB_N) = at_least(1.0, ceil(even < most ? even : most)); /* never faster than evenly */
}

/* The way in which `ticks` at full rate bring the present one to r1. */
static double way_of(const ifd_hybrid *h, double r1)
{
    double r = *ifd__hyb(h, HYB_RATE), N = fabs(r1 - r) * ticks_of_brake(h);
    return at_least(0.0, 0.5 * (r + r1) * N + *ifd__hyb(h, HYB_SLOPE) * N * N / 12.0);
}

/* Rest is where a stage falls due, and in parts the last of a step: the first such place that lies far enough. */
void ifd__pace_hold(ifd_hybrid *h)
{
    double phase = *ifd__hyb(h, HYB_PHASE), m = h->opt.ticks_per_stage;
    double exchanges = h->computed.exchanges;
    double more = ceil(at_least(0.0, phase + way_of(h, 0.0) - m) / m), due = *ifd__hyb(h, HYB_DUE);
    if (h->computed.coupled)
        more += fmod(2.0 * exchanges - fmod(due + more, exchanges), exchanges);
    plan(h, m * (1.0 + more), 0.0);
}

/* At full rate all ticks are whole ones. */
void ifd__pace_resume(ifd_hybrid *h)
{
    const double shortest =
        0.25; /* of the brake's ticks: what is missing to a whole tick is made up for on this way */
    plan(h, ceil(*ifd__hyb(h, HYB_PHASE) + at_least(shortest * ticks_of_brake(h), way_of(h, 1.0))), 1.0);
}

bool ifd__pace_due(const ifd_hybrid *h)
{
    return *ifd__hyb(h, HYB_PHASE) >= h->opt.ticks_per_stage;
}

bool ifd__pace_rests(const ifd_hybrid *h)
{
    return *ifd__hyb(h, HYB_RATE1) == 0.0 && *ifd__hyb(h, HYB_K) >= *ifd__hyb(h, HYB_N);
}

double ifd__pace_rate(const ifd_hybrid *h)
{
    return *ifd__hyb(h, HYB_LATE_JOB) > 0.0 ? 0.0 : *ifd__hyb(h, HYB_RATE);
}

void ifd__pace_stage(ifd_hybrid *h)
{
    static const int rows[] = {HYB_PHASE, HYB_PHASE_OLD, HYB_FROM, HYB_TO};
    for (int i = 0; i < 4; i++)
        *ifd__hyb(h, rows[i]) -= h->opt.ticks_per_stage;
}

/* The plan at x of its way, 0..1: a quintic with given rate and slope at its start, given rate and none at its
 * end. */
static void follow_plan(ifd_hybrid *h, double x)
{
    double N = *ifd__hyb(h, HYB_N), r0 = *ifd__hyb(h, HYB_RATE0), r1 = *ifd__hyb(h, HYB_RATE1);
    double from = *ifd__hyb(h, HYB_FROM), *phase = ifd__hyb(h, HYB_PHASE), q = N * N * *ifd__hyb(h, HYB_SLOPE0);
    double u = *ifd__hyb(h, HYB_TO) - from - N * r0 - 0.5 * q, v = N * (r1 - r0) - q;
    double c3 = 10.0 * u - 4.0 * v - 0.5 * q, c4 = -15.0 * u + 7.0 * v + q, c5 = 6.0 * u - 3.0 * v - 0.5 * q;
    double rate = r0 + x * (q + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5))) / N;
    *phase = at_least(*phase, from + x * (N * r0 + x * (0.5 * q + x * (c3 + x * (c4 + x * c5)))));
    *ifd__hyb(h, HYB_RATE) = fmin(1.0, at_least(0.0, rate));
    *ifd__hyb(h, HYB_SLOPE) = (q + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))) / (N * N);
}

void ifd__pace_tick(ifd_hybrid *h)
{
    double N = *ifd__hyb(h, HYB_N), *K = ifd__hyb(h, HYB_K), *phase = ifd__hyb(h, HYB_PHASE);
    if (ifd__pace_due(h))
        return; /* at rest, or what falls due could not be solved */
    *ifd__hyb(h, HYB_PHASE_OLD) = *phase;
    *K += 1.0;
    if (*K < N) {
        follow_plan(h, *K / N);
        return;
    }
    *phase = *K == N ? *ifd__hyb(h, HYB_TO) : *phase + 1.0;
    *ifd__hyb(h, HYB_RATE) = *ifd__hyb(h, HYB_RATE1);
    *ifd__hyb(h, HYB_SLOPE) = 0.0;
}

/* In proportion to the way where the specimen passes the stage's displacement, which is exact for all that is linear
 * in it; in proportion to time where it turns back in between. */
double ifd__pace_share(const ifd_hybrid *h, int k)
{
    double m = h->opt.ticks_per_stage, now = *ifd__hyb(h, HYB_PHASE), old = *ifd__hyb(h, HYB_PHASE_OLD);
    if (now <= m || old >= m)
        return 1.0;
    double u = *ifd__way_row(h, k, CH_FELT_AT);
    double way = (*ifd__way_row(h, k, CH_TO_U) - u) / (*ifd__way_row(h, k, CH_AIMED) - u);
    return way >= 0.0 && way <= 1.0 ? way : (m - old) / (now - old);
}

/* Between stages a cubic through displacement and velocity at both. Past the end only what is known for certain: the
 * velocity there and its change over the stage. */
void ifd__pace_path(const ifd_hybrid *h, int k, double out[3])
{
    double T = h->stage_time, s = *ifd__hyb(h, HYB_PHASE) / h->opt.ticks_per_stage;
    double a = *ifd__way_row(h, k, CH_FROM_U), b = *ifd__way_row(h, k, CH_TO_U);
    double va = T * *ifd__way_row(h, k, CH_FROM_V), vb = T * *ifd__way_row(h, k, CH_TO_V);
    double c2 = 3.0 * (b - a) - 2.0 * va - vb, c3 = 2.0 * (a - b) + va + vb, past = s - 1.0;
    if (past > 0.0) {
        out[0] = b + past * (vb + 0.5 * past * (vb - va));
        out[1] = (vb + past * (vb - va)) / T;
        out[2] = (vb - va) / (T * T);
        return;
    }
    out[0] = s == 1.0 ? b : a + s * (va + s * (c2 + s * c3)); /* the end to the bit */
    out[1] = (va + s * (2.0 * c2 + 3.0 * c3 * s)) / T;
    out[2] = (2.0 * c2 + 6.0 * c3 * s) / (T * T);
}
