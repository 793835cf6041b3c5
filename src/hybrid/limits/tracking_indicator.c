/* SPDX-License-Identifier: MIT */
/* Tracking quality during the test: indicators of each interface. */
#include <math.h>

#include <interfield/indicator.h>

#include "hybrid/unit.h"

static ifd_status make(const ifd__facts *f, ifd_arena *arena, const void **data, ifd_note *note)
{
    const double memory = 2.0 * f->opt->lambda; /* s: scaled with the time scale of the test */
    ifd_indicator *indicator;
    IFD_TRY(ifd_indicator_make(arena, memory, f->period, &indicator, note));
    *data = indicator;
    return IFD_OK;
}

static int doubles(const ifd__facts *f, const void *data)
{
    return f->interfaces * ((const ifd_indicator *)data)->size;
}

static IFD_RT double *of(const void *data, void *own, int k)
{
    return (double *)own + k * ((const ifd_indicator *)data)->size;
}

static IFD_RT void begin(const ifd__io *io, const void *data, void *own)
{
    for (int k = 0; k < io->f->interfaces; k++)
        ifd_indicator_begin(data, of(data, own, k));
}

static IFD_RT void observe(const ifd__io *io, const void *data, void *own)
{
    for (int k = 0; k < io->f->interfaces; k++) {
        const ifd__interface_state *s = io->interface[k];
        const ifd_indicator_in in = {.x = s->target, .v = s->target_v, .xm = s->measured_x, .fm = s->measured_f};
        if (!io->f->interface[k].o->force && isfinite(in.xm) && isfinite(in.fm))
            ifd_indicator_step(data, &in, of(data, own, k));
    }
}

static ifd_status columns(const ifd__unit_columns *to, const ifd__facts *f, const void *data, void *own)
{
    static const ifd__column_row row[] = {IFD__COLUMN(INDICATED_DELAY, ifd_indicated, delay),
                                          IFD__COLUMN(INDICATED_AMPLITUDE, ifd_indicated, amplitude),
                                          IFD__COLUMN(INDICATED_RMS, ifd_indicated, nrms)};
    (void)f;
    return ifd__columns_of_interfaces(to, own, ((const ifd_indicator *)data)->size, row, sizeof row / sizeof *row);
}

const ifd__unit ifd__unit_indicator = {.name = "indicator",
                                       .about = "delay, amplitude and energy of the tracking error",
                                       .in = IFD__IN(RUN),
                                       .make = make,
                                       .doubles = doubles,
                                       .columns = columns,
                                       .observe = observe,
                                       .begin = begin};
