/* SPDX-License-Identifier: MIT */
/* Factors that were made once and are wanted again, to the bit, where no BLAS and no ordering is at hand: in an
 * exported model. They are found by the hash of their matrix.
 *
 *     ifd__factors *f = ifd__factors_make(arena);      // from now on what solvers of this arena make is noted
 *     ...
 *     ifd__factors_put(f, &bytes);
 *
 *     ifd__factors_take(arena, &taking);               // from now on solvers of this arena look there first
 *
 * The packed panels are those of the processor that made them. One that lacks its kernels uses the plain ones on
 * them: the same sums in another order, so the last bits may differ. */
#ifndef IFD_ALGEBRA_FACTORS_H
#define IFD_ALGEBRA_FACTORS_H

#include "base/bytes.h"
#include "algebra/solver.h"

typedef struct ifd__factors ifd__factors;

ifd__factors *ifd__factors_make(ifd_arena *arena);
void ifd__factors_put(const ifd__factors *f, ifd__bytes *out);
/* False when the bytes are not what put wrote. */
bool ifd__factors_take(ifd_arena *arena, ifd__taking *in);

/* For the solver: the kept factor of A, or NULL; and noting one that was made. */
ifd_solver *ifd__factors_find(const ifd__factors *f, const ifd_sparse *A, ifd__solver_kind kind);
void ifd__factors_note(ifd__factors *f, const ifd_sparse *A, ifd__solver_kind kind, ifd_solver *s);

#endif
