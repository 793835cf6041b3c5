/* SPDX-License-Identifier: MIT */
/* Hash: 64 bits of a run of numbers, by their bits, for comparing states and for noticing damage. Not for secrets.
 *
 *     h = ifd__hash(h, x, n);          // of several runs, one after the other
 *
 * Four lanes, each h := rotate(h xor w, 29) P with an odd P. For a given h a step is one-to-one in w, so a change
 * inside a single word always changes the result. The rotation brings sign bits down to where the product spreads
 * them: without it the signs of two numbers could be changed unnoticed. */
#ifndef IFD_BASE_HASH_H
#define IFD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include <interfield/status.h>

enum { IFD__HASH_START = 1 };

IFD_RT uint64_t ifd__hash(uint64_t h, const double *x, size_t n);
/* Of bytes, wherever they stand. */
uint64_t ifd__hash_bytes(uint64_t h, const void *bytes, size_t count);

#endif
