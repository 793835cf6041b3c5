/* SPDX-License-Identifier: MIT */
/* Points of samples: Monte Carlo, Latin hypercube, Sobol. */
#include "study/sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "statistics/statistics.h"

/* Random numbers as a function of key and counter (Philox). */

void ifd__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; round++) {
        uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1],
                            (uint32_t)a};
        for (int i = 0; i < 4; i++)
            c[i] = next[i];
        k[0] += UINT32_C(0x9E3779B9);
        k[1] += UINT32_C(0xBB67AE85);
    }
    for (int i = 0; i < 4; i++)
        out[i] = c[i];
}

uint64_t ifd__counter_bits(uint64_t seed, ifd__purpose purpose, uint64_t member, uint32_t variable)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)member, (uint32_t)(member >> 32), variable, (uint32_t)purpose};
    uint32_t out[4];
    ifd__philox(counter, key, out);
    return (uint64_t)out[1] << 32 | out[0];
}

double ifd__counter_unit(uint64_t seed, ifd__purpose purpose, uint64_t member, uint32_t variable)
{
    return ((double)(ifd__counter_bits(seed, purpose, member, variable) >> 11) + 0.5) * 0x1p-53;
}

bool ifd__correlation_factor(int n, const double *a, double *l)
{
    const double least = 1e-12;
    memset(l, 0, (size_t)n * (size_t)n * sizeof *l);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= l[i * n + k] * l[j * n + k];
            if (i == j && !(sum > least))
                return false;
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
    return true;
}

/* A row to be sorted by its key; equal keys by their index, so that the order is unique. */
typedef struct keyed {
    double key;
    uint64_t bits;
    uint32_t index;
} keyed;

static int by_key(const void *left, const void *right)
{
    const keyed *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->bits != b->bits)
        return a->bits < b->bits ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* rank[i]: the position of row i in ascending order. */
static void rank(long n, keyed *row, uint32_t *out)
{
    qsort(row, (size_t)n, sizeof *row, by_key);
    for (long i = 0; i < n; i++)
        out[row[i].index] = (uint32_t)i;
}

/* A random order of the strata of each dimension. */
static void shuffle(const ifd__sample *s, int d, keyed *row, uint32_t *out)
{
    for (long i = 0; i < s->members; i++)
        row[i] = (keyed){.bits = ifd__counter_bits(s->seed, IFD__FOR_ORDER, (uint64_t)i, (uint32_t)d),
                         .index = (uint32_t)i};
    rank(s->members, row, out);
}

/* Iman and Conover (Commun. Stat. B11, 311-334, 1982): normal scores in the random order of each dimension have the
 * sample correlation T = Q Q'. Scores M (P inv Q)', with P P' the correlation asked for, have that one exactly; the
 * strata receive their ranks. */
static ifd_status correlate(ifd_arena *arena, ifd__sample *s, keyed *row)
{
    int D = s->dimensions;
    long N = s->members;
    double *m, *t, *q, *mix;
    IFD_TRY(
        IFD__TAKE(arena, IFD__ARRAY(m, N * D), IFD__ARRAY(t, D * D), IFD__ARRAY(q, D * D), IFD__ARRAY(mix, D * D)));
    for (int d = 0; d < D; d++)
        for (long i = 0; i < N; i++)
            m[i * D + d] = ifd__normal_quantile((s->stratum[d * N + i] + 1.0) / ((double)N + 1.0));
    double scale = 0; /* of the scores: the same for each dimension */
    for (long i = 0; i < N; i++)
        scale += m[i * D] * m[i * D];
    for (int a = 0; a < D; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0;
            for (long i = 0; i < N; i++)
                sum += m[i * D + a] * m[i * D + b];
            t[a * D + b] = t[b * D + a] = a == b ? 1.0 : sum / scale;
        }
    if (N <= D || !ifd__correlation_factor(D, t, q))
        return IFD_RANGE;
    for (int a = 0; a < D; a++) /* mix Q = P, from the last column */
        for (int b = a; b >= 0; b--) {
            double sum = s->factor[a * D + b];
            for (int k = b + 1; k <= a; k++)
                sum -= mix[a * D + k] * q[k * D + b];
            mix[a * D + b] = sum / q[b * D + b];
        }
    for (int d = 0; d < D; d++) {
        for (long i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k <= d; k++)
                sum += m[i * D + k] * mix[d * D + k];
            row[i] = (keyed){.key = sum, .index = (uint32_t)i};
        }
        rank(N, row, s->stratum + d * N);
    }
    return IFD_OK;
}

static ifd_status make_hypercube(ifd_arena *arena, ifd__sample *s)
{
    keyed *row IFD__FREED = malloc((size_t)s->members * sizeof *row);
    s->stratum = ifd_arena_array(arena, (size_t)s->dimensions * (size_t)s->members, sizeof *s->stratum);
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    IFD__HAVE(row && s->stratum && scratch);
    for (int d = 0; d < s->dimensions; d++)
        shuffle(s, d, row, s->stratum + (long)d * s->members);
    return s->factor ? correlate(scratch, s, row) : IFD_OK;
}

ifd_status ifd__sample_make(ifd_arena *arena, ifd__sample *s)
{
    size_t D = (size_t)s->dimensions;
    if (s->correlation) {
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->factor, D * D)));
        if (!ifd__correlation_factor(s->dimensions, s->correlation, s->factor))
            return IFD_NOT_POSITIVE;
    }
    return s->method == IFD__LATIN_HYPERCUBE ? make_hypercube(arena, s) : IFD_OK;
}

/* Correlated normal scores (Gaussian copula), from the last one, so that the first ones are still independent. */
static void mix(const ifd__sample *s, double *u)
{
    int D = s->dimensions;
    for (int d = 0; d < D; d++)
        u[d] = ifd__normal_quantile(u[d]);
    for (int d = D - 1; d >= 0; d--) {
        double sum = 0;
        for (int k = 0; k <= d; k++)
            sum += s->factor[d * D + k] * u[k];
        u[d] = sum;
    }
    for (int d = 0; d < D; d++)
        u[d] = ifd__normal_probability(u[d]);
}

void ifd__sample_point(const ifd__sample *s, long index, double *u)
{
    for (int d = 0; d < s->dimensions; d++) {
        if (s->method == IFD__SOBOL) {
            u[d] = ifd__sobol_unit((uint64_t)index, d, s->scramble ? &s->seed : NULL);
            continue;
        }
        u[d] = ifd__counter_unit(s->seed, IFD__FOR_SAMPLES, (uint64_t)index, (uint32_t)d);
        if (s->method == IFD__LATIN_HYPERCUBE)
            u[d] = (s->stratum[d * s->members + index] + u[d]) / (double)s->members;
    }
    if (s->factor && s->method != IFD__LATIN_HYPERCUBE)
        mix(s, u);
}
