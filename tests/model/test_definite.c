/* SPDX-License-Identifier: MIT */
/* Motions of negative stiffness: buckled structures have them; free parts, pendulums and supported ones have none. */
#include "method/fixtures.h"

#include "model/definite.h"

static int negative(const ifd_model *m, int springs, const ifd__row_spring *spring)
{
    int count = -1;
    assert_int_equal(ifd__model_negative(m, springs, spring, &count), IFD_OK);
    return count;
}

/* One storey of stiffness k under P/h. */
static ifd_model *storey(ifd_arena *arena, double k, double load)
{
    ifd_builder *b = oscillator_builder(arena, 2e4, 0, k, 0, 0);
    add_pair(b, "leaning-column", IFD_GROUND, 0, "load", load, "height", 3.0, NULL);
    return made(arena, b);
}

TEST_IN_ARENA(a_storey_buckles_above_its_critical_load)
{
    assert_int_equal(negative(storey(*state, 1e6, 2.9e6), 0, NULL), 0);
    assert_int_equal(negative(storey(*state, 1e6, 3e6), 0, NULL), 0); /* zero pivot */
    assert_int_equal(negative(storey(*state, 0.1, 0.3), 0, NULL), 0); /* zero up to rounding: -1e-17 */
    assert_int_equal(negative(storey(*state, 1e6, 3e6 * (1 + 1e-9)), 0, NULL), 1);
    assert_int_equal(negative(storey(*state, 1e6, 6e6), 0, NULL), 1);
}

TEST_IN_ARENA(a_specimen_may_hold_the_structure)
{
    const ifd_model *m = storey(*state, 1e6, 6e6);
    const int dof = 0;
    const double one = 1;
    assert_int_equal(negative(m, 1, &(ifd__row_spring){1, &dof, &one, 0.9e6}), 1);
    assert_int_equal(negative(m, 1, &(ifd__row_spring){1, &dof, &one, 1.1e6}), 0);
}

TEST_IN_ARENA(motions_without_stiffness_are_no_finding)
{
    /* A chain that nothing holds, with stiffnesses far apart, and a mass without any. */
    ifd_builder *b = ifd_builder_make(*state);
    char name[16];
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "x%d", i);
        ifd_builder_dof(b, name, IFD_DOF_X);
        ifd_builder_add(b, IFD_MASS, i, i, 1.0 + 0.1 * i);
        if (i > 0 && i < 59)
            ifd_builder_spring(b, IFD_STIFFNESS, i - 1, i, (i % 3 ? 1.7e9 : 0.3) / (i + 0.7));
    }
    assert_int_equal(negative(made(*state, b), 0, NULL), 0);
    b = oscillator_builder(*state, 10, 0, 30, 0, 0);
    int th = ifd_builder_dof(b, "th", IFD_DOF_ANGLE);
    add_element(b, "pendulum", 2, (int[]){0, th}, "mass", 1.0, "length", 0.8, "gravity", 9.81, NULL);
    assert_int_equal(negative(made(*state, b), 0, NULL), 0);
}

/* Springs k in series over n storeys and gravity on the lowest one only: one motion. */
TEST_IN_ARENA(each_buckled_motion_counts)
{
    ifd_builder *b = chain_builder(*state, 5, 1, 0, 100);
    add_pair(b, "spring", IFD_GROUND, 0, "stiffness", -1000.0, NULL);
    add_pair(b, "spring", IFD_GROUND, 4, "stiffness", -1000.0, NULL);
    assert_int_equal(negative(made(*state, b), 0, NULL), 2);
}

TESTS()
