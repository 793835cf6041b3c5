/* SPDX-License-Identifier: MIT */
/* Motions of a structure that nothing resists. */
#pragma once

#include "model/definite.h"

/* "nodes b and c can move along x": the largest displacements of the null vector of K, which contains the tangents of
 * elements at rest and the springs. NULL: there is no such motion, or it is not known (more than 2,000 dofs, an
 * unsymmetric K). */
const char *ifd__model_mechanism(ifd_arena *arena, const ifd_model *m, int springs, const ifd__row_spring *spring);
