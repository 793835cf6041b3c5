/* SPDX-License-Identifier: MIT */
#include "hybrid/chain.h"
#include "hybrid/overtime.h"

#include <math.h>

#include "hybrid/quintic.h"
#include "hybrid/simulated_time.h"
#include "hybrid/wall.h"

static const double fraction = 0.9;  /* of the acceleration limit */
static const double gentle = 0.01;   /* of it: such an acceleration is permitted whatever the run had */
static const double continues = 0.5; /* of the ordered pace: a smaller rate returns first */
static const double reach = 0.25;    /* of a stage */

/* s, T/2 of one command with these peaks, this present velocity and this limit. */
static double time_of(const ifd_hybrid *h, double V, double A, double v, double limit)
{
    double own = V > 0.0 && A > 0.0 ? V / A : h->opt.brake;
    return fmax(fmin(own, fmax(h->opt.brake, 2.0 * V / (gentle * limit))), 2.0 * fabs(v) / (fraction * limit));
}

/* Ticks of the motion: of the slowest interface or actuator of a drive. */
static double ticks_of(const ifd_hybrid *h)
{
    double time = 2.0 * h->period;
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__interface_state *s = ifd__interface_of(h, k);
        if (!h->interface[k].o->force)
            time = fmax(time, time_of(h, s->seen.peak_v, s->seen.peak_a, s->step / h->period,
                                      h->interface[k].bounds.acceleration));
    }
    for (int d = 0; d < h->drives; d++)
        for (int j = 0; j < h->drive[d].o->drive.actuators; j++) {
            const ifd__actuator_state *a = ifd__actuator_of(h, &h->drive[d], j);
            time =
                fmax(time, time_of(h, a->peak_v, a->peak_a, a->step / h->period, h->drive[d].bounds[j].acceleration));
        }
    return ceil(2.0 * time / h->period);
}

/* The force of the stage, as it would be used now. */
static void keep_force(ifd_hybrid *h, int k)
{
    ifd__interface_state *s = ifd__interface_of(h, k);
    double f = ifd__chain_force(h, k), share = ifd__time_fraction(h, k);
    s->force = share == 1.0 ? f : s->force + share * (f - s->force);
    ifd__wall_keep(h, k, share);
}

/* With less than a tick in reach a test that tolerates late ticks waits at the stage, braked by the governor. */
void ifd__overtime_wait(ifd_hybrid *h, ifd_action action)
{
    ifd__test_state *t = ifd__test_of(h);
    bool held = action >= IFD_ACTION_HOLD || ifd__state_of(h) == IFD_MACHINE_HOLD;
    if (ifd__overtime(h) || h->elastic || (!held && reach * h->opt.ticks_per_stage < 1.0))
        return;
    if (t->not_ready > 1.0) /* it has waited there */
        t->rate = t->slope = 0.0;
    for (int k = 0; k < h->interfaces; k++)
        keep_force(h, k);
    ifd__test_of(h)->overtime = 1.0;
    ifd__test_of(h)->solved = 0.0;
    ifd__time_return(h, h->opt.ticks_per_stage, ticks_of(h));
}

/* The place of the stage is the end of the present path, or the beginning of the next one. */
static double past(const ifd_hybrid *h)
{
    const ifd__test_state *t = ifd__test_of(h);
    return ifd__test_of(h)->solved > 0.0 ? t->phase : t->phase - h->opt.ticks_per_stage;
}

void ifd__overtime_path(const ifd_hybrid *h, int k, double out[3])
{
    const ifd__interface_state *s = ifd__interface_of(h, k);
    bool solved = ifd__test_of(h)->solved > 0.0;
    double u = solved ? s->from_u : s->to_u, v = solved ? s->from_v : s->to_v;
    out[0] = u + past(h) / h->opt.ticks_per_stage * h->stage_time * v;
    out[1] = v;
    out[2] = 0.0;
}

/* The path of the stage becomes the cubic through the present point of the tangent: from_u and from_v are its
 * continuation to the beginning of the stage. */
static void join(ifd_hybrid *h, int k)
{
    ifd__interface_state *s = ifd__interface_of(h, k);
    double now[3], y[3], share = past(h) / h->opt.ticks_per_stage, T = (1.0 - share) * h->stage_time;
    ifd__overtime_path(h, k, now);
    ifd__interface_state rest = {.from_u = now[0], .from_v = now[1], .to_u = s->to_u, .to_v = s->to_v};
    const ifd__cubic p = ifd__cubic_of(&rest, T);
    ifd__cubic_at(&p, -share / (1.0 - share), T, y);
    s->from_u = y[0];
    s->from_v = y[1];
}

static void end(ifd_hybrid *h)
{
    ifd__test_of(h)->overtime = ifd__test_of(h)->solved = 0.0;
}

void ifd__overtime_solved(ifd_hybrid *h)
{
    const ifd__test_state *t = ifd__test_of(h);
    if (!ifd__overtime(h))
        return;
    ifd__test_of(h)->solved = 1.0;
    double y = past(h);
    if (ifd__state_of(h) != IFD_MACHINE_RUN || y > reach * h->opt.ticks_per_stage ||
        t->rate < continues * ifd__test_of(h)->pace)
        return;
    ifd__test_of(h)->overtime = 0.0;
    if (!ifd__time_go_on(h)) {
        ifd__test_of(h)->overtime = 1.0; /* they return first */
        return;
    }
    for (int k = 0; k < h->interfaces; k++)
        join(h, k);
    end(h);
}

/* At the place of the stage, which is solved, a run continues with the next tick. */
void ifd__overtime_tick(ifd_hybrid *h)
{
    if (!ifd__time_returns(h) || !(ifd__test_of(h)->solved > 0.0))
        return;
    end(h);
    ifd__time_rest(h);
}
