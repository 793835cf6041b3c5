/* SPDX-License-Identifier: MIT */
/* Rounds a time to ticks of a rig. */
#include <math.h>

#include <interfield/exchange.h>

/* 10 ms are ten ticks of 1 ms, also where their quotient is rounded up. */
double ifd_rig_ticks(double time, double tick, double least)
{
    const double rounding = 1e-12;
    return fmax(ceil(time / tick * (1.0 - rounding)), least);
}
