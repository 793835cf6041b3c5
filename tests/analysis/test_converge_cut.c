/* SPDX-License-Identifier: MIT */
/* Observed order of cut structures: every coupling, part and joint, linear and nonlinear. */
#include "hybrid/cut.h"

static ifd_convergence converge(ifd_arena *arena, const ifd_run_options *opt, int levels)
{
    ifd_note note;
    ifd_convergence c;
    ifd_note_init(&note, arena);
    assert_ok(ifd_converge(arena, opt, levels, &c, &note), &note);
    return c;
}

/* a >= b - tol, with both values printed. */
static void assert_at_least(double a, double b, double tol, const char *what, const char *of, double error)
{
    if (!(a >= b - tol))
        assert_near(a, b, tol, "%s, %s: order with error %g", what, of, error);
}

/* The finest pair of levels: there the first term of the error rules. A fine part may still be better than its
 * order, where its first term is small; the structure as a whole has it. */
static void check_order(const ifd_convergence *c, const char *what, double order)
{
    assert_true(c->parts >= 3);
    assert_string_equal(c->part[c->parts - 1].name, "joints");
    for (int p = 0; p < c->parts; p++) {
        const ifd_converge_row *fine = &c->part[p].row[c->levels - 1];
        assert_at_least(fine->order_u, order, 0.1, what, c->part[p].name, fine->error_u);
        assert_at_least(fine->order_v, order, 0.1, what, c->part[p].name, fine->error_v);
        if (fine->error_s > 0)
            assert_at_least(fine->order_s, order, 0.1, what, c->part[p].name, fine->error_s);
        if (fine->error_l > 1e-12) /* parts that are alike (b1 = 1) pass no force at all */
            assert_at_least(fine->order_l, order, 0.1, what, "multipliers", fine->error_l);
    }
    const ifd_converge_row *fine = &c->row[c->levels - 1];
    assert_near(fine->order_v, order, 0.1, "%s: velocity of the whole, error %g", what, fine->error_v);
}

TEST_IN_ARENA(couplings_have_second_order_on_the_single_dof_problem)
{
    static const struct {
        const char *coupling, *method;
        pair set[2];
    } of[] = {{"staggered", "lsrt2", {{"gamma", 0, "minus"}}},
              {"staggered", "lsrt2", {{"gamma", 0, "plus"}}},
              {"parallel", "lsrt2", {{"gamma", 0, "minus"}}},
              {"parallel", "lsrt2", {{"gamma", 0, "plus"}}},
              {"pg-alpha", "mg-alpha", {{"rho", 0.8, NULL}}}};
    const double b1[] = {0.1, 0.5, 1, 10};
    for (size_t k = 0; k < COUNT(of); k++)
        for (size_t b = 0; b < COUNT(b1); b++)
            for (int i = 0; i < 3; i++) {
                cut c;
                char what[64];
                int ss = (int[]){1, 2, 10}[i];
                cut_single_dof(&c, *state, b1[b], of[k].method, of[k].set, ss);
                bool slow = of[k].set[0].word && strcmp(of[k].set[0].word, "plus") == 0;
                double h = slow ? 1.0 / 512 : 1.0 / 64;
                ifd_convergence v = converge(*state, cut_run(&c, of[k].coupling, h, 0.5), 5);
                snprintf(what, sizeof what, "%s %s b1 %g ss %d", of[k].coupling, slow ? "plus" : "", b1[b], ss);
                check_order(&v, what, 2);
            }
}

/* GC loses an order when it subcycles, PH does not. */
TEST_IN_ARENA(the_cheaper_and_the_compared_schemes_have_the_order_they_have)
{
    static const struct {
        const char *coupling, *method[2];
        int ss;
        double order;
    } of[] = {{"staggered", {"lsrt2", "lsrt1"}, 2, 1}, {"staggered", {"lsrt1", "lsrt1"}, 2, 1},
              {"parallel", {"lsrt2", "lsrt1"}, 2, 1},  {"midpoint", {"newmark", "newmark"}, 1, 1},
              {"gc", {"newmark", "newmark"}, 1, 2},    {"gc", {"newmark", "newmark"}, 4, 1},
              {"ph", {"newmark", "newmark"}, 1, 2},    {"ph", {"newmark", "newmark"}, 4, 2}};
    for (size_t k = 0; k < COUNT(of); k++) {
        cut c;
        memset(&c, 0, sizeof c);
        cut_part(&c, oscillator(*state, 0.4, 0.1, 3, 1, 1), of[k].method[0], NULL, 1);
        cut_part(&c, oscillator(*state, 0.6, 0, 1, 1, 1), of[k].method[1], NULL, of[k].ss);
        cut_tie(&c, 0, 0, 1, 0);
        ifd_convergence v = converge(*state, cut_run(&c, of[k].coupling, 1.0 / 128, 1), 5);
        check_order(&v, of[k].coupling, of[k].order);
    }
}

