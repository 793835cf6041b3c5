/* SPDX-License-Identifier: MIT */
/* The 64-bit hash of numbers and bytes. */
#include "base/hash.h"

#include <string.h>

enum { LANES = 4, WORD = 8 };
static const uint64_t P = 0x9e3779b97f4a7c15u, Q = 0xd6e8feb86659fd93u;

static inline uint64_t turn(uint64_t h, uint64_t w)
{
    h ^= w;
    return (h << 29 | h >> 35) * P;
}

/* memcpy, because the words may be unaligned. */
static inline uint64_t word(const unsigned char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

static inline uint64_t words(uint64_t h, const unsigned char *p, size_t n)
{
    uint64_t a = h, b = h ^ P, c = h ^ Q, d = h ^ P ^ Q; /* separate variables: in registers at every level of
                                                          * optimisation */
    size_t left = n;
    for (; left >= LANES; left -= LANES, p += LANES * WORD) {
        a = turn(a, word(p));
        b = turn(b, word(p + WORD));
        c = turn(c, word(p + 2 * WORD));
        d = turn(d, word(p + 3 * WORD));
    }
    if (left > 0)
        a = turn(a, word(p));
    if (left > 1)
        b = turn(b, word(p + WORD));
    if (left > 2)
        c = turn(c, word(p + 2 * WORD));
    h = turn(turn(turn(turn(turn(h, n), a), b), c), d);
    h ^= h >> 32;
    h *= Q;
    return h ^ h >> 29;
}

uint64_t ifd__hash(uint64_t h, const double *x, size_t n)
{
    return words(h, (const unsigned char *)x, n);
}

uint64_t ifd__hash_bytes(uint64_t h, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    size_t whole = count / WORD, left = count % WORD;
    unsigned char rest[WORD] = {0};
    if (left)
        memcpy(rest, p + whole * WORD, left);
    h = words(h, p, whole);
    return turn(turn(h, word(rest)), count);
}
