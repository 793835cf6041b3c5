/* SPDX-License-Identifier: MIT */
/* Updates of the numerical substructure from the identified specimens (rig/identify.h).
 *
 * The filter of a specimen advances in every tick with a measurement in the state run. In ramp-in and on hold its
 * memory z follows the measured deformation and nothing is learned. Every `interval` of simulated time it is decided
 * whether the copies may follow the estimate; a doubt ends this in the same tick. A copy moves at the beginning of a
 * step only, by at most `rate`, and keeps its normalised memory. While a loop is probed (facts.frozen) nothing
 * changes. */
#pragma once

#include <interfield/hybrid.h>

#include "base/state_block.h"
#include "model/model.h"
#include "rig/identify.h"

#define IFD__UPDATING(ONE, MANY, BLOCK)                                                                              \
    BLOCK(ifd__estimate, estimate, IFD__ESTIMATE)                                                                    \
    ONE(known, "", OF_TEST) /* whether the deformation that z has followed is known; the deformation */              \
    ONE(q, "m", OF_TEST)                                                                                             \
    ONE(squares, "", OF_TEST)       /* mean of the squared normalised innovations */                                 \
    ONE(settled, "s", OF_TEST)      /* of simulated time in which it has been consistent */                          \
    ONE(since, "s", OF_TEST)        /* of simulated time since the last decision */                                  \
    ONE(gate, "", OF_TEST)          /* ifd_update */                                                                 \
    ONE(off, "", OF_TEST)           /* switched off by an order or by the case */                                    \
    ONE(resets, "", OF_TEST)        /* covariances that were not positive definite */                                \
    ONE(normalised, "", OF_TEST)    /* newest normalised innovation */                                               \
    ONE(force_jumps, "N", OF_TEST)  /* sum of the absolute changes of the forces of the copies by updates */         \
    ONE(energy_jumps, "J", OF_TEST) /* sum of the changes of their stored energy by updates */                       \
    ONE(stiffer, "", OF_TEST)       /* whether it was noted that the copies are stiffer than at the start */
IFD__STATE_BLOCK(ifd__updating, IFD__UPDATING);

/* One identified specimen at set-up. */
typedef struct ifd__updates {
    const ifd_identify_options *o;
    ifd__identifier filter;
    const int *element;         /* copies in the model */
    int used[IFD__LAW_NUMBERS]; /* columns of the values in use */
} ifd__updates;

/* The element of a model with a name; -1: none. */
int ifd__update_element(const ifd_model *m, const char *name);
/* The range of each parameter relative to its start value p0. */
void ifd__update_range(const ifd__law *law, const double *p0, double range, double *low, double *high);
/* The corner of the ranges at which the copies of m are stiffest (or softest) at rest: deviations of the parameters.
 * Returns the stiffness relative to the start; NAN: m does not have the first copy. */
double ifd__update_corner(const ifd_model *m, const ifd_identify_options *o, bool stiffest, double *deviation);
