/* SPDX-License-Identifier: MIT */
/* The bound of a test that makes no progress: standstill.h. */
#include "hybrid/standstill.h"

#include <math.h>

#include "hybrid/orders.h"
#include "hybrid/ramp_out/ramp_out.h"
#include "hybrid/pace/scaled.h"

static const double without_elastic = 30.0;       /* s */
static const double slowest = 0.5 * IFD__SLOWEST; /* rate of a run: the monitor halves the slowest ordered pace */

double ifd__standstill_limit(const ifd_hybrid *h)
{
    double rate = h->pace->slowest ? fmin(slowest, h->pace->slowest(h)) : slowest;
    double give_up = h->rig.give_up > 0.0 ? h->rig.give_up : without_elastic;
    return give_up + h->opt.ticks_per_stage * h->period / rate + IFD__LONGEST_BRAKE * h->opt.brake + h->opt.settle;
}

/* A limit of velocity of a dof, or the rate of a prescribed force, can make a ramp-in longer than its planned motion.
 * A computed force follows a noisy position at all times. */
static IFD_RT bool still_ramps(const ifd_hybrid *h)
{
    bool any = false;
    for (int k = 0; k < h->interfaces; k++) {
        const ifd_force_control *f = h->interface[k].o->force;
        any = any || (f ? !f->computed && h->each[k]->force_step != 0.0 : h->each[k]->step != 0.0);
    }
    return any;
}

static bool advances(const ifd_hybrid *h, bool solved)
{
    ifd_machine state = ifd__state_of(h);
    bool moves = h->ramps > 0.0;
    if (state == IFD_MACHINE_RUN)
        return solved || h->pace->elsewhere;
    if (state == IFD_MACHINE_RAMP_IN)
        return solved || (h->gate & IFD_GATE_START) ||
               (moves && (h->test->state_time <= h->opt.ramp_in || still_ramps(h)));
    if (state == IFD_MACHINE_RAMP_OUT)
        return moves && ifd__ramp_out_nears_end(h);
    if (state == IFD_MACHINE_HOLD) { /* a stop or a park waits for rest */
        ifd__wants wants = (ifd__wants)(int)h->orders->wants;
        return wants == IFD__WANTS_NOTHING || wants == IFD__WANTS_LATER;
    }
    return moves || state != IFD_MACHINE_RETURN;
}

/* The actuator or the rig for which it waits; -1: unknown. */
static int awaited(const ifd_hybrid *h, bool ramps)
{
    int actuator = ramps ? ifd__drives_awaited(h, true) : -1;
    return actuator != -1 ? actuator : h->pace->awaited ? h->pace->awaited(h) : -1;
}

ifd_action ifd__standstill_tick(ifd_hybrid *h, bool solved, ifd_action worst)
{
    double *stands = &h->test->stands;
    bool ramps = ifd__state_of(h) == IFD_MACHINE_RAMP_IN || ifd__state_of(h) == IFD_MACHINE_RAMP_OUT;
    *stands = advances(h, solved) ? 0.0 : *stands + 1.0;
    double time = *stands * h->period, limit = h->standstill + (ramps ? h->catch_up : 0.0);
    if (!(time > limit))
        return worst;
    *stands = 0.0; /* again for a ramp-out */
    ifd_machine state = ifd__state_of(h);
    bool ends = state == IFD_MACHINE_RAMP_OUT || state == IFD_MACHINE_RETURN;
    return ifd__fault_act(&h->faults, IFD_TRIP_STANDSTILL, ends ? IFD_ACTION_TRIP : IFD_ACTION_RAMP_OUT,
                          awaited(h, ramps), (const double[]){time, limit}, worst);
}
