/* SPDX-License-Identifier: MIT */
/* Tracking quality during the test: indicators per interface, their columns, and the measured motion.
 *
 * Velocity and acceleration of a measured position are those of a parabola fitted to its last nine values, at their
 * middle: four ticks old, with a tenth of the noise of plain differences. */
#include <math.h>
#include <string.h>

#include "hybrid/elastic/elastic_state.h"
#include "hybrid/columns.h"
#include "hybrid/unit.h"

enum { MIDDLE = (IFD__FITTED - 1) / 2 };

ifd_status ifd__indicate_make(ifd_hybrid *h, ifd_arena *arena, int k, ifd_note *note)
{
    const double memory = 2.0 * h->opt.lambda; /* s: scaled with the time scale of the test */
    ifd__test_interface *w = &h->interface[k];
    IFD_TRY(ifd_indicator_make(arena, memory, h->period, &w->indicator, note));
    w->indicator_at = h->size;
    h->size += w->indicator->size;
    return IFD_OK;
}

void ifd__indicate_begin(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++)
        ifd_indicator_begin(h->interface[k].indicator, h->x + h->interface[k].indicator_at);
}

/* Energy added to the structure by the tracking error: integral of the measured force over measured minus target
 * motion. */
static void tracking_energy(ifd_hybrid *h, int k, double target_before)
{
    ifd__interface_state *s = ifd__interface_of(h, k);
    double f = 0.5 * (s->measured_f + s->last_f);
    double measured = s->measured_x - s->last_x;
    double target_change = s->target - target_before;
    s->energy += f * (measured - target_change);
}

/* With elastic time a measurement is compared with the command that it answers. */
static void take_target(ifd_hybrid *h, int k)
{
    ifd__interface_state *s = ifd__interface_of(h, k);
    s->target = s->next_target;
    s->target_v = s->next_target_v;
    if (h->elastic && ifd__test_of(h)->commanded > 0.0) {
        s->target = ifd__elastic_interface_of(h, k)->answered;
        s->target_v = ifd__elastic_interface_of(h, k)->answered_step / h->period;
    }
}

void ifd__indicate_tick(ifd_hybrid *h)
{
    bool runs = ifd__state_of(h) == IFD_MACHINE_RUN;
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = ifd__interface_of(h, k);
        double before = s->target, *line = s->past_x;
        take_target(h, k);
        memmove(line, line + 1, sizeof *line * (IFD__FITTED - 1));
        line[IFD__FITTED - 1] = s->measured_x;
        const ifd_indicator_in in = {.x = s->target, .v = s->target_v, .xm = s->measured_x, .fm = s->measured_f};
        if (!runs || h->interface[k].o->force || !isfinite(in.xm) || !isfinite(in.fm))
            continue;
        tracking_energy(h, k, before);
        ifd_indicator_step(h->interface[k].indicator, &in, h->x + h->interface[k].indicator_at);
    }
}

void ifd__indicate_rest(ifd_hybrid *h, int k)
{
    ifd__interface_state *s = ifd__interface_of(h, k);
    for (int i = 0; i < IFD__FITTED; i++)
        s->past_x[i] = s->measured_x;
}

/* Least squares over i = -4 .. 4: sum i x / 60, and (28, 7, -8, -17, -20, ...) x / 462. */
void ifd__indicate_motion(const ifd_hybrid *h, int k, double out[2])
{
    const double *line = ifd__interface_of(h, k)->past_x;
    double slope = 0.0, bend = 0.0;
    for (int i = -MIDDLE; i <= MIDDLE; i++) {
        double x = line[MIDDLE + i];
        slope += i * x;
        bend += (3.0 * i * i - 20.0) * x;
    }
    out[0] = slope / (60.0 * h->period);
    out[1] = bend / (462.0 * h->period * h->period);
}

static const ifd__column_row indicated[] = {IFD__COLUMN(INDICATED_DELAY, ifd_indicated, delay),
                                            IFD__COLUMN(INDICATED_AMPLITUDE, ifd_indicated, amplitude),
                                            IFD__COLUMN(INDICATED_RMS, ifd_indicated, nrms)};

ifd_status ifd__indicate_columns(ifd_hybrid *h, ifd_arena *arena)
{
    for (int k = 0; k < h->interfaces; k++) {
        const ifd__column_set set = {.owner = h->interface[k].o->name,
                                     .block = h->x + h->interface[k].indicator_at,
                                     .row = indicated,
                                     .rows = sizeof indicated / sizeof *indicated};
        IFD_TRY(ifd__columns_add(h, arena, &set));
    }
    return IFD_OK;
}

ifd_tracking ifd_hybrid_tracking(const ifd_hybrid *h, int channel)
{
    const ifd_indicated s = ifd_indicator_read(h->x + h->interface[channel].indicator_at);
    return (ifd_tracking){.delay = s.delay,
                          .amplitude = s.amplitude,
                          .rms = s.nrms,
                          .peak = s.peak,
                          .energy = ifd__interface_of(h, channel)->energy,
                          .work = s.work};
}

static IFD_RT void restart(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++)
        ifd__interface_of(h, k)->energy = 0.0;
}

static IFD_RT void observe(ifd_hybrid *h, bool fresh)
{
    (void)fresh;
    ifd__indicate_tick(h);
}

const ifd__unit ifd__unit_indicator = {.name = "indicator",
                                       .about = "delay, amplitude and energy of the tracking error",
                                       .h.columns = ifd__indicate_columns,
                                       .h.restart = restart,
                                       .h.observe = observe,
                                       .h.begin = ifd__indicate_begin};
