/* SPDX-License-Identifier: MIT */
/* Variants of a test on a virtual rig: later, stiffer, heavier, finer or perfect, for the analyses that ask what it
 * stands. */
#ifndef IFD_ANALYSIS_VARIANT_H
#define IFD_ANALYSIS_VARIANT_H

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

#include "rig/virtual/late.h"

typedef struct ifd__variant {
    double delay, gain;     /* of the late rig: s of wall clock; 0 = 1 */
    double stiffness, mass; /* factors of the specimens; 0 = 1 */
    double step;            /* factor of the step; 0 = 1 */
    /* One per interface: in place of a specimen that is not linear a spring (N/m) or, where that is zero, a dashpot
     * (N s/m). NULL, or NAN for an interface: as they are, or their tangents at rest where `linear` is set. */
    const double *spring, *dashpot;
    const ifd__disturbance *disturbance; /* added to what is measured; NULL: nothing */
    bool perfect;                        /* ideal actuators and sensors, no compensation */
    bool quiet;                          /* sensors without noise and rounding */
    bool unlimited;                      /* whatever is asked for is commanded and nothing trips */
    bool linear;                         /* nothing in the rig saturates, specimens are their tangents at rest */
    bool still;                          /* models at rest, without loads */
} ifd__variant;

/* Everything in arena; test and laboratory stay as they are. */
ifd_status ifd__variant_make(ifd_arena *arena, const ifd_hybrid_options *test, const ifd_laboratory *laboratory,
                             const ifd__variant *v, ifd_hybrid_options *out);

/* What an interface of the test moves, and by what: with a drive the specimen on its dof,
 * and the first of its actuators. */
ifd_virtual_channel ifd__bench_of(const ifd_hybrid_options *test, const ifd_laboratory *l, int k);
/* The tangent at rest of a specimen: its initial stiffness (N/m) and damping (N s/m). False when it has none. */
bool ifd__specimen_tangent(const ifd_virtual_channel *c, double *stiffness, double *damping);
/* Whether a specimen's force is linear in its displacement and velocity. */
bool ifd__specimen_linear(const ifd_virtual_channel *c);
/* A parameter of a row by its name; fallback when the row does not have it. */
double ifd__value_of(const ifd_param *params, const ifd_value *values, const char *name, double fallback);

#endif
