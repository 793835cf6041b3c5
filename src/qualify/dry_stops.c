/* SPDX-License-Identifier: MIT */
/* Orders a stop at chosen instants of a dry run and keeps the peaks. */
#include "qualify/dry_stops.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

enum { EXTREMES = 3, MORE = 10, PLACES = EXTREMES + MORE };
/* A state is kept anew when an extreme grows by this fraction: a few hundred copies instead of one in every tick. */
static const double grown = 1.01;
static const double longest = 30.0; /* s of wall-clock time of one stop */

typedef struct kept {
    double size, time; /* of the extreme; s: of ramp-in, or simulated */
    ifd_measure raw, measure;
    double *x;
} kept;

struct ifd__stops {
    kept place[2][PLACES]; /* of ramp-in and of run */
    int taken[2];          /* of the instants that are not extremes */
};

ifd_status ifd__stops_make(ifd_arena *arena, const ifd_hybrid *h, ifd__stops **out)
{
    ifd__stops *s;
    *out = NULL;
    if (h->opt.remote || h->numerical.ops->held_elsewhere || (h->opt.couple && h->opt.couple->threads > 1))
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    for (int i = 0; i < 2 * PLACES; i++) {
        kept *p = &s->place[i / PLACES][i % PLACES];
        p->time = -1.0;
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->x, h->size)));
    }
    *out = s;
    return IFD_OK;
}

static double time_of(const ifd_hybrid *h, bool runs)
{
    return runs ? ifd_hybrid_time(h) : ifd__test_of(h)->state_time;
}

static void keep(kept *p, const ifd_hybrid *h, bool runs, double size)
{
    p->size = size;
    p->time = time_of(h, runs);
    p->raw = h->raw;
    p->measure = h->measure;
    memcpy(p->x, h->x, (size_t)h->size * sizeof *p->x);
}

/* Velocity, force and change of force of the specimen for which they are largest, relative to its limits. A force
 * without a limit is relative to that of its stiffness at the end of the stroke. */
static void sizes(const ifd_hybrid *h, double size[EXTREMES])
{
    size[0] = size[1] = size[2] = 0.0;
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__interface_state *s = ifd__interface_of(h, k);
        const ifd__test_interface *w = &h->interface[k];
        double limit = w->o->limits.force, stiff = w->stiffness * (w->bounds.high - w->bounds.low);
        double force = isfinite(limit) ? limit : stiff > 0.0 ? stiff : 1.0;
        size[0] = fmax(size[0], fabs(s->step) / (w->bounds.velocity * h->period));
        size[1] = fmax(size[1], fabs(s->measured_f) / force);
        size[2] = fmax(size[2], fabs(s->measured_f - s->last_f) / force);
    }
}

void ifd__stops_watch(ifd__stops *s, const ifd_hybrid *h)
{
    ifd_machine state = ifd__state_of(h);
    bool runs = state == IFD_MACHINE_RUN, ramps = state == IFD_MACHINE_RAMP_IN;
    double size[EXTREMES], end = runs ? h->opt.end : h->opt.ramp_in;
    if ((!runs && !ramps) || !ifd__substructure_whole(&h->numerical, (int)ifd__test_of(h)->exchange))
        return;
    kept *p = s->place[runs];
    sizes(h, size);
    for (int i = 0; i < EXTREMES; i++)
        if (size[i] > grown * p[i].size)
            keep(&p[i], h, runs, size[i]);
    int *more = &s->taken[runs];
    if (*more < MORE && time_of(h, runs) >= (*more + 0.5) / MORE * end)
        keep(&p[EXTREMES + (*more)++], h, runs, 0.0);
}

static void put_back(ifd_hybrid *h, const kept *p)
{
    h->raw = p->raw;
    h->measure = p->measure;
    memcpy(h->x, p->x, (size_t)h->size * sizeof *p->x);
    h->command.tick = (uint64_t)ifd__test_of(h)->tick; /* which the rig acknowledges next */
}

static void see_peaks(const ifd_hybrid *h, ifd__dry *out)
{
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__interface_state *s = ifd__interface_of(h, k);
        ifd__dry_interface *d = &out->channel[k];
        d->stop_low = fmin(d->stop_low, fmin(s->command, s->measured_x));
        d->stop_high = fmax(d->stop_high, fmax(s->command, s->measured_x));
        d->stop_force = fmax(d->stop_force, fabs(s->measured_f));
    }
}

/* Until everything is at rest, or it trips. */
static void stop(ifd_hybrid *h, const kept *p, bool runs, ifd__dry *out)
{
    ifd_ticked t = ifd_hybrid_ticked(h);
    ifd_order order = IFD_ORDER_STOP;
    put_back(h, p);
    for (double time = 0.0; time < longest; time += h->period) {
        (void)t.tick(t.self, &(ifd_tick_in){.order = order});
        order = IFD_ORDER_NONE;
        see_peaks(h, out);
        ifd_machine state = ifd__state_of(h);
        bool rests = state == IFD_MACHINE_RAMP_OUT && ifd__test_of(h)->braked > 0.0;
        if (rests || state == IFD_MACHINE_STOPPED || state == IFD_MACHINE_TRIPPED)
            break;
    }
    if (ifd__state_of(h) == IFD_MACHINE_TRIPPED && out->stop_trip.trip == IFD_TRIP_NONE) {
        out->stop_trip = ifd_hybrid_trip(h);
        out->stop_runs = runs;
        out->stop_time = p->time;
    }
    out->stops++;
}

void ifd__stops_try(ifd__stops *s, ifd_hybrid *h, ifd__dry *out)
{
    for (int i = 0; i < 2 * PLACES; i++) {
        const kept *p = &s->place[i / PLACES][i % PLACES];
        if (p->time >= 0.0)
            stop(h, p, i / PLACES, out);
    }
}