/* Lower floors, upper floors, with damping, loads on both and the ground moving. */
TEST_IN_ARENA(a_loaded_building_converges_in_every_part)
{
    static const char *const coupling[] = {"staggered", "parallel", "pg-alpha"}, *const method[] = {"lsrt2", "lsrt2",
                                                                                                    "mg-alpha"};
    const ifd_signal *quake = signal_of(*state, "sine", "amplitude", 2.0, "frequency", 1.1, NULL);
    for (int k = 0; k < 3; k++) {
        cut c;
        memset(&c, 0, sizeof c);
        for (int p = 0; p < 3; p++) {
            ifd_builder *b = ifd_builder_make(*state);
            for (int i = 0; i < 3; i++) {
                char name[8];
                snprintf(name, sizeof name, "x%d", i);
                int x = ifd_builder_dof(b, name, IFD_DOF_X);
                ifd_builder_add(b, IFD_MASS, x, x, 1 + 0.3 * p + 0.1 * i);
                if (i || !p)
                    ifd_builder_spring(b, IFD_STIFFNESS, i ? x - 1 : IFD_GROUND, x, 60 + 10 * p + 5 * i);
            }
            ifd_builder_rayleigh(b, 0.1 * p, 0.002);
            ifd_builder_ground(b, IFD_DOF_X, quake);
            ifd_builder_force(b, 1,
                              signal_of(*state, "cosine", "amplitude", 5.0 + p, "frequency", 0.6 + 0.2 * p, NULL));
            cut_part(&c, made(*state, b), method[k], NULL, p == 2 ? 4 : p ? 2 : 1);
        }
        cut_tie(&c, 0, 2, 1, 0);
        cut_tie(&c, 1, 2, 2, 0);
        ifd_convergence v = converge(*state, cut_run(&c, coupling[k], 1.0 / 128, 1), 4);
        assert_int_equal(v.parts, 4);
        check_order(&v, coupling[k], 2);
    }
}

TEST_IN_ARENA(nonlinear_parts_converge_at_second_order)
{
    static const char *const coupling[] = {"staggered", "parallel", "pg-alpha"}, *const method[] = {"lsrt2", "lsrt2",
                                                                                                    "mg-alpha"};
    for (int k = 0; k < 3; k++) {
        cut c;
        memset(&c, 0, sizeof c);
        ifd_builder *a = chain_builder(*state, 2, 1, 0.2, 40), *b = ifd_builder_make(*state);
        add_pair(a, "cubic-spring", IFD_GROUND, 0, "stiffness", 20.0, "epsilon", 2.0, NULL);
        for (int i = 0; i < 2; i++) {
            int x = ifd_builder_dof(b, i ? "x1" : "x0", IFD_DOF_X);
            ifd_builder_add(b, IFD_MASS, x, x, 0.5 + i);
            ifd_builder_initial(b, x, i ? 0.1 : 0.02 * sin(2.0), i ? 0.9 : 0.1 * cos(0.7));
        }
        /* It does not turn within the run, so that the model is smooth. */
        add_pair(b, "bouc-wen", 0, 1, "stiffness", 8.0, "alpha", 0.1, "beta", 2.0, "gamma", 1.0, NULL);
        cut_part(&c, made(*state, a), method[k], NULL, 1);
        cut_part(&c, made(*state, b), method[k], NULL, 2);
        cut_tie(&c, 0, 1, 1, 0);
        ifd_convergence v = converge(*state, cut_run(&c, coupling[k], 1.0 / 256, 0.25), 4);
        assert_true(v.tolerance[0] > 0);
        check_order(&v, coupling[k], 2);
    }
}

/* What the joint passes on, from the balance of each part with the accelerations of the uncut oscillator. */
TEST_IN_ARENA(the_multipliers_of_the_reference_balance_each_part)
{
    cut c;
    cut_single_dof(&c, *state, 0.5, "mg-alpha", (pair[]){{"rho", 0.8, NULL}, {0}}, 1);
    const int steps = 4096;
    double h = 2.0 / steps, worst = 0;
    ifd_run *r;
    assert_int_equal(ifd_run_make(*state, cut_run(&c, "pg-alpha", h, 2), &r, NULL), IFD_OK);
    int count, at = -1;
    const ifd_column *channel = ifd_run_columns(r, &count);
    for (int k = 0; k < count; k++)
        at = strcmp(channel[k].name, "j1 multiplier") == 0 ? k : at;
    assert_true(at >= 0);
    for (int k = 1; k <= steps; k++) {
        ifd_run_tick(r);
        double t = h * k, u = cos(t) + sin(t); /* of the whole: unit mass and stiffness, d = v = 1 */
        double mass = 1.0 / 3, stiffness = 2.0 / 3, exact = -mass * u + stiffness * u;
        worst = fmax(worst, fabs(ifd_run_values(r)[at] - exact));
    }
    assert_near(worst, 0, 1e-6, "force on part a: m a + k u");
    ifd_convergence v = converge(*state, &c.run, 2);
    assert_near(v.row[0].error_l, worst / (sqrt(2) / 3), 0.02 * v.row[0].error_l,
                "the same, relative to its largest");
}

TESTS()
