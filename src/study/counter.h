/* SPDX-License-Identifier: MIT */
/* Counter-based random numbers: a number is a function of its key and counter, without state, so that a member of a
 * study does not depend on order, machine or the number of members. Philox4x32-10 (Salmon, Moraes, Dror and Shaw,
 * SC 2011). */
#pragma once

#include <stdint.h>

/* The block of four words of a counter under a key. */
void ifd__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* What a number is for; numbers for different purposes are independent. */
typedef enum ifd__purpose { IFD__FOR_SAMPLES, IFD__FOR_ORDER, IFD__FOR_SCRAMBLE, IFD__FOR_PAIRING } ifd__purpose;

/* 64 random bits of (seed, member, variable). */
uint64_t ifd__counter_bits(uint64_t seed, ifd__purpose purpose, uint64_t member, uint32_t variable);
/* Uniform in (0, 1), at the centres of 2^53 equal intervals. */
double ifd__counter_unit(uint64_t seed, ifd__purpose purpose, uint64_t member, uint32_t variable);
