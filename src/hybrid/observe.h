/* SPDX-License-Identifier: MIT */
/* Properties of an interface observed so far, for transitions: velocity and acceleration of the command, lag of the
 * specimen, noise of its sensors, stiffness. */
#pragma once

#include "hybrid/io.h"

/* Input of the brake of a hold: the mean acceleration `a` of commands with the newest steps `last` and `step`, m, and
 * the largest acceleration and velocity of ramp-in and run. */
IFD_RT void ifd__observe_motion(const ifd__io *io, double step, double last, double *a, double *peak_a,
                                double *peak_v);
/* m/s2: the largest acceleration of the command in ramp-in and run so far, at least a small fraction of the limit. */
IFD_RT double ifd__observed_acceleration(const ifd__io *io, int k);
/* m/s2: its present acceleration, without noise between ticks. */
IFD_RT double ifd__observed_present(const ifd__io *io, int k);
/* s, by which the measured position lags behind the command. */
IFD_RT double ifd__observed_lag(const ifd__io *io, int k);
/* N, m: standard deviation of the noise, including converter steps. */
IFD_RT double ifd__observed_force_noise(const ifd__io *io, int k);
IFD_RT double ifd__observed_position_noise(const ifd__io *io, int k);
/* N/m: the larger of the estimate and the value measured in the last cycles; 0: unknown. */
IFD_RT double ifd__observed_stiffness(const ifd__io *io, int k);
/* Velocity and acceleration of the measured position: of a parabola fitted to its last nine values, at their middle.
 * It is four ticks old, with a tenth of the noise of plain differences. */
IFD_RT void ifd__observed_motion(const ifd__io *io, int k, double out[2]);
