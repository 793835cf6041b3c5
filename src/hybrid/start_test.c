/* SPDX-License-Identifier: MIT */
/* Rehearsals of the first steps in ramp-in: start_test.h. */
#include "hybrid/start_test.h"

#include <math.h>
#include <string.h>

#include "hybrid/response.h"
#include "hybrid/part.h"

static ifd_status make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    (void)arena;
    for (int k = 0; k < h->interfaces; k++)
        if (h->interface[k].o->force)
            return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                                "interface '%s' is commanded in force: the iterative start needs specimens that are "
                                "moved",
                                h->interface[k].o->name);
    if (h->opt.preload || h->pace->awaits)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "the iterative start with specimens needs a test without %s",
                            h->opt.preload ? "preload" : "elastic time");
    const ifd_rts_options *o = h->opt.couple->rts;
    if (!(o->tolerance > 0.0) || o->iterations < 1)
        return ifd_note_add(
            note, IFD_RANGE, NULL,
            "the iterative start has the tolerance %g and %d rehearsals, expected a tolerance above 0 "
            "and at least one rehearsal",
            o->tolerance, o->iterations);
    return IFD_OK;
}

static int doubles(const ifd_hybrid *h)
{
    (void)h;
    return IFD__DOUBLES(ifd__start);
}

static IFD_RT void restart(ifd_hybrid *h)
{
    memset(h->start, 0, sizeof *h->start);
}

void ifd__start_begin(ifd_hybrid *h)
{
    h->start->phase = IFD__START_REHEARSES;
}

/* The structure is again at its initial state, the target of the return. */
static void aim_at_start(ifd_hybrid *h)
{
    h->test->step = h->test->exchange = 0.0;
    ifd__response_restart(h);
    for (int k = 0; k < h->interfaces; k++)
        ifd__hybrid_aim_at_start(h, k);
}

/* Permitted change of the force of each specimen by its noise: that of two samples, with few exceptions in a
 * window of ten. */
static void noise_of(const ifd_hybrid *h, double *noise)
{
    const double deviations = 4.0;
    const ifd__start *s = h->start;
    for (int k = 0; k < h->interfaces; k++)
        noise[k] = s->samples > 1.0 ? deviations * sqrt(s->square[k] / s->samples) : 0.0;
}

bool ifd__start_ends(ifd_hybrid *h, ifd_action *worst)
{
    const ifd_rts_options *o = h->opt.couple->rts;
    ifd__start *s = h->start;
    if (h->test->step < h->numerical.rehearsed)
        return false;
    double noise[IFD_RIG_ACTUATORS];
    noise_of(h, noise);
    ifd__exchange_load(h);
    s->change = h->numerical.ops->rehearsed(&h->numerical, o->tolerance, noise, h->x);
    s->rehearsals += 1.0;
    bool known = s->change <= 1.0;
    if (!known && s->rehearsals >= o->iterations)
        *worst = ifd__fault_note(&h->faults, IFD_TRIP_START, -1, s->change * o->tolerance, o->tolerance, *worst);
    s->phase = known ? IFD__START_KNOWN_BRAKES : IFD__START_BRAKES;
    aim_at_start(h);
    return true;
}

static void return_to_start(ifd_hybrid *h)
{
    h->start->phase = h->start->phase == IFD__START_KNOWN_BRAKES ? IFD__START_KNOWN_RETURNS : IFD__START_RETURNS;
    for (int k = 0; k < h->interfaces; k++)
        h->each[k]->from_u = h->each[k]->command;
    h->test->state_time = h->test->settled = 0.0;
}

void ifd__start_watch(ifd_hybrid *h)
{
    if (ifd__start_brakes(h) && ifd__hybrid_still(h))
        return_to_start(h);
    bool rests = h->test->settled >= 0.5 * h->opt.settle; /* first the actuator settles */
    h->start->samples += rests;
    for (int k = 0; k < h->interfaces && rests; k++) {
        double change = h->each[k]->measured_f - h->each[k]->last_f;
        h->start->square[k] += isfinite(change) ? change * change : 0.0;
    }
}

void ifd__start_here(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++)
        h->x[k] = h->each[k]->from_u = h->each[k]->to_u = h->each[k]->start;
}

static bool asked(const ifd_hybrid *h)
{
    return h->numerical.rehearsed;
}

const ifd__part ifd__part_start = {.name = "start",
                                   .about = "rehearsals of the first steps",
                                   .asked = asked,
                                   .make = make,
                                   .doubles = doubles,
                                   .own = offsetof(ifd_hybrid, start),
                                   .restart = restart};
