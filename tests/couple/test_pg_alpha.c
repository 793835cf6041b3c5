/* SPDX-License-Identifier: MIT */
#include "couple/orders.h"

#include <interfield/analysis.h>

#include "couple/rich.h"

static const double b1s[] = {0.1, 0.5, 1.0, 10.0};
static const int sss[] = {1, 2, 10};

static ifd_step_options mg_alpha(double rho, const char *solve)
{
    return options("mg-alpha", 1.0, (pair[]){{"rho", rho, NULL}, {"solve", 0, solve}, {0}});
}

TEST_IN_ARENA(second_order_in_both_parts_and_in_the_multiplier)
{
    for (size_t i = 0; i < COUNT(b1s); i++)
        for (size_t k = 0; k < COUNT(sss); k++) {
            scheme s = {.coupling = "pg-alpha",
                        .A = mg_alpha(0.8, "one-shot"),
                        .B = mg_alpha(0.8, "one-shot"),
                        .b1 = b1s[i],
                        .h = 0.5 / 1024,
                        .ss = sss[k]};
            double order[PLACES];
            observed_orders(&linear_problem, &s, order);
            /* With b1 = 1 and equal steps the joint carries no force, exactly. */
            for (int place = 0; place < PLACES && !(place == IN_LAMBDA && b1s[i] == 1.0 && sss[k] == 1); place++)
                assert_near(order[place], 2.0, 0.05, "b1 = %g, ss = %d, place %d", b1s[i], sss[k], place);
        }
}

TEST_IN_ARENA(second_order_with_springs_hysteresis_and_pendulum)
{
    const char *solve[] = {"one-shot", "newton"};
    for (size_t n = 0; n < COUNT(solve); n++)
        for (size_t k = 0; k < COUNT(sss); k++) {
            scheme s = {.coupling = "pg-alpha",
                        .A = mg_alpha(0.8, solve[n]),
                        .B = mg_alpha(0.8, solve[n]),
                        .h = 0.5 / 256,
                        .ss = sss[k]};
            double order[PLACES];
            observed_orders(&nonlinear_problem, &s, order);
            for (int place = 0; place < PLACES; place++)
                assert_near(order[place], 2.0, 0.05, "%s, ss = %d, place %d", solve[n], sss[k], place);
        }
}

/* Puts one half of a chain of seven masses into b: masses first .. last of the chain, the shared one in the middle
 * with half its mass in each half; at[] is the index in b of a mass of the chain. */
static void half_chain(ifd_arena *arena, ifd_builder *b, int first, int last, const int *at, bool nonlinear)
{
    for (int i = first; i <= last; i++)
        ifd_builder_add(b, IFD_MASS, at[i], at[i], i == 3 ? 0.5 : 1.0 + 0.1 * i);
    for (int i = first ? first + 1 : 0; i <= last; i++) {
        ifd_builder_spring(b, IFD_STIFFNESS, i ? at[i - 1] : IFD_GROUND, at[i], 40.0 + 5.0 * i);
        ifd_builder_spring(b, IFD_DAMPING, i ? at[i - 1] : IFD_GROUND, at[i], 0.4);
        if (nonlinear && i % 2)
            add_pair(b, "bouc-wen", at[i - 1], at[i], "stiffness", 30.0, "alpha", 0.1, "beta", 20.0, "gamma", 10.0,
                     NULL);
        if (nonlinear && i == 2)
            add_sliders(b, at[1], at[2], 2, (double[]){40, 0.02, 25, 0.05}, 3);
    }
    ifd_builder_force(b, at[first ? 6 : 1],
                      signal_of(arena, "sine", "amplitude", 4.0, "frequency", first ? 0.7 : 1.9, NULL));
}

static const int whole_at[7] = {0, 1, 2, 3, 4, 5, 6}, lower_at[7] = {0, 1, 2, 3, -9, -9, -9},
                 upper_at[7] = {-9, -9, -9, 0, 1, 2, 3};

static ifd_builder *chain_dofs(ifd_arena *arena, int first, int last)
{
    ifd_builder *b = ifd_builder_make(arena);
    for (int i = first; i <= last; i++) {
        ifd_builder_dof(b, ifd_arena_print(arena, "x%d", i), IFD_DOF_X);
        ifd_builder_initial(b, i - first, 0.05 * sin(1.0 + i), 0.2 * cos(0.7 * i));
    }
    return b;
}

