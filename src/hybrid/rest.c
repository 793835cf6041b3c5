/* SPDX-License-Identifier: MIT */
#include "hybrid/rest.h"

#include <math.h>

#include "hybrid/observe.h"
#include "hybrid/simulated_time.h"

/* Ticks of a mean, which reduces noise by a factor of seven. */
static const double mean_ticks = 50.0;
/* Lags of an actuator after which 2 % of its last motion remain (first order, e^-4). */
static const double settling_lags = 4.0;
/* Standard deviations of the noise added to the bound: the newest mean can be of one tick. */
static const double certain = 3.0;
/* Lower bound as a fraction of the largest force since arming: a fraction of a very small force is noise. */
static const double least = 0.1;

static bool wanted(const ifd_hybrid *h)
{
    return h->opt.hold_relaxation > 0.0 && !h->opt.remote;
}

void ifd__rest_layout(ifd_hybrid *h)
{
    h->rest_at = h->size;
    h->size += wanted(h) ? h->interfaces * ifd__rest_size() : 0;
}

int ifd__rest_size(void)
{
    return IFD__DOUBLES(ifd__hold_force);
}

ifd__hold_force *ifd__rest_of(const ifd_hybrid *h, int k)
{
    return (ifd__hold_force *)(h->x + h->rest_at) + k;
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

static void see(ifd_hybrid *h, int k, bool fresh)
{
    ifd__hold_force *r = ifd__rest_of(h, k);
    double f = ifd__exchange_force(h, k);
    if (r->rested > 0.0 || ifd__hybrid_slower(h, 1.0))
        r->rested += h->period;
    if (!fresh || !isfinite(f) || !(r->rested > settling_lags * ifd__observed_lag(h, k)))
        return;
    if (r->firsts < mean_ticks)
        add(f, &r->first, &r->firsts);
    add(f, &r->newest, &r->newests);
}

void ifd__rest_tick(ifd_hybrid *h, bool fresh)
{
    bool rests = ifd__state_of(h) == IFD_MACHINE_HOLD && ifd__time_rests(h);
    for (int k = 0; k < h->interfaces && wanted(h); k++)
        if (rests)
            see(h, k, fresh);
        else
            *ifd__rest_of(h, k) = (ifd__hold_force){0};
}

void ifd__rest_again(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces && wanted(h); k++)
        ifd__rest_of(h, k)->newest = ifd__rest_of(h, k)->newests = 0.0;
}

bool ifd__rest_known(const ifd_hybrid *h)
{
    bool all = true;
    for (int k = 0; k < h->interfaces && wanted(h); k++)
        all = all && (!judged(h, k) || ifd__rest_of(h, k)->firsts >= mean_ticks);
    return all;
}

bool ifd__rest_fresh(const ifd_hybrid *h)
{
    return !wanted(h) || !ifd__time_rests(h) || ifd__test_of(h)->stale == 0.0;
}

/* The largest force is without the tare. A value that is not finite is never permitted. */
static double permitted(const ifd_hybrid *h, int k)
{
    const ifd__interface_state *s = ifd__interface_of(h, k);
    double factor = fabs(h->interface[k].factor);
    double peak = fmax(0.0, ifd__observed_peak_force(h, k) - fabs(s->force_offset));
    return h->opt.hold_relaxation * fmax(fabs(ifd__rest_of(h, k)->first), least * factor * peak) +
           certain * factor * ifd__observed_force_noise(h, k);
}

ifd__rest_change ifd__rest_changed(const ifd_hybrid *h)
{
    if (!wanted(h) || ifd__state_of(h) != IFD_MACHINE_HOLD || !ifd__time_rests(h) || !ifd__rest_known(h))
        return (ifd__rest_change){.channel = -1};
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__hold_force *r = ifd__rest_of(h, k);
        double now = ifd__exchange_force(h, k), change = (r->newests > 0.0 ? r->newest : now) - r->first;
        double limit = permitted(h, k);
        if (judged(h, k) && !(isfinite(now) && fabs(change) <= limit))
            return (ifd__rest_change){k, change, limit};
    }
    return (ifd__rest_change){.channel = -1};
}
