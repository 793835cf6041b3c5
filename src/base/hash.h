/* SPDX-License-Identifier: MIT */
/* Hash: 64 bits of an array of numbers, from their bits, to compare states and detect damage. It is not
 * cryptographic.
 *
 *     h = ifd__hash(h, x, n);          // for several arrays: in sequence
 *
 * Four lanes, each h := rotate(h xor w, 29) P with an odd P. For a given h a step is one-to-one in w, so a change
 * inside a single word always changes the result. The rotation moves sign bits to positions where the product
 * spreads them; without it, changed signs of two numbers could remain undetected. */
#ifndef IFD_BASE_HASH_H
#define IFD_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include <interfield/status.h>

enum { IFD__HASH_START = 1 };

IFD_RT uint64_t ifd__hash(uint64_t h, const double *x, size_t n);
/* The bytes may be unaligned. */
uint64_t ifd__hash_bytes(uint64_t h, const void *bytes, size_t count);

#endif
