/* SPDX-License-Identifier: MIT */
/* The generator xoshiro256** and normal numbers from it. */
#include "base/random.h"

#include <math.h>
#include <string.h>

static uint64_t turn(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

void ifd__random_seed(ifd__random *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        r->word[i] = z ^ (z >> 31);
    }
}

uint64_t ifd__random_bits(ifd__random *r)
{
    uint64_t *w = r->word, result = turn(w[1] * 5, 7) * 9, shifted = w[1] << 17;
    w[2] ^= w[0];
    w[3] ^= w[1];
    w[1] ^= w[2];
    w[0] ^= w[3];
    w[2] ^= shifted;
    w[3] = turn(w[3], 45);
    return result;
}

double ifd__random_unit(ifd__random *r)
{
    return (double)(ifd__random_bits(r) >> 11) * 0x1p-53;
}

double ifd__random_normal(ifd__random *r)
{
    double u = 1.0 - ifd__random_unit(r); /* in (0, 1]: its logarithm exists */
    double angle = 6.28318530717958647693 * ifd__random_unit(r);
    return sqrt(-2.0 * log(u)) * cos(angle);
}

ifd__random ifd__random_load(const double *x)
{
    ifd__random r;
    memcpy(&r, x, sizeof r);
    return r;
}

void ifd__random_store(const ifd__random *r, double *x)
{
    memcpy(x, r, sizeof *r);
}
