/* SPDX-License-Identifier: MIT */
/* Curves of an incremental dynamic analysis and their bands.
 *
 * A curve is the intensity over the demand of one motion: straight lines from (0, 0) through its runs below collapse,
 * then a horizontal line at its capacity. At an intensity above the capacity its demand is infinite. A motion without
 * collapse has no demand above its largest intensity (infinite too), and needs more than that intensity for a larger
 * demand (infinite intensity): such values can appear only in a quantile that is itself unknown. */
#pragma once

#include "study/answer/hunt.h"

typedef struct ifd__ida_curve {
    int count;                    /* runs below collapse */
    const ifd__hunt_point *point; /* by intensity */
    ifd__capacity capacity;
} ifd__ida_curve;

/* Demand at an intensity; INFINITY above the capacity or the last run. */
double ifd__ida_demand(const ifd__ida_curve *c, double intensity);
/* The smallest intensity at which the demand is reached: on a line, or at the capacity; INFINITY: not known. */
double ifd__ida_intensity(const ifd__ida_curve *c, double demand);

/* 16, 50 and 84 % of the curves: of demand at an intensity, of intensity at a demand. scratch: a number per curve. */
void ifd__ida_demand_band(int curves, const ifd__ida_curve *c, double intensity, double *scratch, double out[3]);
void ifd__ida_intensity_band(int curves, const ifd__ida_curve *c, double demand, double *scratch, double out[3]);
