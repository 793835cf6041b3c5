/* SPDX-License-Identifier: MIT */
/* Butterworth low-pass filter of fourth order. Its states are the output and three derivatives:
 *
 *     y + 2.613 y'/w + 3.414 y''/w^2 + 2.613 y'''/w^3 + y''''/w^4 = input,    state i: y^(i) / w^i
 *
 * advanced exactly for an input that is linear between samples. */
#pragma once

#include "algebra/discretisation.h"

typedef struct ifd__butterworth {
    double w; /* rad/s */
    ifd__discretisation hold;
} ifd__butterworth;

enum { IFD__BUTTERWORTH_LAST = 4, IFD__BUTTERWORTH_SIZE }; /* the last input sample; doubles of state */

/* Ticks of h seconds after which 1e-4 of a sample remains: the slowest pole is -cos(3 pi/8) w. */
IFD_RT double ifd__butterworth_memory(const ifd__butterworth *b, double h);

/* cutoff in Hz. */
ifd_status ifd__butterworth_make(ifd_arena *arena, double cutoff, double h, ifd__butterworth *out);
IFD_RT void ifd__butterworth_begin(double value, double *s);
/* Returns y; the derivatives are in s. */
IFD_RT double ifd__butterworth_step(const ifd__butterworth *b, double input, double *s);
