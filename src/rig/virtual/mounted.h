/* SPDX-License-Identifier: MIT */
/* Mounted: a complete model as specimen. Actuators move some of its supports; the load cells there measure the
 * reactions, including inertia and damping of the model (model/reaction.h).
 *
 * During a tick a driven support moves on the quintic through position, velocity and acceleration of its actuator at
 * both ends. The method of the model advances it in a fixed number of steps. */
#ifndef IFD_RIG_VIRTUAL_MOUNTED_H
#define IFD_RIG_VIRTUAL_MOUNTED_H

#include <interfield/virtual.h>

#include "base/arena.h"
#include "method/tangent.h"
#include "model/support_motion.h"

typedef struct ifd__mounted {
    const ifd_virtual_model *setup;
    const ifd_model *m;         /* its driven supports read these motions */
    ifd__support_motion **slot; /* per drive */
    ifd_stepper *stepper;
    ifd__tangent *mass; /* M(u) */
    double tick;        /* s */
    double scale;       /* factor on the reactions */
    int substeps, size;
    double *a, *reaction, *g, *w; /* scratch */
} ifd__mounted;

/* Position, velocity, acceleration. */
enum { IFD__MOTION = 3 };

ifd_status ifd__mounted_make(ifd__mounted *b, ifd_arena *arena, const ifd_virtual_model *setup, double tick,
                             ifd_note *note);

/* State in the array of the rig: force and motion of every drive, then the state of the stepper. */
IFD_RT static inline double *ifd__mounted_force(double *x)
{
    return x;
}

/* Starts at the initial state of the model with its driven supports at rest at `at` (per drive). */
IFD_RT void ifd__mounted_begin(const ifd__mounted *b, const double *at, double *x);
/* One tick from t on: the drives end with `to` (IFD__MOTION numbers each). */
IFD_RT void ifd__mounted_step(const ifd__mounted *b, double t, const double *to, double *x);

#endif
