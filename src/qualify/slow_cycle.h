/* SPDX-License-Identifier: MIT */
/* What goes with the slow cycle of an interface. */
#ifndef IFD_QUALIFY_SLOW_CYCLE_H
#define IFD_QUALIFY_SLOW_CYCLE_H

#include <interfield/characterise.h>

/* Sums over the cycle with its command z as instrument: noise in x does not pull the slope zy / zx down, and a y that
 * goes with velocity or against it, such as friction, is not taken for one that goes with x. */
typedef struct ifd__cycle {
    double zx, zy, inertia; /* of z with x, with y, and with the acceleration of x */
    double x0, y0;          /* means */
    double error;           /* standard error of zy / zx */
} ifd__cycle;

/* moved: the interface whose cycle it is; x and y tick by tick like its record. */
void ifd__cycle_sums(const ifd_motions *at, const ifd_motion_record *moved, const double *x, const double *y,
                     ifd__cycle *out);

#endif
