/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "algebra/discretisation.h"

TEST(exponential_of_a_rotation_is_a_rotation)
{
    const double angle[] = {1e-9, 0.3, 2.0, 40.0};
    for (size_t i = 0; i < COUNT(angle); i++) {
        const double A[4] = {0, 1, -1, 0};
        double E[4];
        ifd__expm(2, A, angle[i], E);
        double tol = 4e-16 * (1 + 4 * angle[i]);
        assert_near(E[0], cos(angle[i]), tol, "cosine of %g", angle[i]);
        assert_near(E[1], sin(angle[i]), tol, "sine of %g", angle[i]);
        assert_near(E[2], -sin(angle[i]), tol, "sine of %g", angle[i]);
    }
}

/* A Jordan block: exp = e^{l t} (I + t N + t^2/2 N^2). */
TEST(exponential_of_a_defective_matrix)
{
    const double l = -3, t = 0.7, A[9] = {l, 0, 0, 1, l, 0, 0, 1, l};
    double E[9];
    ifd__expm(3, A, t, E);
    assert_near_rel(E[0], exp(l * t), 1e-14, "diagonal");
    assert_near_rel(E[3], t * exp(l * t), 1e-14, "first");
    assert_near_rel(E[6], t * t / 2 * exp(l * t), 1e-14, "second");
    assert_near(E[1], 0, 0, "below");
}

/* The oscillator x'' + w^2 x = b with its states in units that differ by 1e12. */
TEST(bad_scaling_costs_no_accuracy)
{
    const double unit = 1e12, w = 30, t = 0.21, A[4] = {0, -w * w * unit, 1 / unit, 0};
    double E[4];
    ifd__expm(2, A, t, E);
    assert_near(E[0], cos(w * t), 1e-14, "cosine");
    assert_near(E[1] / unit, -w * sin(w * t), 1e-14 * w, "sine");
    assert_near(E[2] * unit, sin(w * t) / w, 1e-14 / w, "sine over w");
}

/* x' = -r x + w: closed forms for a held and for a linear input. */
TEST(held_and_linear_inputs_are_exact)
{
    ifd_arena *arena = ifd_arena_open();
    const double r = 12, h = 0.13, A[1] = {-r}, B[1] = {1}, w0 = 2, w1 = 5;
    ifd__discretisation hold;
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){1, 1, A, B}, h, &hold), IFD_OK);
    double e = exp(-r * h), x = 0.7;
    ifd__discretisation_step(&hold, &w0, &w0, &x);
    assert_near_rel(x, e * 0.7 + w0 * (1 - e) / r, 1e-14, "held");
    x = 0.7;
    ifd__discretisation_step(&hold, &w0, &w1, &x);
    double slope = (w1 - w0) / h;
    assert_near_rel(x, e * 0.7 + w0 * (1 - e) / r + slope * (h / r - (1 - e) / (r * r)), 1e-14, "linear");
    ifd_arena_close(arena);
}

TEST(two_half_steps_make_one)
{
    ifd_arena *arena = ifd_arena_open();
    const double A[9] = {-1, 2, 0.5, -30, -4, 1, 0, 7, -2}, B[6] = {1, 0, 3, -2, 5, 0.1};
    const double w0[2] = {1, -2}, w1[2] = {4, 0.5}, wm[2] = {2.5, -0.75};
    ifd__discretisation whole, half;
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){3, 2, A, B}, 0.4, &whole), IFD_OK);
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){3, 2, A, B}, 0.2, &half), IFD_OK);
    double x[3] = {1, 2, 3}, y[3] = {1, 2, 3};
    ifd__discretisation_step(&whole, w0, w1, x);
    ifd__discretisation_step(&half, w0, wm, y);
    ifd__discretisation_step(&half, wm, w1, y);
    for (int i = 0; i < 3; i++)
        assert_near(y[i], x[i], 2e-14, "state %d", i);
    ifd_arena_close(arena);
}

TEST(an_exponential_that_overflows_is_refused)
{
    ifd_arena *arena = ifd_arena_open();
    const double A[1] = {1000}, B[1] = {1};
    ifd__discretisation hold;
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){1, 1, A, B}, 1.0, &hold), IFD_NOT_FINITE);
    ifd_arena_fail_at(arena, 1);
    assert_int_equal(ifd__discretisation_make(arena, &(ifd__continuous){1, 1, A, B}, 0.1, &hold), IFD_NO_MEMORY);
    ifd_arena_close(arena);
}

TESTS()
