/* SPDX-License-Identifier: MIT */
/* A factor of the structure: the library's own, or one of another program (interfield/factoriser.h). */
#pragma once

#include <interfield/factoriser.h>

#include "algebra/solver.h"

typedef struct ifd__basis_factor {
    int n;
    ifd_solver *own;
    double *work; /* of own */
    const ifd_factoriser *away;
    int id;
} ifd__basis_factor;

/* away: NULL for the library's own. IFD_NOT_POSITIVE, IFD_SINGULAR as ifd__solver_make. out must stay in its place:
 * the arena drops the factor when it is closed. */
ifd_status ifd__basis_factor_make(ifd_arena *arena, const ifd_sparse *A, const ifd_factoriser *away,
                                  ifd__basis_factor *out, ifd_note *note);
/* X (n x columns) := A^-1 X */
void ifd__basis_factor_solve(const ifd__basis_factor *f, int columns, double *X);
