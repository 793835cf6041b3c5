/* SPDX-License-Identifier: MIT */
/* The vector sweeps against the plain ones, which serve any layout, and the plain ones against loops over the
 * blocks. */
#include "check.h"

#include <string.h>

#include "algebra/kernels.h"
#include "algebra/matrices.h"

enum { MOST = IFD__WIDEST + 1, N = 400 };

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

static void sample_make(sample *s, uint64_t *seed, int width, int rows, const ifd__kernels *kernels)
{
    int lanes = kernels->lanes;
    static int at[N];
    choose_rows(s, seed, 3 + 2 * width, rows);
    for (int q = 0; q < 2; q++) {
        matrix_random_vector(seed, MOST * MOST, s->square[q]);
        for (int i = 0; i < width; i++)
            for (int j = 0; j < i; j++)
                s->square[q][i + j * MOST] = s->square[q][j + i * MOST];
    }
    matrix_random_vector(seed, MOST * MOST, s->below);
    s->P = (ifd__panels){.n = N,
                         .count = 2,
                         .lanes = lanes,
                         .strip = kernels->strip,
                         .panel = s->panel,
                         .piece = s->piece,
                         .square = s->packed_square,
                         .below = s->packed_below};
    for (int q = 0; q < 2; q++) {
        ifd__panel *J = &s->panel[q], count = {0};
        *J = (ifd__panel){.first = 3 + q * width};
        J->square = q ? ifd__block_size(width, width, &s->P) : 0;
        ifd__panel_cut(J, width, kernels->strip);
        ifd__panel_cut(&count, width, kernels->strip);
        ifd__rows_pack(&count, q ? 0 : rows, s->rows, lanes, NULL, NULL);
        ifd__rows_pack(J, q ? 0 : rows, s->rows, lanes, s->piece, at);
        assert_int_equal(count.pieces, J->pieces);
        assert_true(J->size <= ifd__block_size(J->rows, width, &s->P));
        ifd__square_pack(J, lanes, s->square[q], MOST, s->packed_square + J->square);
        if (q == 0)
            ifd__below_pack(&s->P, J, at, 1.0, s->below, MOST);
    }
}

/* The three sweeps from the unpacked blocks: y_R += a N x_J when down, y_J += a N^T x_R when up, y_J += a S x_J. */
static void by_loops(const sample *s, double a, const double *x, double *y, bool down, bool up, bool square)
{
    const int w = s->panel[0].width, first = s->panel[0].first;
    for (int j = 0; j < w; j++) {
        for (int i = 0; i < s->panel[0].rows; i++) {
            if (down)
                y[s->rows[i]] += a * s->below[i + j * MOST] * x[first + j];
            if (up)
                y[first + j] += a * s->below[i + j * MOST] * x[s->rows[i]];
        }
        for (int i = 0; square && i < w; i++)
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

/* z holds NaN wherever no panel has a column: nothing may read or keep it. */
static void check_forward(const sample *s, const double *start, const ifd__kernels *kernels,
                          const ifd__kernels *against)
{
    double x[N], y[N], z[N + IFD__MOST_LANES], expected[N + IFD__MOST_LANES] = {0};
    memcpy(x, start, sizeof x);
    memcpy(y, start, sizeof y);
    for (size_t i = 0; i < COUNT(z); i++)
        z[i] = (double)NAN;
    kernels->forward(&s->P, x, z);
    if (against) {
        against->forward(&s->P, y, expected);
    } else {
        by_loops(s, 1.0, start, y, true, false, false);
        by_loops(s, 1.0, start, expected, false, false, true);
    }
    compare(x, y, s, "forward, x", kernels->name);
    for (int i = s->panel[0].first; i < s->panel[0].first + 2 * s->panel[0].width; i++)
        assert_near(z[i], expected[i], 3e-14, "%s forward, z, width %d, entry %d", kernels->name, s->panel[0].width,
                    i);
}

static void check(const sample *s, uint64_t *seed, const ifd__kernels *kernels, const ifd__kernels *against)
{
    double x[N], y[N], z[N];
    matrix_random_vector(seed, N, x);
    check_forward(s, x, kernels, against);
    memcpy(y, x, sizeof x);
    memcpy(z, x, sizeof x);
    kernels->backward(&s->P, y);
    if (against)
        against->backward(&s->P, z);
    else
        by_loops(s, 1.0, x, z, false, true, false);
    compare(y, z, s, "backward", kernels->name);
    memcpy(y, x, sizeof x);
    memcpy(z, x, sizeof x);
    kernels->product(&s->P, -0.7, x, y);
    if (against)
        against->product(&s->P, -0.7, x, z);
    else
        by_loops(s, -0.7, x, z, true, true, true);
    compare(y, z, s, "product", kernels->name);
}

TEST(sweeps_of_every_kernel_agree_with_plain_and_with_loops)
{
    static sample s;
    uint64_t seed = 31;
    for (size_t v = 0; v < COUNT(names); v++) {
        const ifd__kernels *kernels = ifd__kernels_pick(names[v]);
        for (int width = 1; kernels && width <= IFD__WIDEST; width++)
            for (int turn = 0; turn < 6; turn++) {
                int rows = turn == 0 ? 0 : turn == 1 ? MOST : (width * 11 + turn * 17) % (MOST + 1);
                sample_make(&s, &seed, width, rows, kernels);
                check(&s, &seed, kernels, NULL);
                if (kernels != &ifd__kernels_plain)
                    check(&s, &seed, kernels, &ifd__kernels_plain);
            }
    }
}

TEST(the_best_kernel_can_be_picked_by_name)
{
    assert_ptr_equal(ifd__kernels_pick(ifd__kernels_best()->name), ifd__kernels_best());
    assert_ptr_equal(ifd__kernels_pick("plain"), &ifd__kernels_plain);
    assert_null(ifd__kernels_pick("fastest"));
}

TESTS()
