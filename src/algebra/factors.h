/* SPDX-License-Identifier: MIT */
/* Stored factors, for bit-identical reuse where no BLAS and no ordering is available: in an exported model. The key
 * is the hash of the matrix.
 *
 *     ifd__factors *f = ifd__factors_make(arena);      // records the factors of all later solvers of this arena
 *     ...
 *     ifd__factors_put(f, &bytes);
 *
 *     ifd__factors_take(arena, &taking);               // later solvers of this arena use these factors
 *
 * The packed panels are those of the processor that made them. A processor without its kernels applies the plain ones
 * to them: the same sums in another order, so the last bits may differ. */
#pragma once

#include "base/bytes.h"
#include "algebra/solver.h"

typedef struct ifd__factors ifd__factors;

ifd__factors *ifd__factors_make(ifd_arena *arena);
void ifd__factors_put(const ifd__factors *f, ifd__bytes *out);
/* False if the bytes do not come from put. */
bool ifd__factors_take(ifd_arena *arena, ifd__taking *in);

/* For the solver: the stored factor of A, or NULL; and recording of a new one. */
ifd_solver *ifd__factors_find(const ifd__factors *f, const ifd_sparse *A, ifd__solver_kind kind);
void ifd__factors_note(ifd__factors *f, const ifd_sparse *A, ifd__solver_kind kind, ifd_solver *s);
