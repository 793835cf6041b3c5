/* SPDX-License-Identifier: MIT */
/* Growth in a crowd of roots that do not converge. */
#include "check.h"

#include <math.h>

#include "analysis/krylov.h"
#include "analysis/verdict.h"
#include "base/random.h"

enum { PAIRS = 150, SIZE = 2 * PAIRS };

typedef struct pairs {
    double re[PAIRS], im[PAIRS];
} pairs;

static bool step(void *what, double *x)
{
    const pairs *p = what;
    for (int k = 0; k < PAIRS; k++) {
        double a = x[2 * k], b = x[2 * k + 1];
        x[2 * k] = p->re[k] * a - p->im[k] * b;
        x[2 * k + 1] = p->im[k] * a + p->re[k] * b;
    }
    return true;
}

/* Pairs that hardly decay. Those with angles apart from each other converge; those with small angles do not, and one
 * of them grows by 3e-6 per step. The estimates of these are smaller than the roots that have converged. */
static void make(unsigned seed, pairs *p)
{
    ifd__random random;
    ifd__random_seed(&random, seed);
    for (int k = 0; k < PAIRS; k++) {
        double size = 1.0 - pow(10.0, -7.2 - 1.3 * ifd__random_unit(&random));
        double angle = 1e-3 + (seed % 2 ? 0.5 : 3.0) * pow(ifd__random_unit(&random), 2.0);
        size = k ? size : 1.0 + 3e-6;
        angle = k ? angle : 6e-4;
        p->re[k] = size * cos(angle);
        p->im[k] = size * sin(angle);
    }
}

TEST(growth_in_a_crowd_is_never_called_stable)
{
    static const double rest[SIZE];
    int all[SIZE];
    (void)state;
    for (int i = 0; i < SIZE; i++)
        all[i] = i;
    for (unsigned seed = 1; seed <= 2; seed++) {
        ifd_arena *arena = ifd_arena_open();
        ifd__roots roots = {0};
        pairs p;
        make(seed, &p);
        const ifd__probe probe = {
            .size = SIZE, .n = SIZE, .state = all, .rest = rest, .amplitude = 0x1p-20, .step = step, .what = &p};
        ifd_status status = ifd__krylov_radius(arena, &probe, 0, 0.0, &roots, NULL);
        assert_true(status == IFD_UNSUPPORTED || (status == IFD_OK && !ifd__roots_stable(&roots)));
        ifd_arena_close(arena);
    }
}

TESTS()
