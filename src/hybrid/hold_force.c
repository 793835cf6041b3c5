/* SPDX-License-Identifier: MIT */
/* The unit that compares forces on hold: hold_force.h. */
#include "hybrid/chain/chain.h"
#include "hybrid/hold_force.h"

#include <math.h>
#include <stddef.h>

#include "hybrid/observe.h"
#include "hybrid/unit.h"

/* Ticks of a mean, which reduces noise by a factor of seven. */
static const double mean_ticks = 50.0;
/* Lags of an actuator after which 2 % of its last motion remain (first order, e^-4). */
static const double settling_lags = 4.0;
/* Standard deviations of the noise added to the bound: the newest mean can be of one tick. */
static const double certain = 3.0;
/* Lower bound as a fraction of the largest force since arming: a fraction of a very small force is noise. */
static const double least = 0.1;

static bool asked(const ifd__facts *f)
{
    return f->opt->hold_relaxation > 0.0 && !f->opt->remote;
}

static int doubles(const ifd__facts *f, const void *data)
{
    (void)data;
    return f->interfaces * IFD__DOUBLES(ifd__hold_force);
}

static bool judged(const ifd__io *io, int k)
{
    return !io->f->interface[k].o->force;
}

static void add(double f, double *mean, double *count)
{
    *count = fmin(*count + 1.0, mean_ticks);
    *mean += (f - *mean) / *count;
}

static IFD_RT void see(const ifd__io *io, int k, ifd__hold_force *r)
{
    double f = ifd__chain_force(io, k);
    if (r->rested > 0.0 || ifd__io_slower(io, 1.0))
        r->rested += io->f->period;
    if (!io->renewed[k] || !isfinite(f) || !(r->rested > settling_lags * ifd__observed_lag(io, k)))
        return;
    if (r->firsts < mean_ticks)
        add(f, &r->first, &r->firsts);
    add(f, &r->newest, &r->newests);
}

/* In every tick after sense. */
static IFD_RT void observe(const ifd__io *io, const void *data, void *own)
{
    ifd__hold_force *r = own;
    (void)data;
    bool rests = ifd__io_state(io) == IFD_MACHINE_HOLD && ifd__io_rests(io);
    for (int k = 0; k < io->f->interfaces; k++)
        if (rests)
            see(io, k, &r[k]);
        else
            r[k] = (ifd__hold_force){0};
}

void ifd__rest_again(const ifd__io *io)
{
    for (int k = 0; k < io->f->interfaces; k++)
        io->hold[k].newest = io->hold[k].newests = 0.0;
}

bool ifd__rest_known(const ifd__io *io)
{
    bool all = true;
    for (int k = 0; k < io->f->interfaces; k++)
        all = all && (!judged(io, k) || io->hold[k].firsts >= mean_ticks);
    return all;
}

bool ifd__rest_fresh(const ifd__io *io)
{
    return !ifd__io_rests(io) || io->test->rig.stale == 0.0;
}

/* The force with which a change is compared. The largest force is without the tare. */
static double compared(const ifd__io *io, int k)
{
    double peak = fmax(0.0, io->interface[k]->seen.peak_f - fabs(io->interface[k]->force_offset));
    return fmax(fabs(io->hold[k].first), least * fabs(io->f->interface[k].factor) * peak);
}

static double noise(const ifd__io *io, int k)
{
    return certain * fabs(io->f->interface[k].factor) * ifd__observed_force_noise(io, k);
}

static double change_of(const ifd__io *io, int k)
{
    const ifd__hold_force *r = &io->hold[k];
    return (r->newests > 0.0 ? r->newest : ifd__chain_force(io, k)) - r->first;
}

static bool is_compared(const ifd__io *io)
{
    return ifd__io_state(io) == IFD_MACHINE_HOLD && ifd__io_rests(io) && ifd__rest_known(io);
}

/* A value that is not finite is never permitted. */
ifd__rest_change ifd__rest_changed(const ifd__io *io)
{
    for (int k = 0; k < io->f->interfaces && is_compared(io); k++) {
        double change = change_of(io, k), limit = io->f->opt->hold_relaxation * compared(io, k) + noise(io, k);
        if (judged(io, k) && !(isfinite(ifd__chain_force(io, k)) && fabs(change) <= limit))
            return (ifd__rest_change){k, change, limit};
    }
    return (ifd__rest_change){.interface = -1};
}

double ifd__rest_relaxation(const ifd__io *io, int k)
{
    double of = is_compared(io) && judged(io, k) ? compared(io, k) : 0.0;
    return of > 0.0 ? fmax(0.0, fabs(change_of(io, k)) - noise(io, k)) / of : 0.0;
}

static double relaxation(const ifd__column_source *source)
{
    return ifd__rest_relaxation(source->io, source->index);
}

static ifd_status columns(const ifd__unit_columns *to, const ifd__facts *f, const void *data, void *own)
{
    static const ifd__column_row row = {.quantity = IFD_COLUMN_HOLD_RELAXATION, .value = relaxation};
    (void)f, (void)data, (void)own;
    return ifd__columns_of_interfaces(to, NULL, 0, &row, 1);
}

const ifd__unit ifd__unit_hold_force = {.name = "hold force",
                                        .about = "change of the forces on hold, which a resume compares",
                                        .asked = asked,
                                        .doubles = doubles,
                                        .shown = offsetof(ifd__io, hold),
                                        .columns = columns,
                                        .observe = observe};
