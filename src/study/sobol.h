/* SPDX-License-Identifier: MIT */
/* Sobol sequence with the direction numbers of Joe and Kuo (SIAM J. Sci. Comput. 30, 2635-2654, 2008), optionally
 * with nested uniform scrambling (Owen, 1995). */
#pragma once

#include <stdint.h>

enum { IFD__SOBOL_DIMENSIONS = 128, IFD__SOBOL_BITS = 32 };

/* Coordinate `dimension` of point `index` (from 0, in the order of the binary digits, not of the Gray code), as
 * 32 bits of a binary fraction. */
uint32_t ifd__sobol_bits(uint64_t index, int dimension);
/* In (0, 1): the centre of the interval of 2^-32 that the point is in. scramble: Owen, by the seed. */
double ifd__sobol_unit(uint64_t index, int dimension, const uint64_t *scramble_seed);
