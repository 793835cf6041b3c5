/* SPDX-License-Identifier: MIT */
/* Commands outside of run and hold: ramp-in, ramp-out, return into the stroke, brake after a trip. */
#include "hybrid/force_control.h"
#include "rig/quintic.h"
#include "hybrid/ramp_out/ramp_out.h"
#include "hybrid/start_test.h"

#include <math.h>

void ifd__hybrid_command(ifd_hybrid *h, int k, ifd__governed g)
{
    ifd__interface_state *s = h->each[k];
    s->command = s->next_target = g.p;
    s->step = g.w;
    s->next_target_v = g.w / h->period;
}

double ifd__ramps_from(const ifd_hybrid *h, int k)
{
    return h->test->preload > 0.0 || ifd__start_returns(h) ? h->each[k]->from_u : h->each[k]->start;
}

static bool slow(const ifd__bounds *b, double step, double share)
{
    return fabs(step) <= share * (b->acceleration * b->dt * b->dt);
}

bool ifd__io_slower(const ifd__io *io, double share)
{
    bool all = true;
    for (int k = 0; k < io->f->interfaces; k++)
        all = all && slow(&io->f->interface[k].bounds, io->interface[k]->step, share);
    for (int d = 0; d < io->f->drives; d++)
        for (int j = 0; j < io->f->drive[d].o->drive.actuators; j++)
            all = all && slow(&io->f->drive[d].bounds[j], io->drive[d].actuator[j].step, share);
    return all;
}

bool ifd__hybrid_still(const ifd_hybrid *h)
{
    return ifd__io_slower(&h->io, 0.0);
}

bool ifd__hybrid_may_quit(const ifd_hybrid *h)
{
    double longest = 3.0; /* s; from the velocity limit with the acceleration limit, twice */
    for (int k = 0; k < h->interfaces; k++)
        longest = fmax(longest, 2.0 * h->interface[k].bounds.velocity / h->interface[k].bounds.acceleration);
    return ifd__hybrid_still(h) || h->test->state_time > longest;
}

/* Command of interface k outside of run; returns whether it has arrived. */
static bool shape_interface(ifd_hybrid *h, ifd_machine state, int k)
{
    ifd__test_state *t = h->test;
    ifd__interface_state *c = h->each[k];
    const ifd__bounds b = ifd__return_bounds(state, &h->interface[k].bounds, c->start);
    ifd__governed g = {c->command, c->step};
    double target = (double)NAN, step = 0.0, s = t->state_time / h->opt.ramp_in;
    if (state == IFD_MACHINE_RAMP_OUT)
        return ifd__ramp_out_step(h, k);
    if (h->interface[k].o->force && state == IFD_MACHINE_RAMP_IN)
        return ifd__force_step(h, k, ifd__force_ramp(h, k, s)) && s >= 1.0;
    if (state == IFD_MACHINE_RAMP_IN && !ifd__start_brakes(h)) {
        double from = ifd__ramps_from(h, k), last = s - h->ramps / h->opt.ramp_in;
        target = ifd__rest_to_rest(from, c->to_u, s);
        step = target - ifd__rest_to_rest(from, c->to_u, last);
    }
    if (state == IFD_MACHINE_RETURN)
        target = ifd__return_target(h, k, t->state_time - h->period, &step);
    bool there =
        isfinite(target) ? ifd__governor_step(&b, target, step, &g) && g.w == 0.0 : ifd__governor_brake(&b, &g);
    if (state == IFD_MACHINE_RAMP_IN)
        there = there && s >= 1.0 && !ifd__start_brakes(h);
    if (state == IFD_MACHINE_RETURN)
        there = there && t->state_time - h->period >= t->return_time;
    ifd__hybrid_command(h, k, g);
    return there;
}

typedef enum commanded { POSITION, COMPUTED_FORCE, PRESCRIBED_FORCE } commanded;

/* Commands of the interfaces of one kind; whether all have arrived. kept: forces remain. */
static bool shape_all(ifd_hybrid *h, ifd_machine state, commanded kind, bool kept)
{
    bool there = true;
    for (int k = 0; k < h->interfaces; k++) {
        const ifd_force_control *f = h->interface[k].o->force;
        if (kind != (!f ? POSITION : f->computed ? COMPUTED_FORCE : PRESCRIBED_FORCE))
            continue;
        there = (kept ? ifd__force_step(h, k, ifd__force_keep(h, k)) : shape_interface(h, state, k)) && there;
    }
    return there;
}

/* In ramp-out a computed force is released at once: held, it would move its specimen away. A prescribed force, such
 * as the weight on a column, is released last, after it has come to rest: a brake of its position would change it. */
bool ifd__ramps_shape(ifd_hybrid *h, ifd_machine state)
{
    ifd__test_state *t = h->test;
    bool met = !h->drives || ifd__drives_awaited(h, true) < 0, out = state == IFD_MACHINE_RAMP_OUT;
    bool paced = state == IFD_MACHINE_RAMP_IN || out || state == IFD_MACHINE_RETURN;
    t->state_time += paced ? h->ramps : h->period;
    if (paced && h->pace->ramp)
        h->pace->ramp(h);
    bool followed = !h->drives || ifd__drives_awaited(h, false) < 0, moved = shape_all(h, state, POSITION, false);
    moved = shape_all(h, state, COMPUTED_FORCE, false) && moved;
    bool kept = out && !(moved && followed && (!h->forces || ifd__force_rests(h))) && !ifd__ramp_out_released(h);
    bool released = shape_all(h, state, PRESCRIBED_FORCE, kept);
    ifd__ramp_out_braked(h);
    if (h->preload)
        ifd__preload_watch(h);
    if (h->start && state == IFD_MACHINE_RAMP_IN)
        ifd__start_watch(h);
    t->settled = moved && !kept && released && met ? t->settled + h->period : 0.0;
    return t->settled >= h->opt.settle + ifd__answer_age(h); /* the answer of the end */
}
