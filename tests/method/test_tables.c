/* SPDX-License-Identifier: MIT */
/* The one list of methods, its constants, and what every row promises. */
#include "method/fixtures.h"

#include "method/stepper.h"

TEST(the_list_holds_the_methods_by_name)
{
    const char *name[] = {"lsrt1",
                          "lsrt2",
                          "mg-alpha",
                          "newmark",
                          "hht",
                          "generalized-alpha",
                          "central-difference",
                          "chang",
                          "kr-alpha",
                          "mkr-alpha",
                          "cr",
                          "alpha-os",
                          "exponential",
                          "taylor",
                          "exponential-alpha",
                          "mtl",
                          "reference",
                          "bathe"};
    assert_int_equal(ifd_method_count, (int)COUNT(name));
    for (size_t i = 0; i < COUNT(name); i++) {
        const ifd_method *m = ifd_method_find(name[i]);
        assert_non_null(m);
        assert_string_equal(m->name, name[i]);
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(m, ifd_method_find(name[j]));
    }
    assert_null(ifd_method_find("lsrt3"));
}

TEST(every_row_is_complete)
{
    for (int k = 0; k < ifd_method_count; k++) {
        const ifd_method *m = ifd_methods[k];
        assert_true(m->title && m->citation && m->summary && m->make && m->start && m->stage && m->aim);
        assert_in_range(m->stages, 1, IFD_METHOD_STAGES);
        assert_true(ifd_param_count(m->params) <= IFD_METHOD_PARAMS);
        assert_true(m->measures < 1U << m->stages);
        assert_true(m->offline || m->order >= 1);
        for (const ifd_param *p = m->params; p->name; p++)
            assert_non_null(p->doc);
        for (int i = 0; i < m->stages; i++)
            assert_true(m->at[i] >= 0 && m->at[i] <= 1);
    }
}

TEST(gamma_has_its_closed_forms)
{
    assert_near(IFD__GAMMA_MINUS, 1 - sqrt(2) / 2, 2e-16, "minus");
    assert_near(IFD__GAMMA_PLUS, 1 + sqrt(2) / 2, 4e-16, "plus");
    /* R(inf) = 0 where g^2 - 2 g + 1/2 = 0. */
    const double gamma[] = {IFD__GAMMA_MINUS, IFD__GAMMA_PLUS};
    for (int i = 0; i < 2; i++)
        assert_near(gamma[i] * gamma[i] - 2 * gamma[i] + 0.5, 0, 1e-15, "gamma %g", gamma[i]);
}

/* Conditions of order 2 with the exact J, and with any J, on the coefficients that the method steps with. */
TEST(lsrt2_meets_its_order_conditions)
{
    const double gamma[] = {IFD__GAMMA_MINUS, IFD__GAMMA_PLUS, 0.5};
    const ifd__rosenbrock_table *T = &ifd__lsrt2_table;
    assert_near(T->b1, 0, 0, "k1 is not added");
    assert_near(T->alpha21, ifd_method_find("lsrt2")->at[1], 0, "the force of stage 2 is measured there");
    for (size_t i = 0; i < COUNT(gamma); i++) {
        double gamma21 = T->gamma21 * gamma[i];
        assert_near(T->b1 + T->b2, 1, 0, "order 1");
        assert_near(T->b2 * (T->alpha21 + gamma21), 0.5 - gamma[i] * (T->b1 + T->b2), 1e-16, "order 2, exact J");
        assert_near(T->b2 * T->alpha21, 0.5, 0, "order 2, any J: explicit part");
        assert_near(T->b2 * (gamma21 + gamma[i]) + T->b1 * gamma[i], 0, 0, "order 2, any J: the rest");
    }
}

/* The stability function met by one step of the scalar-like oscillator in the complex plane: u'' + 2 a u' + (a^2 +
 * b^2) u. */
