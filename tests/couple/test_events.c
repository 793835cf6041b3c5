/* SPDX-License-Identifier: MIT */
/* Masses that are joined rigidly, without springs: a measured force divides itself in proportion to them. */
#include "couple/fixtures.h"

#include <string.h>

static ifd_step_options lsrt2(void)
{
    return options("lsrt2", 0.01, NULL);
}

static cut *masses(ifd_arena *arena, const char *coupling, int subcycles)
{
    cut *c = cut_make(arena, coupling, 0.01);
    cut_part(c, "A", oscillator(arena, 3.0, 0.0, 0.0, 0.0, 0.0), lsrt2(), 1);
    cut_part(c, "B", oscillator(arena, 1.0, 0.0, 0.0, 0.0, 0.0), lsrt2(), subcycles);
    c->part[0].coarse = true;
    c->part[1].measured = true;
    cut_joint(c, "middle", 0, 0, 1, 0);
    return c;
}

/* The multiplier of a cycle is that of its beginning, when the measured force belongs to the state. */
TEST_IN_ARENA(the_force_of_a_joint_is_that_of_the_first_measurement_of_a_cycle)
{
    static const char *const couplings[] = {"staggered", "parallel"};
    for (size_t i = 0; i < COUNT(couplings); i++) {
        running r = cut_start(masses(*state, couplings[i], 2));
        assert_int_equal(r.c->ticks, 4);
        for (int cycle = 0; cycle < 6; cycle++)
            for (int k = 0; k < r.c->ticks; k++) {
                double f = 100.0 * (cycle + 1) + 7.0 * k;
                ifd__coupled_measured(r.c, 1, &f);
                ifd__coupled_tick(r.c, k, 0.01 * cycle, r.x);
                assert_near(r.x[r.c->lambda], 0.75 * 100.0 * (cycle + 1), 1e-9, "%s, cycle %d, tick %d", couplings[i],
                            cycle, k);
            }
    }
}

/* Instants are counted in parts of the common multiple of all fine substructures; a million is the most. */
TEST_IN_ARENA(the_common_multiple_of_fine_subcycles_is_at_most_a_million)
{
    static const struct {
        int subcycles[3], coarse;
        ifd_status status;
    } row[] = {
        {{64, 15625, 0}, 1, IFD_OK},         {{64, 15625, 3}, 1, IFD_TOO_LARGE},
        {{1001, 1000, 0}, 1, IFD_TOO_LARGE}, {{500, 1001, 0}, 1, IFD_OK},
        {{999, 1001, 0}, 1, IFD_OK},         {{2, 3, 0}, 999983, IFD_OK}}; /* those of a coarse one do not count */
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *text;
        cut *c = cut_make(*state, "parallel", 0.01);
        for (int k = 0; k < 3 && row[i].subcycles[k]; k++)
            cut_part(c, "fine", oscillator(*state, 1.0, 0.0, 0.0, 0.0, 0.0), lsrt2(), row[i].subcycles[k]);
        int coarse = cut_part(c, "coarse", oscillator(*state, 1.0, 0.0, 0.0, 0.0, 0.0), lsrt2(), row[i].coarse);
        c->part[coarse].coarse = true;
        for (int k = 0; k < coarse; k++)
            cut_joint(c, "joint", k, 0, coarse, 0);
        assert_int_equal(cut_refusal(c, &text), row[i].status);
    }
}

TEST_IN_ARENA(a_specimen_needs_the_most_stages)
{
    const char *text;
    cut *c = masses(*state, "staggered", 2);
    c->part[0].measured = true;
    assert_int_equal(cut_refusal(c, &text), IFD_CONFLICT);
    assert_string_equal(text, "substructure 'A' has a specimen: its force is measured 2 times per step, but the "
                              "coupling needs it at 4 instants; give this substructure the most subcycles");
}

