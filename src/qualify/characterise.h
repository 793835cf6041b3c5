/* SPDX-License-Identifier: MIT */
/* Parts of the evaluation of a characterisation. */
#pragma once

#include <interfield/characterise.h>

/* Ticks of the slow cycle, with its fades. */
typedef struct ifd__span {
    long from, to;
} ifd__span;

/* Sums over the cycle with its command z as instrument: noise in x does not reduce the slope zy / zx, and a y that
 * depends on velocity, such as friction, does not contribute to it. */
typedef struct ifd__cycle {
    double zx, zy, inertia; /* of z with x, with y, and with the acceleration of x */
    double x0, y0;          /* means */
    double gain;            /* zx over the same sum of z with itself */
    double error;           /* standard error of zy / zx */
} ifd__cycle;

/* moved: the interface of the cycle; x and y per tick as in its record. */
void ifd__cycle_sums(ifd__span span, const ifd_motion_record *moved, const double *x, const double *y,
                     ifd__cycle *out);

/* Lag of the force, losses, play and clearance from the slow and the fast cycle; stiffness and noises are known. */
void ifd__find_losses(const ifd_motions *at, const ifd_motion_record *r, ifd_characterisation *out);

/* The twin of an actuator from its measured response: U/X = re + i im at the angular frequencies w. */
typedef struct ifd__actuator_response {
    int count;
    const double *w, *re, *im;
} ifd__actuator_response;

/* delay: s, of the whole response at low frequency, the scale of the search. */
void ifd__find_twin(const ifd__actuator_response *r, const ifd_motion_record *record, double delay,
                    ifd_found_twin *out);

/* The step of a converter in a record of count values; 0: the values are no multiples of one. */
double ifd__find_resolution(const double *value, long count);