TEST_IN_ARENA(one_step_of_lsrt2_is_its_stability_function)
{
    const double a = 0.3, b = 1.1, h = 0.7;
    const double gamma[] = {IFD__GAMMA_MINUS, IFD__GAMMA_PLUS, 0.5};
    for (size_t k = 0; k < COUNT(gamma); k++) {
        /* y = e^{z} mode: u = 1, v = Re(lambda), lambda = -a + i b, and R(lambda h) from its formula. */
        double zr = -a * h, zi = b * h, g = gamma[k], c2 = g * g - 2 * g + 0.5;
        double nr = 1 + (1 - 2 * g) * zr + c2 * (zr * zr - zi * zi), ni = (1 - 2 * g) * zi + 2 * c2 * zr * zi;
        double dr = (1 - g * zr) * (1 - g * zr) - g * g * zi * zi, di = -2 * g * zi * (1 - g * zr);
        double R = (nr * dr + ni * di) / (dr * dr + di * di);
        ifd_model *m = oscillator(*state, 1, 2 * a, a * a + b * b, 1, -a);
        ifd_step_options opt = options("lsrt2", h, (pair[]){{"gamma", g, NULL}, {0}});
        double *x = run_to(*state, &opt, m, h);
        assert_near(x[0], R, 1e-15, "gamma %g", g);
    }
}

TEST_IN_ARENA(parameters_are_found_set_and_checked)
{
    ifd_model *m = oscillator(*state, 1, 0, 1, 1, 0);
    ifd_step_options opt = options("mg-alpha", 0.1, NULL);
    assert_false(ifd_step_options_set(&opt, "gamma", ifd_number(1)));
    assert_true(ifd_step_options_set(&opt, "rho", ifd_number(1.5)));
    ifd_stepper *s;
    assert_int_equal(ifd_stepper_make(*state, &opt, m, &s, NULL), IFD_RANGE);
    opt = options("lsrt2", -0.1, NULL);
    assert_int_equal(ifd_stepper_make(*state, &opt, m, &s, NULL), IFD_RANGE);
    opt = options("lsrt2", 0.1, (pair[]){{"jacobian", 0, "thawed"}, {0}});
    assert_int_equal(ifd_stepper_make(*state, &opt, m, &s, NULL), IFD_UNKNOWN_CHOICE);
    opt = options("lsrt2", 0.1, NULL);
    opt.estimates = 1;
    opt.estimate = &(ifd_estimate){.from = IFD_GROUND, .to = 7, .stiffness = 1};
    assert_int_equal(ifd_stepper_make(*state, &opt, m, &s, NULL), IFD_UNKNOWN_NAME);
}

/* Every take that fails while a stepper is made comes back as a status. */
TEST_IN_ARENA(a_stepper_survives_memory_running_out)
{
    ifd_model *m = made(*state, everything_builder(*state, 5));
    for (int k = 0; k < ifd_method_count; k++) {
        ifd_status status = IFD_NO_MEMORY;
        for (long n = 1; status != IFD_OK; n++) {
            ifd_arena *arena = ifd_arena_open();
            ifd_arena_fail_at(arena, n);
            ifd_step_options opt = options(ifd_methods[k]->name, 0.01, NULL);
            ifd_stepper *s;
            status = ifd_stepper_make(arena, &opt, m, &s, NULL);
            ifd_arena_close(arena);
            if (status != IFD_OK)
                assert_int_equal(status, IFD_NO_MEMORY);
            assert_true(n < 5000);
        }
    }
}

TEST_IN_ARENA(the_layout_of_a_state_has_no_holes)
{
    ifd_model *m = made(*state, everything_builder(*state, 5));
    for (int k = 0; k < ifd_method_count; k++) {
        ifd_step_options opt = options(ifd_methods[k]->name, 0.01, NULL);
        ifd_stepper *s = stepper_of(*state, &opt, m);
        int rows, next = 0;
        const ifd_state_row *row = ifd_stepper_states(s, &rows);
        for (int i = 0; i < rows; i++) {
            assert_int_equal(row[i].offset, next);
            next += row[i].count;
        }
        assert_int_equal(next, ifd_stepper_size(s));
        assert_string_equal(row[0].name, "u");
        assert_string_equal(row[1].name, "v");
        assert_string_equal(row[2].name, "s");
    }
}

TESTS()
