/* SPDX-License-Identifier: MIT */
/* Variants of a test on a virtual rig for analyses of its margins: with more delay, stiffer, heavier, with a smaller
 * step, or perfect. */
#pragma once

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

#include "rig/virtual/late.h"

typedef struct ifd__variant {
    double delay, gain;     /* added delay in s of wall-clock time; gain, 0 = 1 */
    double stiffness, mass; /* factors of the specimens; 0 = 1 */
    double step;            /* factor of the step; 0 = 1 */
    /* One per interface: in place of a specimen that is not linear, a spring (N/m) or, if that is zero, a dashpot (N
     * s/m). NULL, or NAN for an interface: unchanged, or the tangent at rest with `linear`. */
    const double *spring, *dashpot;
    /* Deviations of the parameters of copies (update.h), IFD__LAW_PARAMS for each identified specimen; NULL: none.
     * Only for a probed loop. */
    const double *deviation;
    ifd__bad_cell *cell;                 /* a wrong load cell; NULL: none */
    const ifd__disturbance *disturbance; /* added to measurements; NULL: nothing */
    bool real_time;                      /* lambda 1: specimens move at the velocities of the structure */
    bool perfect;                        /* ideal actuators and sensors, no compensation */
    bool quiet;                          /* sensors without noise and rounding */
    bool unlimited;                      /* all targets are commanded and no limit trips */
    bool linear;                         /* nothing in the rig saturates; specimens are their tangents at rest */
    bool still;                          /* models at rest, without loads */
} ifd__variant;

/* All data is in arena; test and laboratory are not changed. */
ifd_status ifd__variant_make(ifd_arena *arena, const ifd_hybrid_options *test, const ifd_laboratory *laboratory,
                             const ifd__variant *v, ifd_hybrid_options *out);
/* A test is closed where its variable ends, before the arena of a variable above it. */
#define IFD__TEST_CLOSED __attribute__((cleanup(ifd__variant_leave)))
static inline void ifd__variant_leave(ifd_hybrid **test)
{
    ifd_hybrid_close(*test);
}

/* The specimen and actuator of an interface: with a drive, the specimen on its dof and its first actuator. */
ifd_virtual_actuator ifd__bench_of(const ifd_hybrid_options *test, const ifd_laboratory *l, int k);
/* The drive of interface k, and its dof there; -1: none. */
int ifd__drive_of(const ifd_hybrid_options *test, int k, int *dof);
/* first: of each interface, its first actuator in the order of the rig: that of the interfaces, a drive at the place
 * of its first one. The number of actuators. */
int ifd__seats_of(const ifd_hybrid_options *test, int *first);
/* Actuators of an interface: one, or those of its drive. */
typedef struct ifd__movers {
    int drive, first, count;            /* drive: -1 without one; first: as a channel of the laboratory */
    bool moves[IFD_DRIVE_ACTUATORS];    /* a motion of the interface from the pose zero moves the actuator */
    double weight[IFD_DRIVE_ACTUATORS]; /* change of the measured interface per extension, at the pose zero */
} ifd__movers;
ifd__movers ifd__movers_of(const ifd_hybrid_options *test, int k);
/* The tangent at rest of a specimen: its initial stiffness (N/m) and damping (N s/m). False if it has none. */
bool ifd__specimen_tangent(const ifd_virtual_actuator *c, double *stiffness, double *damping);
/* What bounds a small motion of a specimen that is stiffest at rest: it yields, or its force relaxes (maxwell), so
 * that it is stiff in a fast motion only. */
typedef enum ifd__softening { IFD__SOFTENS, IFD__YIELDS, IFD__RELAXES } ifd__softening;
/* fast: its stiffness in a fast motion (N/m), if it relaxes. */
ifd__softening ifd__specimen_softening(const ifd_virtual_actuator *c, double *fast);
/* True if the force of a specimen is linear in its displacement and velocity. */
bool ifd__specimen_linear(const ifd_virtual_actuator *c);
/* A parameter of a row by its name; fallback if the row does not have it, which is then not set either. */
double ifd__value_of(const ifd_param *params, const ifd_value *values, const char *name, double fallback);
void ifd__value_set(const ifd_param *params, ifd_value *values, const char *name, ifd_value value);