/* Free masses of one velocity: where a force is needed follows from the time. */
TEST_IN_ARENA(a_force_is_needed_where_the_motion_is_at_that_instant)
{
    const double h = 0.01, v0 = 2.0;
    for (int ss = 1; ss <= 2; ss++) {
        cut *c = cut_make(*state, "staggered", h);
        for (int p = 0; p < 3; p++) {
            cut_part(c, "part", oscillator(*state, 1.0 + p, 0.0, 0.0, 1.0, v0), lsrt2(), p < 2 ? ss : 1);
            c->part[p].measured = p < 2 || ss == 1;
        }
        cut_joint(c, "first", 0, 0, 1, 0);
        cut_joint(c, "second", 1, 0, 2, 0);
        running r = cut_start(c);
        assert_int_equal(r.c->ticks, 2 * ss);
        for (int cycle = 0; cycle < 3; cycle++)
            for (int k = 0; k < r.c->ticks; k++) {
                double t = h * (cycle + (double)k / (2 * ss)), u = 0.0, v = 0.0, none = 0.0;
                for (int p = 0; p < 3; p++)
                    if (c->part[p].measured) {
                        ifd__coupled_aim(r.c, k, r.x, p, &u, &v);
                        assert_near(u, 1.0 + v0 * t, 1e-12, "part %d, tick %d", p, k);
                        assert_near(v, v0, 1e-12, "part %d, tick %d", p, k);
                        ifd__coupled_measured(r.c, p, &none);
                    }
                ifd__coupled_tick(r.c, k, h * cycle, r.x);
            }
    }
}

static running pair_in_order(ifd_arena *arena, int large, int free)
{
    cut *c = cut_make(arena, "staggered", 0.01);
    for (int p = 0; p < 2; p++)
        if (p == large) {
            ifd_builder *b = everything_builder(arena, 6);
            for (int i = 0; i < free; i++) {
                int dof = ifd_builder_dof(b, ifd_arena_print(arena, "free %d", i), IFD_DOF_X);
                ifd_builder_add(b, IFD_MASS, dof, dof, 1.0);
            }
            cut_part(c, "large", made(arena, b), lsrt2(), 1);
        } else {
            cut_part(c, "small", oscillator(arena, 2.0, 0.0, 300.0, 0.0, 0.0), lsrt2(), 2);
        }
    cut_joint(c, "joint", large, 5, !large, 0);
    c->opt.project_start = true;
    return cut_run(c, 0.3);
}

/* Of a large substructure with many states and a small one, whichever is first. */
TEST_IN_ARENA(the_order_of_substructures_does_not_matter)
{
    for (int free = 0; free < 80; free += 79) {
        running a = pair_in_order(*state, 0, free), b = pair_in_order(*state, 1, free);
        double force = a.x[a.c->lambda], other = b.x[b.c->lambda];
        assert_true(fabs(force) > 0.01);
        assert_near(other, force, 1e-9 * fabs(force), "%d free masses", free);
        for (int i = 0; i < 6; i++)
            assert_near(cut_state(&a, 0)[i], cut_state(&b, 1)[i], 1e-9, "dof %d", i);
    }
}

/* Terms of another process, without which both masses would be at rest. */
static bool others(ifd__coupled *over, ifd__interface *I, const ifd__views *at, double *y)
{
    (void)over, (void)at;
    for (int j = 0; j < I->rows; j++)
        y[j] = 8.0;
    return true;
}

/* Of two masses of 3 kg and 1 kg the relative acceleration of 8 m/s2 takes 6 N. */
TEST_IN_ARENA(a_substructure_of_another_process_is_left_to_it)
{
    running r = cut_start(masses(*state, "staggered", 2));
    double *A = cut_state(&r, 0), *B = cut_state(&r, 1), zero = 0.0;
    ifd__coupled_measured(r.c, 1, &zero);
    r.c->I.part[1].away = true;
    r.c->I.sum = others;
    for (int k = 0; k < 3; k++)
        ifd__coupled_tick(r.c, k, 0.0, r.x);
    assert_near(r.x[r.c->lambda], -6.0, 1e-12, "N");
    assert_near(A[1], -6.0 / 3.0 * 0.01, 1e-12, "m/s, of the whole step");
    assert_true(B[0] == 0.0 && B[1] == 0.0);
}

/* Whichever substructure it is in. */
TEST_IN_ARENA(a_fault_of_a_step_is_that_of_the_whole)
{
    for (int p = 0; p < 2; p++) {
        running r = cut_start(masses(*state, "staggered", 2));
        int row = 0;
        for (int seen = 0; seen < p + 1; row++)
            seen += strcmp(r.c->row[row].name, "fault") == 0;
        assert_near(r.x[r.c->fault], IFD_STEP_OK, 0.0, "before");
        r.x[r.c->row[row - 1].offset] = IFD_STEP_SINGULAR;
        cut_cycles(&r, 1);
        assert_near(r.x[r.c->fault], IFD_STEP_SINGULAR, 0.0, "part %d", p);
    }
}

TEST_IN_ARENA(without_subcycles_a_substructure_has_one)
{
    cut *c = masses(*state, "staggered", 0);
    assert_int_equal(cut_start(c).c->ticks, 2);
    c = masses(*state, "parallel", 0);
    assert_int_equal(cut_start(c).c->ticks, 2);
}

TESTS()
