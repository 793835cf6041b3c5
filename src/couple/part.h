/* SPDX-License-Identifier: MIT */
/* Part: what steps one piece of a structure between exchanges.
 *
 * A part is stepped by stages; its state is a slice of the run's flat state array, so saving and restoring
 * it is a copy. Here: a model with its method. A stage that starts from a measured force says so
 * (measures); the force is wanted at aim. */
#ifndef IFD_COUPLE_PART_H
#define IFD_COUPLE_PART_H

#include <interfield/method.h>

typedef struct ifd__part ifd__part;

typedef struct ifd__part_ops {
    const char *name;
    int (*size)(const ifd__part *p); /* doubles of state */
    int (*stages)(const ifd__part *p);
    bool (*measures)(const ifd__part *p, int stage);
    IFD_RT void (*begin)(const ifd__part *p, double t, const double *load, double *x);
    IFD_RT void (*stage)(const ifd__part *p, int stage, double t, const double *load, double *x);
    IFD_RT void (*aim)(const ifd__part *p, int stage, double t, const double *x, double *u, double *v);
    IFD_RT ifd_step_fault (*fault)(const ifd__part *p, const double *x);
} ifd__part_ops;

struct ifd__part {
    const ifd__part_ops *ops;
    const ifd_stepper *stepper;
};

ifd__part ifd__part_of_stepper(const ifd_stepper *stepper);

#endif
