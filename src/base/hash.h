/* SPDX-License-Identifier: MIT */
/* Hash: 64 bits of an array of numbers, from their bits, to compare states and detect damage. It is not
 * cryptographic.
 *
 *     h = ifd__hash(h, x, n);          // for several arrays: in sequence
 *
 * Word k goes to chain k mod 8, whose steps are t ^= w, t += t << 21, t ^= t >> 29; the last eight words are padded
 * with zeros. Each is one-to-one, so a change inside a single word always changes the result. The shift to the right
 * moves sign bits to positions where later steps spread them; without it, changed signs of two numbers could remain
 * undetected. The chains, the number of words and the start are then folded into one word. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <interfield/status.h>

enum { IFD__HASH_START = 1 };

IFD_RT uint64_t ifd__hash(uint64_t h, const double *x, size_t n);
/* The bytes may be unaligned. */
uint64_t ifd__hash_bytes(uint64_t h, const void *bytes, size_t count);
