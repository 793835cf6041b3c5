/* SPDX-License-Identifier: MIT */
/* The reduced structure in its own modes: M = I, K = diag(lambda), u = Phi z, Phi = V A.
 *
 * Modes ascend in frequency. The first entry of a mode among the columns of W that exceeds 1e-8 of its largest one is
 * positive, so that two constructions give the same bits. */
#pragma once

#include "superelement/basis.h"

typedef struct ifd__diagonal {
    int order, columns;
    double *lambda; /* order: squares of the angular frequencies */
    double *A;      /* order x order */
    double *P;      /* order x columns: Phi^T W, with W scaled */
} ifd__diagonal;

ifd_status ifd__diagonal_make(ifd_arena *arena, const ifd__basis *b, ifd__diagonal *out, ifd_note *note);

/* The reduced structure with its interface dofs as the first coordinates: u = T z. The other coordinates are modes
 * with the interface held.
 *
 *     M = [ mass      coupling ]     K = [ stiffness   0  ]
 *         [ coupling^T    I    ]         [ 0       lambda ]
 *
 * The static shapes of the interface are in the basis, so that T = V A X with X of the size of the basis. */

typedef struct ifd__physical {
    int order, interfaces;
    double *mass, *stiffness; /* p x p */
    double *coupling;         /* p x (order - p) */
    double *lambda;           /* order - p */
    double *P;                /* order x columns: T^T W with the columns of W as they were given */
} ifd__physical;

ifd_status ifd__physical_make(ifd_arena *arena, ifd_arena *scratch, const ifd__basis *b, const ifd__diagonal *d,
                              ifd__physical *out);

/* M and K, both triangles. */
void ifd__physical_triplets(const ifd__physical *f, ifd__triplets *M, ifd__triplets *K);
