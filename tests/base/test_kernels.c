/* SPDX-License-Identifier: MIT */
/* The vector sweeps against the plain ones, which serve any layout, and the plain ones against loops over the blocks. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/kernels.h"
#include "base/matrices.h"

enum { MOST = 65, N = 400 };

static const char *const names[] = {"plain", "avx2", "avx512"};

/* Two panels: columns 3 .. 3 + width - 1 with random rows below, and a second one next to it without rows. */
typedef struct sample {
    ifd__panels P;
    ifd__panel panel[2];
    uint32_t piece[N];
    int rows[N];
    double square[2][MOST * MOST], below[MOST * MOST];
    _Alignas(64) double packed_square[2 * (MOST + 8) * (MOST + 8)];
    _Alignas(64) double packed_below[(MOST + 8) * (MOST + 8)];
} sample;

static void choose_rows(sample *s, uint64_t *seed, int from, int count)
{
    int row = from, left = N - from;
    for (int k = 0; k < count; row++, left--)
        if ((matrix_random(seed) + 1.0) * 0.5 * left < 2.5 * (count - k) || left == count - k)
            s->rows[k++] = row;
}

static void sample_make(sample *s, uint64_t *seed, int width, int rows, int lanes)
{
    choose_rows(s, seed, 3 + 2 * width, rows);
    for (int q = 0; q < 2; q++) {
        matrix_random_vector(seed, MOST * MOST, s->square[q]);
        for (int i = 0; i < width; i++)
            for (int j = 0; j < i; j++)
                s->square[q][i + j * MOST] = s->square[q][j + i * MOST];
    }
    matrix_random_vector(seed, MOST * MOST, s->below);
    size_t size = (ifd__block_size(width, width, lanes) + 7) & ~(size_t)7;
    s->panel[0] = (ifd__panel){.first = 3, .width = width, .rows = rows};
    s->panel[1] = (ifd__panel){.first = 3 + width, .width = width, .square = size};
    s->panel[0].pieces = ifd__rows_pack(rows, s->rows, lanes, s->piece);
    assert_int_equal(ifd__rows_pack(rows, s->rows, lanes, NULL), s->panel[0].pieces);
    s->P = (ifd__panels){.n = N,
                         .count = 2,
                         .lanes = lanes,
                         .most_rows = rows,
                         .most_width = width,
                         .panel = s->panel,
                         .piece = s->piece,
                         .square = s->packed_square,
                         .below = s->packed_below};
    for (int q = 0; q < 2; q++) {
        ifd__panel_cut(&s->panel[q]);
        ifd__block_pack(&s->panel[q], width, lanes, 1.0, s->square[q], MOST, s->packed_square + s->panel[q].square);
    }
    ifd__block_pack(&s->panel[0], rows, lanes, 1.0, s->below, MOST, s->packed_below);
}

/* y_R += a N x_J when down, y_J += a (S x_J + N^T x_R) when up, over both panels, from the unpacked blocks. */
static void by_loops(const sample *s, double a, const double *x, double *y, bool down, bool up)
{
    const int w = s->panel[0].width, first = s->panel[0].first;
    for (int j = 0; j < w; j++) {
        for (int i = 0; i < s->panel[0].rows; i++) {
            if (down)
                y[s->rows[i]] += a * s->below[i + j * MOST] * x[first + j];
            if (up)
                y[first + j] += a * s->below[i + j * MOST] * x[s->rows[i]];
        }
        for (int i = 0; up && i < w; i++)
            for (int q = 0; q < 2; q++)
                y[first + q * w + j] += a * s->square[q][i + j * MOST] * x[first + q * w + i];
    }
}

static void compare(const double *actual, const double *expected, const sample *s, const char *sweep,
                    const char *name)
{
    for (int i = 0; i < N; i++)
        assert_near(actual[i], expected[i], 3e-14, "%s %s, width %d, rows %d, entry %d", name, sweep,
                    s->panel[0].width, s->panel[0].rows, i);
}

static void check(const sample *s, uint64_t *seed, const ifd__kernels *kernels, const ifd__kernels *against)
{
    static _Alignas(64) double w[4 * N];
    double x[N], y[N], z[N];
    for (size_t i = 0; i < COUNT(w); i++)
        w[i] = (double)NAN; /* scratch may hold anything */
    matrix_random_vector(seed, N, x);
    memcpy(y, x, sizeof x);
    memcpy(z, x, sizeof x);
    kernels->forward(&s->P, y, w);
    if (against)
        against->forward(&s->P, z, w);
    else
        by_loops(s, 1.0, x, z, true, false);
    compare(y, z, s, "forward", kernels->name);
    memcpy(y, x, sizeof x);
    memcpy(z, x, sizeof x);
    for (int i = 0; i < 2 * s->panel[0].width && !against; i++)
        z[3 + i] = 0.0;
    kernels->backward(&s->P, y, w);
    if (against)
        against->backward(&s->P, z, w);
    else
        by_loops(s, 1.0, x, z, false, true);
    compare(y, z, s, "backward", kernels->name);
    memcpy(y, x, sizeof x);
    memcpy(z, x, sizeof x);
    kernels->product(&s->P, -0.7, x, y, w);
    if (against)
        against->product(&s->P, -0.7, x, z, w);
    else
        by_loops(s, -0.7, x, z, true, true);
    compare(y, z, s, "product", kernels->name);
}

static void sweeps_of_every_kernel_agree_with_plain_and_with_loops(void **state)
{
    (void)state;
    static sample s;
    uint64_t seed = 31;
    for (size_t v = 0; v < COUNT(names); v++) {
        const ifd__kernels *kernels = ifd__kernels_pick(names[v]);
        for (int width = 1; kernels && width <= MOST; width++)
            for (int turn = 0; turn < 6; turn++) {
                int rows = turn == 0 ? 0 : turn == 1 ? MOST : (width * 11 + turn * 17) % (MOST + 1);
                sample_make(&s, &seed, width, rows, kernels->lanes);
                check(&s, &seed, kernels, NULL);
                if (kernels != &ifd__kernels_plain)
                    check(&s, &seed, kernels, &ifd__kernels_plain);
            }
    }
}

static void the_best_kernel_can_be_picked_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(ifd__kernels_pick(ifd__kernels_best()->name), ifd__kernels_best());
    assert_ptr_equal(ifd__kernels_pick("plain"), &ifd__kernels_plain);
    assert_null(ifd__kernels_pick("fastest"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_of_every_kernel_agree_with_plain_and_with_loops),
        cmocka_unit_test(the_best_kernel_can_be_picked_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
