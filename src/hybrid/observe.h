/* SPDX-License-Identifier: MIT */
/* Properties of an interface observed so far, for transitions: velocity and acceleration of the command, lag of the
 * specimen, noise of its sensors, stiffness. */
#pragma once

#include "hybrid/hybrid.h"

/* In every tick after sense: the last command and, if new, the measurement. */
IFD_RT void ifd__observe_tick(ifd_hybrid *h, bool fresh);
/* Resets the observations of interface k. */
IFD_RT void ifd__observe_begin(ifd_hybrid *h, int k);

IFD_RT static inline ifd__observed *ifd__seen(const ifd_hybrid *h, int k)
{
    return &ifd__interface_of(h, k)->seen;
}

IFD_RT static inline ifd__unloading *ifd__out(const ifd_hybrid *h, int k)
{
    return &ifd__interface_of(h, k)->out;
}

/* Input of the brake of a hold: the mean acceleration `a` of commands with the newest steps `last` and `step`, m, and
 * the largest acceleration and velocity of ramp-in and run. */
IFD_RT void ifd__observe_motion(const ifd_hybrid *h, double step, double last, double *a, double *peak_a,
                                double *peak_v);
/* m/s2: the largest acceleration of the command in ramp-in and run so far, at least a small fraction of the limit. */
IFD_RT double ifd__observed_acceleration(const ifd_hybrid *h, int k);
/* m/s2: its present acceleration, without noise between ticks. */
IFD_RT double ifd__observed_present(const ifd_hybrid *h, int k);
/* s, by which the measured position lags behind the command. */
IFD_RT double ifd__observed_lag(const ifd_hybrid *h, int k);
/* N, m: standard deviation of the noise, including converter steps. */
IFD_RT double ifd__observed_force_noise(const ifd_hybrid *h, int k);
IFD_RT double ifd__observed_position_noise(const ifd_hybrid *h, int k);
/* N: the largest force since the test was armed. */
IFD_RT double ifd__observed_peak_force(const ifd_hybrid *h, int k);
/* N/m: the larger of the estimate and the value measured in the last cycles; 0: unknown. */
IFD_RT double ifd__observed_stiffness(const ifd_hybrid *h, int k);
