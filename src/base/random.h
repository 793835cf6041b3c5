/* SPDX-License-Identifier: MIT */
/* Random numbers that are equal on every machine for equal seeds: xoshiro256** initialised by splitmix64 (Blackman
 * and Vigna, 2021). The state is four words, which the caller keeps with its other state. */
#pragma once

#include <stdint.h>

#include <interfield/status.h>

typedef struct ifd__random {
    uint64_t word[4];
} ifd__random;

IFD_RT void ifd__random_seed(ifd__random *r, uint64_t seed);
IFD_RT uint64_t ifd__random_bits(ifd__random *r);
/* Uniform in [0, 1), a multiple of 2^-53. */
IFD_RT double ifd__random_unit(ifd__random *r);
/* Normal, mean 0, standard deviation 1 (Box and Muller). Every call uses two uniform numbers. */
IFD_RT double ifd__random_normal(ifd__random *r);

/* The state as doubles with the same bits, for a generator in the state array of a run. */
enum { IFD__RANDOM_DOUBLES = 4 };
IFD_RT ifd__random ifd__random_load(const double *x);
IFD_RT void ifd__random_store(const ifd__random *r, double *x);
