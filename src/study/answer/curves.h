/* SPDX-License-Identifier: MIT */
/* Curves of an incremental dynamic analysis and their bands.
 *
 * A curve is the intensity over the demand of one motion: straight lines from (0, 0) through its runs below collapse,
 * then a horizontal line at its capacity. At an intensity above the capacity its demand is infinite. A motion without
 * collapse has no demand above its largest intensity (infinite too), and needs more than that intensity for a larger
 * demand (infinite intensity): such values can appear only in a quantile that is itself unknown. */
#pragma once

#include <stdbool.h>

/* Hunt and fill: the intensities of the runs of one motion in an incremental dynamic analysis (Vamvatsikos and
 * Cornell, 2002).
 *
 *     ifd__hunt_point p[16];
 *     double x;
 *     for (int n = 0; ifd__hunt_next(&h, n, p, &x); n++)
 *         p[n] = (ifd__hunt_point){x, demand(x), false};
 *     ifd__capacity c = ifd__hunt_capacity(&h, n, p);
 *
 * Runs at first, first + step, first + 3 step, first + 7 step, ...: the step doubles until collapse. Then the gap
 * between the last run below collapse and the first at collapse is halved until it is at most `resolution` of its
 * lower end, and the largest gaps below collapse are halved until `fill` more runs are made. The next intensity
 * depends on the earlier runs of the same motion only. */

typedef struct ifd__hunt {
    double first, step; /* > 0, of intensity */
    double limit;       /* demand beyond which a run is a collapse; INFINITY: none */
    double slope;       /* collapse if a slope of the curve is below this ratio of the elastic one; 0: none */
    double resolution;  /* largest gap at collapse, relative to its lower end */
    double most;        /* largest intensity; INFINITY: none */
    int runs;           /* largest number of runs */
    int fill;           /* runs that fill gaps */
} ifd__hunt;

typedef struct ifd__hunt_point {
    double intensity;
    double demand; /* of a run that diverged: not finite */
} ifd__hunt_point;

/* The intensity of the next run after n runs in their order; false: the search has ended. */
bool ifd__hunt_next(const ifd__hunt *h, int n, const ifd__hunt_point *point, double *intensity);

typedef struct ifd__capacity {
    bool collapsed;
    double low, high; /* largest intensity below collapse, 0: none; smallest one at collapse, INFINITY: none found */
    double value;     /* capacity: the centre of both; without collapse the lower bound, low */
} ifd__capacity;
ifd__capacity ifd__hunt_capacity(const ifd__hunt *h, int n, const ifd__hunt_point *point);

/* Sorts the points by intensity and returns how many are below collapse; they are the curve. */
int ifd__hunt_curve(const ifd__hunt *h, int n, ifd__hunt_point *point);

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
