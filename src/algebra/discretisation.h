/* SPDX-License-Identifier: MIT */
/* Exact steps of small linear systems: z' = A z + B w over a time h, with inputs w that are constant or linear in h.
 *
 *     z(h) = E z(0) + G0 w(0) + G1 w(h),    E = exp(A h)
 *
 * Matrices are column-major. Set-up uses the matrix exponential of the system enlarged by its inputs. */
#pragma once

#include <interfield/arena.h>

enum { IFD__DISCRETISATION_MOST = 16 }; /* largest number of states + 2 inputs */

typedef struct ifd__discretisation {
    int n, m; /* states, inputs */
    const double *E, *G0, *G1;
} ifd__discretisation;

/* E := exp(A t), n x n, n <= IFD__DISCRETISATION_MOST. A is balanced first: entries may differ by many powers of
 * ten. */
void ifd__expm(int n, const double *A, double t, double *E);

/* z' = A z + B w of n states and m inputs. */
typedef struct ifd__continuous {
    int n, m;
    const double *A, *B;
} ifd__continuous;

/* IFD_NO_MEMORY, or IFD_NOT_FINITE if the exponential overflows. */
ifd_status ifd__discretisation_make(ifd_arena *arena, const ifd__continuous *of, double h, ifd__discretisation *out);

/* w0, w1: inputs at the start and at the end; the same pointer twice means constant inputs. */
IFD_RT void ifd__discretisation_step(const ifd__discretisation *hold, const double *w0, const double *w1, double *z);
