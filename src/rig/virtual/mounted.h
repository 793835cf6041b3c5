/* SPDX-License-Identifier: MIT */
/* Mounted: a complete model as specimen. Actuators move some of its supports; the load cells there measure the
 * reactions, including inertia and damping of the model (model/gravity.h).
 *
 * During a tick a driven support moves on the quintic through position, velocity and acceleration of its actuator at
 * both ends. A support without an actuator has a prescribed motion, a function of simulated time. During a tick it
 * moves from its position at the last simulated time to the position at the new one. The method of the model advances
 * it in a fixed number of steps. */
#pragma once

#include <interfield/virtual.h>

#include "base/arena.h"
#include "method/tangent.h"
#include "model/support_motion.h"

typedef struct ifd__mounted {
    const ifd_virtual_model *setup;
    const ifd_model *m;         /* its supports read these motions */
    ifd__support_motion **slot; /* per drive, then per prescribed support */
    int prescribed;             /* number of supports without an actuator */
    const ifd_signal **motion;  /* of each of them */
    ifd_stepper *stepper;
    ifd__tangent *mass; /* M(u) */
    double tick;        /* s */
    double scale;       /* factor on the reactions */
    int substeps, size;
    int wall_at;                  /* offset of the forces of the walls */
    double *a, *reaction, *g, *w; /* scratch */
} ifd__mounted;

/* Position, velocity, acceleration. */
enum { IFD__MOTION = 3 };

ifd_status ifd__mounted_make(ifd__mounted *b, ifd_arena *arena, const ifd_virtual_model *setup, double tick,
                             ifd_note *note);

/* State in the array of the rig: force and motion of every drive, the state of the stepper, the forces of
 * its walls, and with prescribed supports the simulated time (s). */
IFD_RT static inline double *ifd__mounted_force(double *x)
{
    return x;
}

IFD_RT static inline int ifd__mounted_stepper_at(const ifd__mounted *b)
{
    return (1 + IFD__MOTION) * b->setup->drives;
}

/* Starts at the initial state of the model with its driven supports at rest at `at` (per drive). */
IFD_RT void ifd__mounted_begin(const ifd__mounted *b, const double *at, double *x);
/* One tick from t on, which ends at the simulated time t + tick: the drives end with `to` (IFD__MOTION numbers
 * each). */
IFD_RT void ifd__mounted_step(const ifd__mounted *b, double t, const double *to, double *x);
