/* SPDX-License-Identifier: MIT */
/* Frequency evaluation index (FEI) of two signals over a moving Hann window:
 *
 *     FEI = sum O_f conj(I_f) / sum |I_f|^2,  f_eq = sum f |I_f|^2 / sum |I_f|^2,  delay = -arg(FEI) / (2 pi f_eq)
 *
 * with the spectra I of the input and O of the output in a band; |FEI| is the amplitude. The spectra are sums over
 * four quarters of the window, to which every tick adds one sample: constant work, and no rounding accumulates. The
 * Hann window is a convolution of three lines.
 *
 * Guo, Chen, Chen et al. (2014), Smart Mater. Struct. 23; Xu, Guo, Chen et al. (2020). */
#pragma once

#include <stdbool.h>

#include <interfield/status.h>

#include "base/arena.h"

enum { IFD__FEI_QUARTERS = 4, IFD__FEI_LINES = 256, IFD__FEI_COUNTERS = 3 };

typedef struct ifd__fei {
    double spacing;     /* of the lines, Hz */
    int quarter;        /* samples */
    int first, lines;   /* lines first - 1 .. first + lines are summed; lines 0: no index */
    const double *wave; /* cosine of 2 pi j / W, j < W */
} ifd__fei;

/* band: time between samples and window (s), lowest and highest frequency (Hz). *lines: number of lines in the band,
 * which may be out of range: out then has none. */
ifd_status ifd__fei_make(ifd_arena *arena, const double band[4], ifd__fei *out, double *lines);
/* Doubles of the sums; the three counters are separate. All are zero at the start. */
int ifd__fei_size(const ifd__fei *c);
/* Adds a sample. True: a quarter is complete and the window is full. */
IFD_RT bool ifd__fei_add(const ifd__fei *c, double in, double out, double *counter, double *sums);
/* The index of the last window: real and imaginary part, and f_eq in Hz. False without motion in the band. */
IFD_RT bool ifd__fei_index(const ifd__fei *c, const double *counter, const double *sums, double fei[2], double *f_eq);
/* Mean square of the input over the window. */
IFD_RT double ifd__fei_power(const ifd__fei *c, const double *sums);
