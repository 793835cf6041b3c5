/* SPDX-License-Identifier: MIT */
/* The way out of one channel, the second of two, without a test around it: what was observed of it is set, what it
 * commands is seen tick by tick. Numbers are such that "equal to the limit" is meant to the bit. */
#ifndef TESTS_RUN_LEAVE_SCENE_H
#define TESTS_RUN_LEAVE_SCENE_H

#include "check.h"

#include <string.h>

#include "run/leave.h"

static double x[HYB_ROWS + 2 * CH_ROWS], dt;
static ifd_force_control force;
static ifd_channel_options option[2];
static ifd__way way[2];
static ifd_hybrid h;

static double *row(int which)
{
    return ifd__way_row(&h, 1, which);
}

static double *seen(int which)
{
    return ifd__seen(&h, 1, which);
}

static double *out(int which)
{
    return ifd__out(&h, 1, which);
}

/* Ramp-out of a channel that stands at 0 and has moved by up to 8 m/s2, without noise, with a lag of 1/64 s. */
static void scene(double period, ifd_leave leave)
{
    dt = period;
    memset(x, 0, sizeof x);
    memset(&h, 0, sizeof h);
    force = (ifd_force_control){.stiffness = 4096.0, .bandwidth = 1.0, .rate = 64.0, .tolerance = 0.5, .error = 1e9};
    for (int k = 0; k < 2; k++) {
        ifd_channel_defaults(&option[k]);
        way[k] = (ifd__way){.o = &option[k],
                            .at = HYB_ROWS + k * CH_ROWS,
                            .bounds = {-4.0, 12.0, 100.0, 64.0, dt},
                            .factor = 1.0,
                            .creep = 0.5,
                            .stiffness = 1e6};
    }
    option[0].force = &force;
    h.x = x;
    h.way = way;
    h.channels = 2;
    h.period = dt;
    h.opt.leave = leave;
    h.opt.settle = 0.125;
    h.opt.ramp_in = 1.0;
    x[HYB_STATE] = IFD_MACHINE_RAMP_OUT;
    *seen(SEEN_PEAK_A) = 8.0;
    *seen(SEEN_LAG_SUM) = 1.0;
    *seen(SEEN_LAG_SIZE) = 64.0;
}

/* Ticks until it has arrived, `most` at most. */
__attribute__((unused)) static long arrives(long most)
{
    for (long n = 1; n <= most; n++)
        if (ifd__leave_step(&h, 1))
            return n;
    return 0;
}

__attribute__((unused)) static double noted(ifd_trip trip)
{
    return x[HYB_COUNTS + (int)trip];
}

#endif
