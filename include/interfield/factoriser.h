/* SPDX-License-Identifier: MIT */
/* Factors of large matrices that another program supplies, for example one factor over several processes.
 *
 *     ifd_arena_factoriser(arena, &factoriser);      // superelements that are made in this arena use it
 *
 * Set-up only: no function is called in a tick. */
#ifndef INTERFIELD_FACTORISER_H
#define INTERFIELD_FACTORISER_H

#include <interfield/arena.h>

IFD_BEGIN_DECLS

/* Lower triangle of a symmetric matrix; rows and columns counted from 1. */
typedef struct ifd_entries {
    int n;
    long long count;
    const int *row, *column;
    const double *value;
} ifd_entries;

typedef struct ifd_factoriser {
    void *self;
    /* *id names the factor. IFD_NOT_POSITIVE: the matrix is not positive definite. entries need not be kept. */
    ifd_status (*factor)(void *self, const ifd_entries *A, int *id);
    /* X (n x columns) := A^-1 X */
    void (*solve)(void *self, int id, int columns, double *X);
    void (*drop)(void *self, int id);
} ifd_factoriser;

/* NULL: factors of the library. The object is referenced. */
IFD_API void ifd_arena_factoriser(ifd_arena *arena, const ifd_factoriser *f);

IFD_END_DECLS
#endif
