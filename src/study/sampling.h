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

/* Counter-based random numbers: a number is a function of its key and counter, without state, so that a member of a
 * study does not depend on order, machine or the number of members. Philox4x32-10 (Salmon, Moraes, Dror and Shaw,
 * SC 2011). */

/* The block of four words of a counter under a key. */
void ifd__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* What a number is for; numbers for different purposes are independent. */
typedef enum ifd__purpose { IFD__FOR_SAMPLES, IFD__FOR_ORDER, IFD__FOR_SCRAMBLE, IFD__FOR_PAIRING } ifd__purpose;

/* 64 random bits of (seed, member, variable). */
uint64_t ifd__counter_bits(uint64_t seed, ifd__purpose purpose, uint64_t member, uint32_t variable);
/* Uniform in (0, 1), at the centres of 2^53 equal intervals. */
double ifd__counter_unit(uint64_t seed, ifd__purpose purpose, uint64_t member, uint32_t variable);

/* Sobol sequence with the direction numbers of Joe and Kuo (SIAM J. Sci. Comput. 30, 2635-2654, 2008), optionally
 * with nested uniform scrambling (Owen, 1995). */

enum { IFD__SOBOL_DIMENSIONS = 128, IFD__SOBOL_BITS = 32 };

/* Coordinate `dimension` of point `index` (from 0, in the order of the binary digits, not of the Gray code), as
 * 32 bits of a binary fraction. */
uint32_t ifd__sobol_bits(uint64_t index, int dimension);
/* In (0, 1): the centre of the interval of 2^-32 that the point is in. scramble: Owen, by the seed. */
double ifd__sobol_unit(uint64_t index, int dimension, const uint64_t *scramble_seed);
