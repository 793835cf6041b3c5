/* SPDX-License-Identifier: MIT */
/* A Butterworth low-pass of fourth order with its derivatives. */
#include "rig/compensator/butterworth.h"

#include <string.h>

ifd_status ifd__butterworth_make(ifd_arena *arena, double cutoff, double h, ifd__butterworth *out)
{
    /* (s^2 + 2 cos(pi/8) s + 1)(s^2 + 2 cos(3 pi/8) s + 1) */
    static const double c[4] = {1.0, 2.6131259297527530557, 3.4142135623730950488, 2.6131259297527530557};
    double A[16] = {0}, B[4] = {0}, w = 6.28318530717958647693 * cutoff;
    for (int i = 0; i < 3; i++)
        A[i + 4 * (i + 1)] = w;
    for (int i = 0; i < 4; i++)
        A[3 + 4 * i] = -w * c[i];
    B[3] = w;
    out->w = w;
    return ifd__discretisation_make(arena, &(ifd__continuous){4, 1, A, B}, h, &out->hold);
}

double ifd__butterworth_memory(const ifd__butterworth *b, double h)
{
    return 24.067 / (b->w * h); /* ln(1e4) / cos(3 pi/8) */
}

void ifd__butterworth_begin(double value, double *s)
{
    memset(s, 0, sizeof *s * IFD__BUTTERWORTH_SIZE);
    s[0] = s[IFD__BUTTERWORTH_LAST] = value;
}

double ifd__butterworth_step(const ifd__butterworth *b, double input, double *s)
{
    ifd__discretisation_step(&b->hold, s + IFD__BUTTERWORTH_LAST, &input, s);
    s[IFD__BUTTERWORTH_LAST] = input;
    return s[0];
}
