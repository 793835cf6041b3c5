/* SPDX-License-Identifier: MIT */
/* Samples in the unit cube. Monte Carlo and Sobol points depend on (seed, index, dimension) only; a Latin hypercube
 * depends on (seed, members). */
#pragma once

#include <stdint.h>

#include <interfield/arena.h>

#define IFD__SAMPLINGS "monte-carlo|latin-hypercube|sobol"
typedef enum ifd__sampling { IFD__MONTE_CARLO, IFD__LATIN_HYPERCUBE, IFD__SOBOL } ifd__sampling;

typedef struct ifd__sample {
    ifd__sampling method;
    uint64_t seed;
    long members;
    int dimensions;
    bool scramble;             /* of Sobol */
    const double *correlation; /* of the normal scores, dimensions x dimensions; NULL: independent */
    double *factor;            /* lower Cholesky factor of it; NULL: independent */
    uint32_t *stratum;         /* Latin hypercube: dimensions x members */
} ifd__sample;

/* Completes a sample whose first members are set. IFD_NOT_POSITIVE: the correlation is impossible; IFD_RANGE: a
 * correlated Latin hypercube has too few members. */
ifd_status ifd__sample_make(ifd_arena *arena, ifd__sample *s);
/* One coordinate per dimension, in (0, 1). */
void ifd__sample_point(const ifd__sample *s, long index, double *u);

/* Lower Cholesky factor of a symmetric matrix of n rows; false: it is not positive definite. */
bool ifd__correlation_factor(int n, const double *a, double *l);
