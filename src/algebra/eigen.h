/* SPDX-License-Identifier: MIT */
/* The lowest eigenpairs of a large pencil K x = lambda M x, K symmetric and M positive definite.
 *
 * Lanczos' method of ARPACK on (K + shift M)^-1 M, with the sparse factor of K + shift M. The shift is zero if K is
 * positive definite; otherwise it is raised until K + shift M is. Two checks follow:
 *
 *     error     |lambda - exact| <= error (lambda + shift), from the residual of each pair
 *     complete  the pivots of K - sigma M, sigma in a gap above the last pair asked for, have as many negative
 *               signs as there are pairs below sigma (Sylvester). Missing pairs, such as further ones of a multiple
 *               eigenvalue, are searched for in the complement of those found.
 *
 * Two calls with the same pencil give the same pairs. Set-up only. */
#pragma once

#include "algebra/sparse.h"

typedef struct ifd__pencil {
    const ifd_sparse *K, *M; /* packed for fast products, or not */
} ifd__pencil;

typedef struct ifd__eigenpairs {
    int count;
    double *lambda;      /* ascending */
    const double *shape; /* n x count, x^T M x = 1 */
    double shift, error;
} ifd__eigenpairs;

/* count < n. IFD_NOT_POSITIVE: no shift was found; IFD_INTERNAL: a check failed. */
ifd_status ifd__eigenpairs_lowest(ifd_arena *arena, const ifd__pencil *p, int count, ifd__eigenpairs *out,
                                  ifd_note *note);
