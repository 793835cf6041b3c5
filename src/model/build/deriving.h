/* SPDX-License-Identifier: MIT */
/* Internal data of a derivation. */
#pragma once

#include "model/build/derive.h"

typedef struct ifd__deriving {
    ifd_arena *arena, *scratch;
    const ifd__derivation *how;
    ifd_model *m;
    int *first;       /* pieces + 1: first dof of each substructure */
    ifd__rows T_t;    /* T by columns */
    double *y, *z;    /* dense accumulators: rows of T; n */
    int *y_at, *z_at; /* indices of their nonzero entries */
    bool *y_in, *z_in;
    ifd_note *note;
} ifd__deriving;

/* Adds value to a sparse vector stored dense, with the list of its indices. */
static inline void ifd__accumulate(double *x, bool *in, int *at, int *count, int i, double value)
{
    if (!in[i]) {
        in[i] = true;
        at[(*count)++] = i;
    }
    x[i] += value;
}

/* Fills first, T_t and the accumulators. */
ifd_status ifd__deriving_prepare(ifd__deriving *d);

/* M, C, K and the factor of M. */
ifd_status ifd__derive_matrices(ifd__deriving *d);
