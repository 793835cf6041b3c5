/* SPDX-License-Identifier: MIT */
#include "run/pace.h"

#include <math.h>

#include "run/checkpoint.h"

static double ticks_of_brake(const ifd_hybrid *h)
{
    return fmax(2.0, round(h->opt.brake / h->period));
}

static double at_least(double low, double x)
{
    return x > low ? x : low;
}

void ifd__pace_begin(ifd_hybrid *h, bool at_end)
{
    *ifd__hyb(h, HYB_PHASE) = *ifd__hyb(h, HYB_PHASE_OLD) = at_end ? h->opt.ticks_per_stage : 0.0;
    *ifd__hyb(h, HYB_RATE) = *ifd__hyb(h, HYB_RATE0) = *ifd__hyb(h, HYB_RATE1) = 1.0;
    *ifd__hyb(h, HYB_K) = *ifd__hyb(h, HYB_N) = h->opt.ticks_per_stage; /* no plan; a remote path is travelled */
}

/* A rate that goes evenly from r0 to r1 covers (r0 + r1)/2 per tick. Where the end is given, the number
 * of ticks follows, and the cubic makes up for its being whole. From next to rest it would take for
 * ever: then the rate rises first. */
static void plan(ifd_hybrid *h, double to, double r1)
{
    double from = *ifd__hyb(h, HYB_PHASE), r0 = *ifd__hyb(h, HYB_RATE);
    double even = 2.0 * (to - from) / (r0 + r1), most = at_least(ticks_of_brake(h), 2.0 * (to - from));
    *ifd__hyb(h, HYB_RATE0) = r0;
    *ifd__hyb(h, HYB_RATE1) = r1;
    *ifd__hyb(h, HYB_FROM) = from;
    *ifd__hyb(h, HYB_TO) = to;
    *ifd__hyb(h, HYB_K) = 0.0;
    *ifd__hyb(h, HYB_N) = at_least(1.0, ceil(even < most ? even : most)); /* never faster than evenly */
}

/* Rest is where a stage falls due, and in parts the last of a step: the first such place that lies far enough. */
void ifd__pace_hold(ifd_hybrid *h)
{
    double r = *ifd__hyb(h, HYB_RATE), phase = *ifd__hyb(h, HYB_PHASE), m = h->opt.ticks_per_stage;
    double way = 0.5 * r * r * ticks_of_brake(h), exchanges = h->computed.exchanges;
    double more = ceil(at_least(0.0, phase + way - m) / m), due = *ifd__hyb(h, HYB_DUE);
    if (h->computed.coupled)
        more += fmod(2.0 * exchanges - fmod(due + more, exchanges), exchanges);
    plan(h, m * (1.0 + more), 0.0);
}

/* At full rate all ticks are whole ones. What is missing to that is made up for on a way that is not too short. */
void ifd__pace_resume(ifd_hybrid *h)
{
    double r = *ifd__hyb(h, HYB_RATE), way = 0.5 * (1.0 - r * r) * ticks_of_brake(h);
    plan(h, ceil(*ifd__hyb(h, HYB_PHASE) + at_least(0.25 * ticks_of_brake(h), way)), 1.0);
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

void ifd__pace_tick(ifd_hybrid *h)
{
    double N = *ifd__hyb(h, HYB_N), *K = ifd__hyb(h, HYB_K), *phase = ifd__hyb(h, HYB_PHASE);
    double r0 = *ifd__hyb(h, HYB_RATE0), r1 = *ifd__hyb(h, HYB_RATE1), from = *ifd__hyb(h, HYB_FROM);
    if (ifd__pace_due(h))
        return; /* at rest, or what falls due could not be solved */
    *ifd__hyb(h, HYB_PHASE_OLD) = *phase;
    *K += 1.0;
    if (*K >= N) {
        *phase = *K == N ? *ifd__hyb(h, HYB_TO) : *phase + 1.0;
        *ifd__hyb(h, HYB_RATE) = r1;
        return;
    }
    double x = *K / N, way = *ifd__hyb(h, HYB_TO) - from, c2 = 3.0 * way - N * (2.0 * r0 + r1),
           c3 = N * (r0 + r1) - 2.0 * way;
    *phase = from + x * (N * r0 + x * (c2 + x * c3));
    *ifd__hyb(h, HYB_RATE) = r0 + x * (2.0 * c2 + 3.0 * c3 * x) / N;
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
