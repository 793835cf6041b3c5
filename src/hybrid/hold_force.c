/* SPDX-License-Identifier: MIT */
#include "hybrid/chain/chain.h"
#include "hybrid/hold_force.h"
#include "hybrid/columns.h"

#include <math.h>
#include <stddef.h>

#include "hybrid/observe.h"
#include "hybrid/pace/scaled.h"
#include "hybrid/part.h"

/* Ticks of a mean, which reduces noise by a factor of seven. */
static const double mean_ticks = 50.0;
/* Lags of an actuator after which 2 % of its last motion remain (first order, e^-4). */
static const double settling_lags = 4.0;
/* Standard deviations of the noise added to the bound: the newest mean can be of one tick. */
static const double certain = 3.0;
/* Lower bound as a fraction of the largest force since arming: a fraction of a very small force is noise. */
static const double least = 0.1;

static bool asked(const ifd_hybrid *h)
{
    return h->opt.hold_relaxation > 0.0 && !h->pace->elsewhere;
}

static int doubles(const ifd_hybrid *h)
{
    return h->interfaces * ifd__rest_size();
}

int ifd__rest_size(void)
{
    return IFD__DOUBLES(ifd__hold_force);
}

static bool judged(const ifd_hybrid *h, int k)
{
    return !h->interface[k].o->force;
}

static void add(double f, double *mean, double *count)
{
    *count = fmin(*count + 1.0, mean_ticks);
    *mean += (f - *mean) / *count;
}

static void see(ifd_hybrid *h, int k)
{
    ifd__hold_force *r = &h->hold[k];
    double f = ifd__chain_force(&h->io, k);
    if (r->rested > 0.0 || ifd__hybrid_slower(h, 1.0))
        r->rested += h->period;
    if (!h->io.renewed[k] || !isfinite(f) || !(r->rested > settling_lags * ifd__observed_lag(&h->io, k)))
        return;
    if (r->firsts < mean_ticks)
        add(f, &r->first, &r->firsts);
    add(f, &r->newest, &r->newests);
}

/* In every tick after sense. */
static IFD_RT void observe(ifd_hybrid *h)
{
    bool rests = ifd__state_of(h) == IFD_MACHINE_HOLD && h->pace->rests(h);
    for (int k = 0; k < h->interfaces; k++)
        if (rests)
            see(h, k);
        else
            h->hold[k] = (ifd__hold_force){0};
}

void ifd__rest_again(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++)
        h->hold[k].newest = h->hold[k].newests = 0.0;
}

bool ifd__rest_known(const ifd_hybrid *h)
{
    bool all = true;
    for (int k = 0; k < h->interfaces; k++)
        all = all && (!judged(h, k) || h->hold[k].firsts >= mean_ticks);
    return all;
}

bool ifd__rest_fresh(const ifd_hybrid *h)
{
    return !h->pace->rests(h) || ifd__test_of(h)->stale == 0.0;
}

/* The force with which a change is compared. The largest force is without the tare. */
static double compared(const ifd_hybrid *h, int k)
{
    const ifd__interface_state *s = ifd__interface_of(h, k);
    double peak = fmax(0.0, s->seen.peak_f - fabs(s->force_offset));
    return fmax(fabs(h->hold[k].first), least * fabs(h->interface[k].factor) * peak);
}

static double noise(const ifd_hybrid *h, int k)
{
    return certain * fabs(h->interface[k].factor) * ifd__observed_force_noise(&h->io, k);
}

static double change_of(const ifd_hybrid *h, int k)
{
    const ifd__hold_force *r = &h->hold[k];
    return (r->newests > 0.0 ? r->newest : ifd__chain_force(&h->io, k)) - r->first;
}

static bool is_compared(const ifd_hybrid *h)
{
    return ifd__state_of(h) == IFD_MACHINE_HOLD && h->pace->rests(h) && ifd__rest_known(h);
}

/* A value that is not finite is never permitted. */
ifd__rest_change ifd__rest_changed(const ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces && is_compared(h); k++) {
        double change = change_of(h, k), limit = h->opt.hold_relaxation * compared(h, k) + noise(h, k);
        if (judged(h, k) && !(isfinite(ifd__chain_force(&h->io, k)) && fabs(change) <= limit))
            return (ifd__rest_change){k, change, limit};
    }
    return (ifd__rest_change){.channel = -1};
}

double ifd__rest_relaxation(const ifd_hybrid *h, int k)
{
    double of = is_compared(h) && judged(h, k) ? compared(h, k) : 0.0;
    return of > 0.0 ? fmax(0.0, fabs(change_of(h, k)) - noise(h, k)) / of : 0.0;
}

static double relaxation(const ifd__column_source *source)
{
    return ifd__rest_relaxation(source->self, source->index);
}

static ifd_status columns(ifd_hybrid *h, ifd_arena *arena)
{
    static const ifd__column_row row = {IFD_COLUMN_HOLD_RELAXATION, 0, relaxation};
    for (int k = 0; k < h->interfaces; k++)
        IFD_TRY(ifd__columns_add(
            h, arena, &(ifd__column_set){.owner = h->interface[k].o->name, .index = k, .row = &row, .rows = 1}));
    return IFD_OK;
}

const ifd__part ifd__part_hold_force = {.name = "hold force",
                                        .about = "change of the forces on hold, which a resume compares",
                                        .asked = asked,
                                        .doubles = doubles,
                                        .own = offsetof(ifd_hybrid, hold),
                                        .columns = columns,
                                        .observe = observe};
