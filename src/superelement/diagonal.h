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
