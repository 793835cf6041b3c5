/* SPDX-License-Identifier: MIT */
/* Dofs without mass that remain in the equations of motion.
 *
 * A dof without mass is condensed or becomes a first-order state if only linear elements act on it. Under a nonlinear
 * one it cannot. LSRT1 and LSRT2 solve S k = ... with S = M + c C + c^2 K, which is regular without its mass if
 * stiffness or damping holds it: the row 0 = P - R is then a constraint, and both keep their order. The dof has a
 * displacement and a velocity, and no acceleration. It starts in equilibrium with the others where they are. */
#pragma once

#include "model/build/making.h"

/* Marks dofs of the system that remain, of those marked in massless: nonlinear elements act on them, or a dashpot
 * connects them to such a dof; none if the stiffness and the damping do not hold them. */
ifd_status ifd__massless_stay(ifd__making *k, const bool *massless, bool *stay);

/* m->massless from the diagonal of M. */
ifd_status ifd__massless_find(ifd_arena *arena, ifd_model *m);

/* A + ones on the diagonal of these dofs. */
ifd_status ifd__massless_filled(ifd_arena *arena, const ifd_model *m, const ifd_sparse *A, ifd_sparse *out);

/* Moves them to equilibrium at the initial state of the others, u0 included. IFD_DIVERGED: none is found. */
ifd_status ifd__massless_start(ifd_arena *scratch, ifd_model *m, double *u0, ifd_note *note);
