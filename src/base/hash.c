/* SPDX-License-Identifier: MIT */
/* The 64-bit hash of numbers and bytes. */
#include "base/hash.h"

#include <string.h>

#include "base/wide.h"

enum { CHAINS = 8, WORD = 8, BLOCK = CHAINS * WORD };
static const uint64_t A = 0x9e3779b97f4a7c15u, B = 0xd6e8feb86659fd93u;

typedef uint64_t four __attribute__((vector_size(32)));

static inline uint64_t turn(uint64_t h, uint64_t w)
{
    h ^= w;
    return (h << 29 | h >> 35) * A;
}

/* memcpy, because the words may be unaligned. */
#define TAKE(chains, from)                                                                                           \
    memcpy(&w, from, sizeof w);                                                                                      \
    chains ^= w;                                                                                                     \
    chains += chains << 21;                                                                                          \
    chains ^= chains >> 29

IFD__WIDE static void run_chains(uint64_t h, const unsigned char *p, size_t n, uint64_t chain[CHAINS])
{
    four w, t = {h, h ^ A, h ^ 2 * A, h ^ 3 * A}, u = t ^ B;
    for (; n >= CHAINS; n -= CHAINS, p += BLOCK) {
        TAKE(t, p);
        TAKE(u, p + sizeof w);
    }
    if (n) {
        unsigned char last[BLOCK] = {0};
        memcpy(last, p, n * WORD);
        TAKE(t, last);
        TAKE(u, last + sizeof w);
    }
    memcpy(chain, &t, sizeof t);
    memcpy(chain + CHAINS / 2, &u, sizeof u);
}

static uint64_t words(uint64_t h, const unsigned char *p, size_t n)
{
    uint64_t chain[CHAINS];
    run_chains(h, p, n, chain);
    h ^= n;
    for (int k = 0; k < CHAINS; k++)
        h = turn(h, chain[k]);
    h ^= h >> 32;
    h *= B;
    return h ^ h >> 29;
}

uint64_t ifd__hash(uint64_t h, const double *x, size_t n)
{
    return words(h, (const unsigned char *)x, n);
}

uint64_t ifd__hash_bytes(uint64_t h, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    uint64_t rest = 0;
    memcpy(&rest, p + count / WORD * WORD, count % WORD);
    h = words(h, p, count / WORD);
    return turn(turn(h, rest), count);
}
