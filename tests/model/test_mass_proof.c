/* SPDX-License-Identifier: MIT */
/* A proof from the parts of a mass never contradicts the eigenvalues of the whole, and frames need no factor. */
#include "check.h"

#include <lapacke.h>

#include <interfield/structures.h>

#include "model/build/making.h"
#include "model/model.h"

static double random_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

enum { DOFS = 7 };

static void add(ifd_builder *b, double *M, int i, int j, double value)
{
    ifd_builder_add(b, IFD_MASS, i, j, value);
    M[i + j * DOFS] += value;
}

/* One group: V V^T on three dofs, with 1 to 3 columns V, and sometimes a negative change. */
static void add_group(ifd_builder *b, double *M, uint64_t *seed, int first)
{
    double V[9], change = random_number(seed) > 0.8 ? -0.3 : 0.0;
    int columns = 1 + (int)(1.49 * (random_number(seed) + 1.0));
    for (int k = 0; k < 9; k++)
        V[k] = random_number(seed);
    ifd__builder_group(b, true);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = i == j ? change : 0.0;
            for (int k = 0; k < columns && k < 3; k++)
                sum += V[i + 3 * k] * V[j + 3 * k];
            add(b, M, (first + i) % DOFS, (first + j) % DOFS, sum);
        }
    ifd__builder_group(b, false);
}

static double smallest(double *M)
{
    double w[DOFS];
    assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', DOFS, M, DOFS, w), 0);
    return w[0];
}

TEST(a_proved_sum_is_positive_definite)
{
    uint64_t seed = 5;
    int proved = 0, refused = 0;
    for (int round = 0; round < 2000; round++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_builder *b = ifd_builder_make(arena);
        double M[DOFS * DOFS] = {0};
        char name[8];
        for (int i = 0; i < DOFS; i++) {
            snprintf(name, sizeof name, "d%d", i);
            ifd_builder_dof(b, name, IFD_DOF_X);
        }
        for (int g = 0; g < 3; g++)
            add_group(b, M, &seed, (int)(3.49 * (random_number(&seed) + 1.0)));
        for (int i = 0; i < DOFS; i++)
            if (random_number(&seed) > -0.6)
                add(b, M, i, i, 0.5 + 0.5 * random_number(&seed));
        bool said = ifd__mass_proved(arena, b);
        double least = smallest(M);
        assert_true(!said || least > 0.0);
        proved += said;
        refused += least <= 0.0;
        ifd_arena_close(arena);
    }
    assert_true(proved > 20 && refused > 20);
}

/* The rotations of a frame with lumped mass have none. */
TEST(frames_with_consistent_mass_are_proved)
{
    for (int lumped = 0; lumped < 2; lumped++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_grid grid;
        ifd_frame frame;
        ifd_builder *b = ifd_builder_make(arena);
        ifd_grid_defaults(&grid);
        grid.planar = false;
        grid.bays_x = grid.bays_y = grid.storeys = 2;
        assert_int_equal(ifd_frame_grid(arena, &grid, &frame, NULL), IFD_OK);
        frame.lumped = lumped;
        assert_int_equal(ifd_builder_frame(b, &frame, NULL), IFD_OK);
        assert_int_equal(ifd__mass_proved(arena, b), !lumped);
        ifd_builder_add(b, IFD_MASS, 0, 0, -1e-3); /* the sum stays definite, but its parts do not prove it */
        assert_false(ifd__mass_proved(arena, b));
        ifd_arena_close(arena);
    }
}

TESTS()
