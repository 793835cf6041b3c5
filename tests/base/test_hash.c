/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <string.h>

#include "base/hash.h"

enum { N = 37 };

static void fill(double *x)
{
    for (int i = 0; i < N; i++)
        x[i] = sin(1.0 + i) * pow(10.0, i % 7 - 3);
}

static void flip(double *x, int i, int bit)
{
    uint64_t w;
    memcpy(&w, &x[i], sizeof w);
    w ^= (uint64_t)1 << bit;
    memcpy(&x[i], &w, sizeof w);
}

/* The definition, word by word. */
static uint64_t defined(uint64_t h, const uint64_t *w, size_t n)
{
    const uint64_t A = 0x9e3779b97f4a7c15u, B = 0xd6e8feb86659fd93u;
    uint64_t t[8];
    for (uint64_t k = 0; k < 8; k++)
        t[k] = h ^ k % 4 * A ^ (k < 4 ? 0 : B);
    for (size_t i = 0; i < (n + 7) / 8 * 8; i++) {
        t[i % 8] ^= i < n ? w[i] : 0;
        t[i % 8] += t[i % 8] << 21;
        t[i % 8] ^= t[i % 8] >> 29;
    }
    h ^= n;
    for (int k = 0; k < 8; k++) {
        h ^= t[k];
        h = (h << 29 | h >> 35) * A;
    }
    h ^= h >> 32;
    h *= B;
    return h ^ h >> 29;
}

TEST(the_vectors_and_the_definition_are_met)
{
    uint64_t w[300];
    double x[300];
    for (uint64_t i = 0; i < 10; i++)
        w[i] = i;
    memcpy(x, w, sizeof x);
    assert_true(ifd__hash(7, x, 10) == 0x4db9d9111a041957u);
    assert_true(ifd__hash(0, x, 0) == 0xb8b6f5a546f86066u);
    for (uint64_t i = 0; i < COUNT(w); i++)
        w[i] = 0x9e3779b97f4a7c15u * (i + 1) ^ i << 60;
    memcpy(x, w, sizeof x);
    for (size_t n = 0; n <= COUNT(w); n++)
        assert_true(ifd__hash(n, x, n) == defined(n, w, n));
}

TEST(every_single_bit_counts)
{
    double x[N];
    fill(x);
    uint64_t h = ifd__hash(IFD__HASH_START, x, N);
    for (int i = 0; i < N; i++)
        for (int bit = 0; bit < 64; bit++) {
            flip(x, i, bit);
            assert_true(ifd__hash(IFD__HASH_START, x, N) != h);
            flip(x, i, bit);
        }
    assert_true(ifd__hash(IFD__HASH_START, x, N) == h);
}

/* A mirrored structure differs from the original in signs only. */
TEST(any_two_signs_and_any_two_places_count)
{
    double x[N];
    fill(x);
    uint64_t h = ifd__hash(IFD__HASH_START, x, N);
    for (int i = 0; i < N; i++)
        for (int k = i + 1; k < N; k++) {
            double a = x[i], b = x[k];
            x[i] = -a;
            x[k] = -b;
            assert_true(ifd__hash(IFD__HASH_START, x, N) != h);
            x[i] = b;
            x[k] = a;
            assert_true(ifd__hash(IFD__HASH_START, x, N) != h);
            x[i] = a;
            x[k] = b;
        }
}

TEST(length_start_and_zeros_count)
{
    double x[N] = {0};
    uint64_t seen[N + 1];
    for (size_t n = 0; n <= N; n++) {
        seen[n] = ifd__hash(IFD__HASH_START, x, n);
        for (size_t k = 0; k < n; k++)
            assert_true(seen[k] != seen[n]);
    }
    assert_true(ifd__hash(2, x, N) != seen[N]);
    x[3] = -0.0;
    assert_true(ifd__hash(IFD__HASH_START, x, N) != seen[N]);
}

/* Half of the 64 bits change, whichever bit of the input does. */
TEST(a_bit_spreads_over_the_whole_word)
{
    double x[N];
    fill(x);
    uint64_t h = ifd__hash(IFD__HASH_START, x, N);
    for (int bit = 0; bit < 64; bit++) {
        double changed = 0;
        for (int i = 0; i < N; i++) {
            flip(x, i, bit);
            changed += __builtin_popcountll(ifd__hash(IFD__HASH_START, x, N) ^ h);
            flip(x, i, bit);
        }
        assert_near(changed / N, 32.0, 5.0, "bit %d", bit); /* 7 standard deviations of a fair coin */
    }
}

TEST(bytes_count_wherever_they_stand)
{
    char text[64] = "the quick brown fox jumps over the lazy dog", moved[65];
    memcpy(moved + 1, text, sizeof text);
    for (size_t n = 0; n <= 43; n++) {
        uint64_t h = ifd__hash_bytes(IFD__HASH_START, text, n);
        assert_true(ifd__hash_bytes(IFD__HASH_START, moved + 1, n) == h);
        assert_true(ifd__hash_bytes(IFD__HASH_START, text, n + 1) != h);
        for (size_t i = 0; i < n; i++) {
            text[i] ^= 1;
            assert_true(ifd__hash_bytes(IFD__HASH_START, text, n) != h);
            text[i] ^= 1;
        }
    }
}

TESTS()
