/* SPDX-License-Identifier: MIT */
/* What every row of the table of methods claims, observed: its order on a linear and on a smooth nonlinear problem,
 * its spectral radius at infinite frequency, and that it keeps nothing outside its state. (That it takes no memory:
 * tests/rt.) */
#include "method/fixtures.h"

#include <interfield/analysis.h>

static ifd_model *chain(ifd_arena *arena, bool nonlinear)
{
    ifd_builder *b = chain_builder(arena, 3, 1, 0.4, 60);
    ifd_builder_force(b, 1, signal_of(arena, "cosine", "amplitude", 3.0, "frequency", 0.9, NULL));
    if (nonlinear) { /* as much of the force as the springs' */
        add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 30.0, "epsilon", 400.0, NULL);
        add_pair(b, "cubic-spring", 1, 2, "stiffness", 20.0, "epsilon", 300.0, NULL);
    }
    return made(arena, b);
}

TEST_IN_ARENA(every_method_has_the_order_of_its_row)
{
    for (int nonlinear = 0; nonlinear < 2; nonlinear++) {
        ifd_model *m = chain(*state, nonlinear);
        ifd_step_options opt = options("reference", 0.04, (pair[]){{"tolerance", 1e-13, NULL}, {0}});
        const double *exact = run_to(*state, &opt, m, 0.48);
        for (int k = 0; k < ifd_method_count; k++) {
            const ifd_method *method = ifd_methods[k];
            double h = method->order > 4    ? 0.04
                       : method->order > 2  ? 0.005
                       : method->order == 1 ? 0.0005
                                            : 0.004,
                   error[2];
            for (int fine = 0; fine < 2 && !method->offline; fine++) {
                opt = options(method->name, ldexp(h, -fine), NULL);
                error[fine] = gap_of(2 * ifd_model_dofs(m), run_to(*state, &opt, m, 0.48), exact);
            }
            if (!method->offline)
                assert_near(log2(error[0] / error[1]), method->order, 0.1, "%s, %s, error %.2g", method->name,
                            nonlinear ? "nonlinear" : "linear", error[1]);
        }
    }
}

/* An undamped mode of Omega = 1e6 represents infinity: where the limit is a double root it is approached as
 * Omega^(-1/2), which is the tolerance. */
TEST_IN_ARENA(every_method_has_the_radius_of_its_row)
{
    const double omega = 1e6;
    for (int k = 0; k < ifd_method_count; k++) {
        const ifd_method *method = ifd_methods[k];
        ifd_step_options opt = options(method->name, 1, NULL);
        ifd_spectrum_row row;
        assert_true(method->at_infinity >= 0);
        if (method->offline)
            continue;
        assert_int_equal(ifd_spectrum(&opt, 0, 1, &omega, &row, NULL), IFD_OK);
        if (method->at_infinity == HUGE_VAL) {
            assert_true(method->explicit_step && row.radius > 1e3);
            continue;
        }
        assert_false(method->explicit_step);
        assert_near(row.radius, method->at_infinity, 1 / sqrt(omega), "%s", method->name);
    }
}

/* Two runs of one stepper, taken in turns, are two runs. */
TEST_IN_ARENA(nothing_is_kept_outside_the_state)
{
    ifd_model *m = chain(*state, true);
    for (int k = 0; k < ifd_method_count; k++) {
        ifd_step_options opt = options(ifd_methods[k]->name, 0.004, NULL);
        ifd_stepper *s = stepper_of(*state, &opt, m);
        double *alone = state_of(*state, s), *a = state_of(*state, s), *b = state_of(*state, s);
        if (ifd_methods[k]->offline)
            continue;
        b[0] += 0.01;
        ifd_stepper_start(s, 0, NULL, b);
        advance_steps(s, 0, 40, alone);
        for (long i = 0; i < 40; i++) {
            advance_steps(s, i, 1, a);
            advance_steps(s, i, 1, b);
        }
        assert_memory_equal(a, alone, sizeof *a * (size_t)ifd_stepper_size(s));
    }
}

TESTS()
