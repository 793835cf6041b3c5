/* SPDX-License-Identifier: MIT */
/* Parts of the problem of an interface, with free masses of 1, 2 and 3 kg in a row. H = ((3/2, -1/2), (-1/2, 5/6))
 * has the determinant 1. */
#include "algebra/dense.h"
#include "couple/fixtures.h"

#include <string.h>

enum { MASSES = 3, ROWS = 2 };

static ifd__interface *row_of_masses(ifd_arena *arena)
{
    ifd__interface *I = ifd_arena_take(arena, sizeof *I);
    cut *c = cut_make(arena, "staggered", 0.01);
    for (int p = 0; p < MASSES; p++) {
        cut_part(c, "mass", oscillator(arena, 1.0 + p, 0.0, 0.0, 0.0, 0.0), options("lsrt2", 0.01, NULL), 1);
        c->part[p].measured = true;
    }
    cut_joint(c, "first", 0, 0, 1, 0);
    cut_joint(c, "second", 1, 0, 2, 0);
    ifd_note note;
    ifd_note_init(&note, arena);
    assert_ok(ifd__interface_make(arena, &c->opt, 0.0, NULL, I, &note), &note);
    return I;
}

/* At rest at the origin, with measured forces. */
static void solve(ifd_arena *arena, ifd__interface *I, const double *force, double *lambda)
{
    ifd__sight sight[MASSES];
    const ifd__sight *at[MASSES];
    const double theta[MASSES] = {0.0}, zero[2] = {0.0};
    for (int p = 0; p < MASSES; p++) {
        assert_int_equal(ifd__sight_make(arena, I, p, &sight[p]), IFD_OK);
        memset(sight[p].lin, 1, sizeof(double) * ROWS);
        ifd__interface_see(I, p, zero, &sight[p]);
        for (int j = 0; j < ROWS; j++)
            assert_true(sight[p].lin[j] == 0.0);
        I->part[p].measured[0] = force[p];
        at[p] = &sight[p];
    }
    assert_true(ifd__interface_solve(I, 0.0, at, at, theta, lambda));
}

/* Exactly nothing, not almost. */
TEST_IN_ARENA(without_forces_there_are_none_in_the_joints)
{
    ifd__interface *I = row_of_masses(*state);
    double lambda[ROWS], load;
    solve(*state, I, (double[]){0.0, 0.0, 0.0}, lambda);
    assert_true(lambda[0] == 0.0 && lambda[1] == 0.0);
    for (int p = 0; p < MASSES; p++) {
        ifd__interface_load(I, p, lambda, &load);
        assert_true(load == 0.0);
    }
    I->bias[0] = I->bias[1] = 5.0;
    ifd__interface_rest(I);
    assert_true(I->bias[0] == 0.0 && I->bias[1] == 0.0);
}

/* Forces of 6, 12 and -36 N accelerate all 6 kg with -3 m/s2. */
TEST_IN_ARENA(measured_forces_are_divided_among_the_masses)
{
    ifd__interface *I = row_of_masses(*state);
    double lambda[ROWS];
    solve(*state, I, (double[]){6.0, 12.0, -36.0}, lambda);
    assert_near(lambda[0], -9.0, 1e-13, "N");
    assert_near(lambda[1], -27.0, 1e-13, "N");
    for (int p = 0; p < MASSES; p++) {
        double load;
        ifd__interface_load(I, p, lambda, &load);
        assert_near(load, -3.0 * (p + 1), 1e-13, "N, mass %d", p);
    }
}

TEST_IN_ARENA(one_right_hand_side_is_solved_and_nothing_behind_it)
{
    ifd__interface *I = row_of_masses(*state);
    double bias[4] = {0.0, 0.0, 7.0, 9.0}, gap[4] = {1.0, 0.0, 7.0, 9.0};
    I->bias = bias;
    I->feedback = 2.0;
    ifd__interface_feed_back(I, (double[]){0.0, 1.0}, (double[]){1.0, 0.0}); /* H bias = -(4, 4) */
    assert_near(bias[0], -16.0 / 3.0, 1e-13, "first");
    assert_near(bias[1], -8.0, 1e-13, "second");
    assert_true(bias[2] == 7.0 && bias[3] == 9.0);
    ifd__lu_solve(I->rows, I->LU0, I->pivot0, 1, gap);
    assert_near(gap[0], 5.0 / 6.0, 1e-14, "first");
    assert_near(gap[1], 0.5, 1e-14, "second");
    assert_true(gap[2] == 7.0 && gap[3] == 9.0);
    double lambda[4] = {1.0, 0.0, 7.0, 9.0};
    memset(bias, 0, sizeof bias);
    assert_true(ifd__interface_react(I, true, lambda));
    assert_near(lambda[0], -5.0 / 6.0, 1e-14, "first");
    assert_true(lambda[2] == 7.0 && lambda[3] == 9.0);
}

/* H of a configuration counts where masses depend on it, and its failure or that of a term is a failure. */
TEST_IN_ARENA(only_inertial_masses_have_an_H_of_the_moment)
{
    ifd__interface *I = row_of_masses(*state);
    double H[4] = {2.0, 0.0, 0.0, 4.0}, lambda[ROWS] = {1.0, 0.0}, LU[4];
    I->Hnow = H;
    assert_true(ifd__interface_react(I, true, lambda));
    assert_near(lambda[0], -5.0 / 6.0, 1e-14, "constant");
    assert_false(ifd__interface_react(I, false, lambda));
    I->inertial = true;
    I->LU = LU;
    lambda[0] = lambda[1] = 1.0;
    assert_true(ifd__interface_react(I, true, lambda));
    assert_near(lambda[0], -0.5, 1e-14, "of the moment");
    assert_near(lambda[1], -0.25, 1e-14, "of the moment");
    assert_false(ifd__interface_react(I, false, lambda));
    memset(H, 0, sizeof H);
    assert_false(ifd__interface_react(I, true, lambda));
}

TESTS()
