/* SPDX-License-Identifier: MIT */
/* The couplings for comparison: the claims of their authors as numbers. */
#include "couple/orders.h"
#include "couple/random_parts.h"

static const int sss[] = {1, 2, 10};

static ifd_step_options newmark(void)
{
    return options("newmark", 1.0, NULL);
}

static void check_orders(const char *coupling, double b1, int ss, double expected, int places)
{
    scheme s = {.coupling = coupling, .A = newmark(), .B = newmark(), .b1 = b1, .h = 0.5 / 512, .ss = ss};
    double order[PLACES];
    observed_orders(&linear_problem, &s, order);
    for (int place = 0; place < places; place++)
        assert_near(order[place], expected, 0.05, "%s, b1 = %g, ss = %d, place %d", coupling, b1, ss, place);
}

/* Bursi, Jia, Wang (2009), figure 7(b): b1 = 0.5, ss = 10. With b1 = 1 the joint carries no force and nothing is
 * seen. */
TEST_IN_ARENA(midpoint_is_of_first_order)
{
    for (size_t k = 0; k < COUNT(sss); k++) {
        check_orders("midpoint", 0.5, sss[k], 1.0, PLACES);
        check_orders("midpoint", 10.0, sss[k], 1.0, PLACES);
    }
}

TEST_IN_ARENA(gc_loses_an_order_with_subcycles)
{
    const double b1s[] = {0.5, 1.0, 10.0};
    for (size_t i = 0; i < COUNT(b1s); i++) {
        check_orders("gc", b1s[i], 1, 2.0, IN_B + 1);
        check_orders("gc", b1s[i], 2, 1.0, IN_B + 1);
        check_orders("gc", b1s[i], 10, 1.0, IN_B + 1);
    }
}

TEST_IN_ARENA(ph_keeps_second_order_with_subcycles)
{
    const double b1s[] = {0.1, 0.5, 10.0};
    for (size_t i = 0; i < COUNT(b1s); i++)
        for (size_t k = 0; k < COUNT(sss); k++)
            check_orders("ph", b1s[i], sss[k], 2.0, PLACES);
}

TEST_IN_ARENA(explicit_and_implicit_parts_go_together)
{
    for (int side = 0; side < 2; side++) {
        scheme s = {.coupling = "ph", .A = newmark(), .B = newmark(), .b1 = 0.5, .h = 0.5 / 256, .ss = 4};
        *(side ? &s.A : &s.B) = options("central-difference", 1.0, NULL);
        double order[PLACES];
        observed_orders(&linear_problem, &s, order);
        for (int place = 0; place < PLACES; place++)
            assert_near(order[place], 2.0, 0.05, "explicit %c, place %d", side ? 'A' : 'B', place);
    }
}

/* Newmark's energy norm, a^T (M + (beta - gamma/2) h^2 K) a / 2 + v^T K v / 2, summed over parts; average
 * acceleration. */
static double energy_norm(const plain_part *p, const double *y)
{
    const double *v = y + p->n, *a = v + p->n;
    double sum = 0.0;
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            sum += 0.5 * a[i] * p->M[i][j] * a[j] + 0.5 * v[i] * p->K[i][j] * v[j];
    return sum;
}

