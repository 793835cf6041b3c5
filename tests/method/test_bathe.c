/* SPDX-License-Identifier: MIT */
/* The composite method of Bathe against values of an independent computation, and its coupling with loads and
 * elements. */
#include "method/fixtures.h"

#include <interfield/analysis.h>

static ifd_step_options with_split(double split, double h)
{
    return options("bathe", h, (pair[]){{"split", split, NULL}, {0}});
}

TEST_IN_ARENA(the_spectral_radius_is_that_of_the_catalogue)
{
    const double omega[] = {0.1, 1, 10, 1000}, radius[] = {0.999999633, 0.996873937, 0.44485806, 0.00482838491};
    ifd_step_options opt = with_split(2 - sqrt(2), 1);
    ifd_spectrum_row found[4];
    assert_int_equal(ifd_spectrum(&opt, 0, 4, omega, found, NULL), IFD_OK);
    for (int i = 0; i < 4; i++)
        assert_near_rel(found[i].radius, radius[i], 1e-8, "at %g", omega[i]);
}

/* u'' + 0.1 u' + u = sin 2t from u = v = 1; the force as a signal, or as a load from outside, known at the ends of
 * the steps. */
static const double *driven(ifd_arena *arena, double h, bool outside)
{
    ifd_builder *b = oscillator_builder(arena, 1, 0.1, 1, 1, 1);
    if (!outside)
        ifd_builder_force(b, 0, signal_of(arena, "sine", "amplitude", 1.0, "frequency", 1 / acos(-1), NULL));
    ifd_step_options opt = with_split(2 - sqrt(2), h);
    ifd_stepper *s = stepper_of(arena, &opt, made(arena, b));
    double *x = state_of(arena, s), load[1] = {0};
    for (int k = 0; k < lround(10 / h); k++) {
        load[0] = sin(2 * h * (k + 1));
        ifd_stepper_stage(s, 0, h * k, outside ? load : NULL, x);
    }
    return x;
}

TEST_IN_ARENA(a_driven_oscillator_moves_as_in_the_catalogue)
{
    const double exact[2] = {-1.39192413, -0.72586046}, *x = driven(*state, 0.1, false);
    assert_near(x[0], -1.38832798, 5e-9, "u");
    assert_near(x[1], -0.729200545, 5e-10, "v");
    for (int outside = 0; outside < 2; outside++) {
        const double *a = driven(*state, 0.02, outside), *b = driven(*state, 0.01, outside);
        for (int i = 0; i < 2; i++)
            assert_near(log2((a[i] - exact[i]) / (b[i] - exact[i])), 2, 0.0055, "component %d, outside %d", i,
                        outside);
    }
}

/* From u = 1, v = 0 at Omega = 20 pi. */
TEST_IN_ARENA(it_does_not_overshoot)
{
    const double omega = 20 * acos(-1);
    ifd_step_options opt = with_split(2 - sqrt(2), 1);
    ifd_stepper *s = stepper_of(*state, &opt, oscillator(*state, 1, 0, omega * omega, 1, 0));
    double *x = state_of(*state, s), u = 0, v = 0;
    for (int i = 0; i < 20; i++) {
        advance_steps(s, i, 1, x);
        u = fmax(u, fabs(x[0]));
        v = fmax(v, fabs(x[1]) / omega);
    }
    assert_near_rel(u, 0.0112291275, 1e-8, "u");
    assert_near_rel(v, 0.0758504123, 1e-8, "v");
}

TEST_IN_ARENA(a_softening_frame_moves_as_in_the_catalogue)
{
    const double u[3][2] = {
        {-0.0141020988, -0.0234293567}, {-0.00709154137, -0.0115917382}, {0.0150030566, 0.0252692523}};
    const long at[] = {0, 100, 200, 400};
    ifd_step_options opt = with_split(0.5, 0.01);
    ifd_stepper *s = stepper_of(*state, &opt, softening_storeys(*state));
    double *x = state_of(*state, s);
    for (int i = 0; i < 3; i++) {
        advance_steps(s, at[i], at[i + 1] - at[i], x);
        for (int j = 0; j < 2; j++)
            assert_near_rel(x[j], u[i][j], 1e-8, "u%d at step %ld", j + 1, at[i + 1]);
    }
    assert_near_rel(x[3], -0.0207339643, 1e-8, "v2");
}

/* An elastic-plastic element that never slips is a spring, and one that remembers reversals keeps whole numbers. */
TEST_IN_ARENA(elements_advance_through_both_parts)
{
    const struct {
        const char *law;
        const char *yields;
    } rows[] = {{"bilinear", "yield"}, {"hinge", "yield-force"}};
    ifd_step_options opt = with_split(0.5, 0.05);
    const double *linear = run_to(*state, &opt, oscillator(*state, 1, 0.1, 9, 0, 0.5), 10);
    for (size_t k = 0; k < COUNT(rows); k++) {
        ifd_builder *b = oscillator_builder(*state, 1, 0.1, 1, 0, 0.5);
        add_pair(b, rows[k].law, IFD_GROUND, 0, "stiffness", 8.0, rows[k].yields, 1e3, NULL);
        const double *x = run_to(*state, &opt, made(*state, b), 10);
        for (int i = 0; i < 2; i++)
            assert_near(x[i], linear[i], 1e-12, "%s, component %d", rows[k].law, i);
    }
}

TESTS()
