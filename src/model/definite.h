/* SPDX-License-Identifier: MIT */
/* Whether the stiffness of a structure at rest resists every deformation.
 *
 * A buckled structure has a motion x with x K x < 0. The number of these motions is that of the negative pivots of K
 * (Sylvester). K contains the tangents of the elements at their initial states and springs in place of specimens.
 * Motions without stiffness (free parts, pendulums) have zero pivots, which rounding may make negative: only what
 * exceeds the rounding of the sums in K counts. */
#pragma once

#include "model/model.h"

/* A spring on the sum of value[k] u[dof[k]]. */
typedef struct ifd__row_spring {
    int count;
    const int *dof;
    const double *value;
    double stiffness; /* N/m */
} ifd__row_spring;

/* a (n x n) += the springs. */
void ifd__row_springs_add(int springs, const ifd__row_spring *spring, size_t n, double *a);

/* *negative := the number of motions; 0 also where it is not known: an unsymmetric K, or with springs more dofs than
 * full matrices permit. */
ifd_status ifd__model_negative(const ifd_model *m, int springs, const ifd__row_spring *spring, int *negative);

/* The initial tangent of element e is negative in some coordinate. */
bool ifd__element_softens(const ifd_model *m, int e, ifd_arena *scratch);