/* Random undamped parts, 2000 coarse steps; the largest rise and the final loss of the norm, relative. */
static void energy_over_time(ifd_arena *arena, const char *coupling, int ss, double *rise, double *loss)
{
    unsigned seed = 77;
    plain_pair s = {.rows = 2};
    double y[PLAIN_Y];
    wild_part(&seed, 3, 2.0, 50.0, 0.0, &s.A);
    wild_part(&seed, 4, 0.7, 90.0, 0.0, &s.B);
    memset(s.A.C, 0, sizeof s.A.C);
    memset(s.B.C, 0, sizeof s.B.C);
    memset(s.A.force, 0, sizeof s.A.force);
    memset(s.B.force, 0, sizeof s.B.force);
    wild_joints(&seed, &s);
    cut *c = cut_make(arena, coupling, 0.05);
    ifd_joint_term term[PLAIN_R * PLAIN_Y];
    wild_state(&seed, 3, y);
    cut_part(c, "A", model_of(arena, &s.A, y), newmark(), 1);
    wild_state(&seed, 4, y);
    cut_part(c, "B", model_of(arena, &s.B, y), newmark(), ss);
    joints_of(&s, c, term);
    c->opt.project_start = true;
    running r = cut_start(c);
    double last = energy_norm(&s.A, cut_state(&r, 0)) + energy_norm(&s.B, cut_state(&r, 1)), start = last;
    *rise = 0.0;
    for (int k = 0; k < 2000; k++) {
        cut_cycles(&r, 1);
        double now = energy_norm(&s.A, cut_state(&r, 0)) + energy_norm(&s.B, cut_state(&r, 1));
        *rise = fmax(*rise, (now - last) / start);
        last = now;
    }
    *loss = (start - last) / start;
}

TEST_IN_ARENA(ph_keeps_energy_and_gc_loses_it)
{
    double rise, loss;
    for (size_t k = 0; k < COUNT(sss); k++) {
        energy_over_time(*state, "ph", sss[k], &rise, &loss);
        assert_near(loss, 0.0, 1e-11, "ph, ss = %d: energy lost in 2000 steps", sss[k]);
        energy_over_time(*state, "gc", sss[k], &rise, &loss);
        assert_near(rise, 0.0, 1e-12, "gc, ss = %d: energy never rises", sss[k]);
        if (sss[k] == 1)
            assert_near(loss, 0.0, 1e-11, "gc, ss = 1: energy lost in 2000 steps");
        else
            assert_true(loss > 0.01);
    }
}

TEST_IN_ARENA(velocities_meet_to_round_off)
{
    const char *coupling[] = {"gc", "ph"};
    for (size_t i = 0; i < COUNT(coupling); i++) {
        ifd_step_options step = newmark();
        running r = cut_start(split_mass(*state, coupling[i], 0.5, 1.0, 0.1, 10, &step));
        for (int k = 0; k < 200; k++) {
            double gap[4];
            cut_cycles(&r, 1);
            ifd__coupled_gap(r.c, r.c->h * (double)r.cycle, r.x, gap);
            assert_near(gap[1], 0.0, 1e-14, "%s, step %d", coupling[i], k);
        }
    }
}

TEST_IN_ARENA(with_equal_steps_gc_and_ph_are_newmark_on_the_whole)
{
    const char *coupling[] = {"gc", "ph"};
    ifd_step_options step = newmark();
    step.h = 0.1;
    double *x = run_to(*state, &step, oscillator(*state, 1.0, 0.0, 1.0, 1.0, 1.0), 10.0);
    for (size_t i = 0; i < COUNT(coupling); i++) {
        running r = cut_run(split_mass(*state, coupling[i], 0.3, 1.0, 0.1, 1, &step), 10.0);
        for (int p = 0; p < 2; p++)
            assert_near(gap_of(2, cut_state(&r, p), x), 0.0, 1e-13, "%s, part %d", coupling[i], p);
    }
}

TEST_IN_ARENA(elements_are_refused_by_name)
{
    const char *coupling[] = {"midpoint", "gc", "ph"}, *text;
    for (size_t i = 0; i < COUNT(coupling); i++) {
        scheme s = {.coupling = coupling[i], .A = newmark(), .B = newmark(), .ss = 1};
        assert_int_equal(cut_refusal(nonlinear_make(*state, &s, 0.01), &text), IFD_UNSUPPORTED);
        assert_non_null(strstr(text, "cubic-spring"));
        assert_true(ifd_coupling_find(coupling[i])->comparison);
    }
    ifd_step_options step = options("newmark", 1.0, (pair[]){{"beta", 0.3, NULL}, {0}});
    assert_int_equal(cut_refusal(split_mass(*state, "midpoint", 1.0, 1.0, 0.1, 1, &step), &text), IFD_UNSUPPORTED);
    assert_non_null(strstr(text, "midpoint"));
}

TESTS()
