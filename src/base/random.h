/* SPDX-License-Identifier: MIT */
/* Random numbers that are the same on every machine for a seed: xoshiro256** filled by splitmix64 (Blackman and
 * Vigna, 2021). The state is four words that the owner keeps with the rest of its state. */
#ifndef IFD_BASE_RANDOM_H
#define IFD_BASE_RANDOM_H

#include <stdint.h>

#include <interfield/status.h>

typedef struct ifd__random {
    uint64_t word[4];
} ifd__random;

IFD_RT void ifd__random_seed(ifd__random *r, uint64_t seed);
IFD_RT uint64_t ifd__random_bits(ifd__random *r);
/* Uniform in [0, 1), a multiple of 2^-53. */
IFD_RT double ifd__random_unit(ifd__random *r);
/* Normal, mean 0, deviation 1 (Box and Muller; uses two uniform numbers per call, always). */
IFD_RT double ifd__random_normal(ifd__random *r);

/* The state as doubles' bits, for a generator that lives in a run's state array. */
enum { IFD__RANDOM_DOUBLES = 4 };
IFD_RT ifd__random ifd__random_load(const double *x);
IFD_RT void ifd__random_store(const ifd__random *r, double *x);

#endif