static double distance_to_monolithic(ifd_arena *arena, double rho, bool nonlinear)
{
    double h = 0.01, worst = 0.0;
    ifd_step_options step = mg_alpha(rho, "one-shot");
    step.h = h;
    ifd_builder *whole = chain_dofs(arena, 0, 6), *lower = chain_dofs(arena, 0, 3), *upper = chain_dofs(arena, 3, 6);
    half_chain(arena, whole, 0, 3, whole_at, nonlinear);
    half_chain(arena, whole, 3, 6, whole_at, nonlinear);
    half_chain(arena, lower, 0, 3, lower_at, nonlinear);
    half_chain(arena, upper, 3, 6, upper_at, nonlinear);
    cut *c = cut_make(arena, "pg-alpha", h);
    cut_part(c, "lower", made(arena, lower), step, 1);
    cut_part(c, "upper", made(arena, upper), step, 1);
    cut_joint(c, "middle", 0, 3, 1, 0);
    ifd_stepper *s = stepper_of(arena, &step, made(arena, whole));
    double *x = state_of(arena, s);
    running r = cut_start(c);
    for (int k = 0; k < 300; k++) {
        advance_steps(s, k, 1, x);
        cut_cycles(&r, 1);
        for (int i = 0; i < 7; i++) {
            const double *y = cut_state(&r, i > 3) + (i > 3 ? i - 3 : i);
            worst = fmax(worst, fmax(fabs(y[0] - x[i]), fabs(y[4] - x[7 + i])));
        }
    }
    return worst;
}

TEST_IN_ARENA(equal_steps_are_mg_alpha_on_the_whole)
{
    const double rho[] = {0.0, 0.5, 0.8, 1.0};
    for (size_t i = 0; i < COUNT(rho); i++) {
        assert_near(distance_to_monolithic(*state, rho[i], false), 0.0, 1e-13, "linear, rho = %g, 300 steps", rho[i]);
        assert_near(distance_to_monolithic(*state, rho[i], true), 0.0, 1e-13, "hysteretic, rho = %g, 300 steps",
                    rho[i]);
    }
}

/* Largest gaps of displacement, velocity over 1 s of the nonlinear problem. */
static void gaps_of(double h, double out[4])
{
    ifd_arena *arena = ifd_arena_open();
    scheme s = {.coupling = "pg-alpha", .A = mg_alpha(0.8, "one-shot"), .B = mg_alpha(0.8, "one-shot"), .ss = 4};
    running r = cut_start(nonlinear_make(arena, &s, h));
    double gap[4];
    out[0] = out[1] = 0.0;
    for (long k = 0; k < lround(1.0 / h); k++) {
        cut_cycles(&r, 1);
        ifd__coupled_gap(r.c, h * (double)r.cycle, r.x, gap);
        for (int d = 0; d < 2; d++)
            out[d] = fmax(out[d], gap[d]);
    }
    ifd_arena_close(arena);
}

TEST_IN_ARENA(velocities_meet_to_round_off_and_displacements_to_second_order)
{
    double coarse[4], fine[4];
    gaps_of(1.0 / 128, coarse);
    gaps_of(1.0 / 256, fine);
    assert_near(coarse[1], 0.0, 1e-14, "gap of velocities");
    assert_near(fine[1], 0.0, 1e-14, "gap of velocities");
    assert_near(log2(coarse[0] / fine[0]), 2.0, 0.05, "gaps of displacement %g, %g", coarse[0], fine[0]);
}

static void spectrum(ifd_arena *arena, double rho, double b1, int ss, double omega, double *largest,
                     double *at_minus_one)
{
    int n;
    ifd_step_options step = mg_alpha(rho, "one-shot");
    double *A = cut_probe(split_mass(arena, "pg-alpha", b1, 1.0, omega, ss, &step), &n), re[32], im[32];
    assert_true(n <= 32);
    assert_int_equal(ifd_roots(n, A, re, im, NULL), IFD_OK);
    *largest = hypot(re[0], im[0]);
    *at_minus_one = HUGE_VAL;
    for (int i = 0; i < n; i++)
        *at_minus_one = fmin(*at_minus_one, hypot(re[i] + 1.0, im[i]));
}

TEST_IN_ARENA(stable_everywhere_with_a_root_at_minus_one_when_nothing_is_damped)
{
    double largest, distance;
    for (size_t i = 0; i < COUNT(b1s); i++)
        for (size_t k = 0; k < COUNT(sss); k++)
            for (double w = -2.0; w <= 3.0; w += 0.25) {
                spectrum(*state, 0.8, b1s[i], sss[k], pow(10.0, w), &largest, &distance);
                assert_near(largest, 1.0, 1e-6, "rho = 0.8, b1 = %g, ss = %d, Omega = 1e%g", b1s[i], sss[k], w);
            }
    spectrum(*state, 1.0, 0.5, 10, 0.3, &largest, &distance);
    assert_near(distance, 0.0, 1e-7, "rho = 1, ss = 10: distance of a root to -1");
    spectrum(*state, 0.8, 0.5, 10, 0.3, &largest, &distance);
    assert_true(distance > 0.01);
}

TEST_IN_ARENA(a_saved_state_continues_to_the_same_bits)
{
    running r = cut_start(rich_cut(*state, "pg-alpha", "mg-alpha", 1));
    size_t bytes = sizeof(double) * (size_t)r.c->size;
    double *copy = ifd_arena_take(*state, bytes), *end = ifd_arena_take(*state, bytes);
    cut_cycles(&r, 7);
    memcpy(copy, r.x, bytes);
    cut_cycles(&r, 20);
    memcpy(end, r.x, bytes);
    memcpy(r.x, copy, bytes);
    r.cycle = 7;
    cut_cycles(&r, 20);
    assert_memory_equal(end, r.x, bytes);
}

TESTS()
