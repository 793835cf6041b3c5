/* SPDX-License-Identifier: MIT */
/* Reactions at supports, against the equation of the same dof in a model where it is free. */
#include "method/fixtures.h"

#include "model/gravity.h"
#include "model/support_motion.h"

/* The same structure with its foot a support and with its foot a dof that carries a mass of 1. */
typedef struct pair_of {
    ifd_builder *b[2];
    int foot[2];
} pair_of;

static pair_of both(ifd_arena *arena, const ifd_signal *motion)
{
    pair_of p;
    for (int k = 0; k < 2; k++)
        p.b[k] = ifd_builder_make(arena);
    p.foot[0] = ifd_builder_support(p.b[0], "foot", motion);
    p.foot[1] = -1;
    return p;
}

/* Adds the foot's dof last, so that the others have the same numbers in both. */
static void add_foot(pair_of *p)
{
    p->foot[1] = ifd_builder_dof(p->b[1], "foot", IFD_DOF_X);
    ifd_builder_add(p->b[1], IFD_MASS, p->foot[1], p->foot[1], 1.0);
}

/* Reaction at t in the first model, for some u, v, a; and what must push the foot in the
 * second one so that it moves alike. */
static void compare(ifd_arena *arena, pair_of *p, const ifd_signal *motion, double t, double tolerance,
                    const char *what)
{
    ifd_model *held = made(arena, p->b[0]), *loose = made(arena, p->b[1]);
    int n = held->n;
    assert_int_equal(loose->n, n + 1);
    double u[16], v[16], a[16], s[16] = {0}, f[4], w[256], F[16], g[16], y[3];
    assert_true(n < 15 && held->ns < 16);
    assert_true(ifd__model_reaction_work(held) <= 256 && ifd__model_work(loose) <= 256);
    for (int i = 0; i < n; i++) {
        u[i] = 0.3 * sin(1.0 + i);
        v[i] = 0.5 * cos(2.0 + i);
        a[i] = 2.0 * sin(3.0 * i);
    }
    memcpy(s, held->s0, sizeof *s * (size_t)held->ns);
    for (int i = held->first_state; i < held->ns; i++)
        s[i] = 0.1 * (1 + i);
    assert_int_equal(ifd__model_reaction_check(held, what, NULL), IFD_OK);
    ifd__model_reaction(held, &(ifd__point){.t = t, .u = u, .v = v, .s = s, .a = a}, f, w);
    ifd_signal_eval(motion, t, y);
    u[n] = y[0];
    v[n] = y[1];
    a[n] = y[2];
    ifd__model_balance(loose, &(ifd__point){.t = t, .u = u, .v = v, .s = s}, F, g, w);
    double needed = -F[n], inertia[16] = {0};
    ifd__sparse_mul_add(&loose->M, 1.0, a, inertia);
    needed += inertia[n] - a[n];        /* less the mass of 1 that the foot was given */
    for (int e = 0; e < loose->ne; e++) /* m(q) in place of its base */
        if (loose->element[e].ops->flags & IFD_ELEMENT_INERTIAL) {
            double q[8], qd[8], qdd[8], m[64] = {0};
            int c = loose->q_of[e], nq = loose->element[e].nq;
            for (int i = 0; i < nq; i++) {
                q[i] = qd[i] = qdd[i] = 0;
                for (int k = loose->b_start[c + i]; k < loose->b_start[c + i + 1]; k++) {
                    q[i] += loose->b_value[k] * u[loose->b_dof[k]];
                    qd[i] += loose->b_value[k] * v[loose->b_dof[k]];
                    qdd[i] += loose->b_value[k] * a[loose->b_dof[k]];
                }
            }
            ifd_element_in in = {.t = t, .q = q, .qd = qd, .qdd = qdd, .s = s};
            ifd_element_out out = {.m = m};
            loose->element[e].ops->eval(&loose->element[e], &in, &out);
            for (int i = 0; i < nq; i++)
                for (int k = loose->b_start[c + i]; k < loose->b_start[c + i + 1]; k++)
                    for (int j = 0; loose->b_dof[k] == n && j < nq; j++)
                        needed +=
                            loose->b_value[k] * (m[i + j * nq] - loose->m0[loose->mm_of[e] + i + j * nq]) * qdd[j];
        }
    assert_near(f[0], needed, tolerance * (1 + fabs(needed)), "%s", what);
}

static const ifd_signal *wave(ifd_arena *arena)
{
    return signal_of(arena, "sine", "amplitude", 0.2, "frequency", 0.9, NULL);
}

TEST_IN_ARENA(springs_dashpots_and_masses_react)
{
    const ifd_signal *motion = wave(*state);
    pair_of p = both(*state, motion);
    for (int k = 0; k < 2; k++) {
        ifd_builder *b = p.b[k];
        int x = ifd_builder_dof(b, "x", IFD_DOF_X), y = ifd_builder_dof(b, "y", IFD_DOF_X);
        if (k)
            add_foot(&p);
        ifd_builder_add(b, IFD_MASS, x, x, 3);
        ifd_builder_add(b, IFD_MASS, y, y, 2);
        ifd_builder_spring(b, IFD_STIFFNESS, p.foot[k], x, 40);
        ifd_builder_spring(b, IFD_STIFFNESS, p.foot[k], y, 15);
        ifd_builder_spring(b, IFD_STIFFNESS, p.foot[k], IFD_GROUND, 7);
        ifd_builder_spring(b, IFD_DAMPING, y, p.foot[k], 1.5);
        ifd_builder_spring(b, IFD_MASS, p.foot[k], x, 0.4);
        ifd_builder_add(b, IFD_MASS, p.foot[k], p.foot[k], 0.6);
    }
    compare(*state, &p, motion, 0.7, 1e-14, "linear");
}

TEST_IN_ARENA(rayleigh_damping_reacts)
{
    const ifd_signal *motion = wave(*state);
    pair_of p = both(*state, motion);
    for (int k = 0; k < 2; k++) {
        int x = ifd_builder_dof(p.b[k], "x", IFD_DOF_X);
        if (k)
            add_foot(&p);
        ifd_builder_add(p.b[k], IFD_MASS, x, x, 3);
        ifd_builder_spring(p.b[k], IFD_STIFFNESS, p.foot[k], x, 40);
        ifd_builder_spring(p.b[k], IFD_MASS, p.foot[k], x, 0.5);
        ifd_builder_rayleigh(p.b[k], 0.0, 0.03);
    }
    compare(*state, &p, motion, 0.3, 1e-14, "stiffness-proportional");
}

/* What is condensed adds to the foot's own block: static and first-order joints between the foot and the rest. */
TEST_IN_ARENA(joints_without_mass_react)
{
    const ifd_signal *motion = wave(*state);
    pair_of p = both(*state, motion);
    for (int k = 0; k < 2; k++) {
        ifd_builder *b = p.b[k];
        int x = ifd_builder_dof(b, "x", IFD_DOF_X);
        if (k)
            add_foot(&p);
        int still = ifd_builder_dof(b, "still", IFD_DOF_X), slow = ifd_builder_dof(b, "slow", IFD_DOF_X);
        ifd_builder_add(b, IFD_MASS, x, x, 3);
        ifd_builder_spring(b, IFD_STIFFNESS, p.foot[k], still, 40);
        ifd_builder_spring(b, IFD_STIFFNESS, still, x, 15);
        ifd_builder_spring(b, IFD_STIFFNESS, still, IFD_GROUND, 7);
        ifd_builder_spring(b, IFD_STIFFNESS, p.foot[k], slow, 30);
        ifd_builder_spring(b, IFD_DAMPING, p.foot[k], slow, 0.4);
        ifd_builder_spring(b, IFD_DAMPING, slow, x, 1.5);
        ifd_builder_rayleigh(b, 0.0, 0.01);
    }
    compare(*state, &p, motion, 0.7, 1e-13, "condensed");
}

TEST_IN_ARENA(elements_react)
{
    const ifd_signal *motion = wave(*state);
    pair_of p = both(*state, motion);
    for (int k = 0; k < 2; k++) {
        ifd_builder *b = p.b[k];
        int x = ifd_builder_dof(b, "x", IFD_DOF_X), th = ifd_builder_dof(b, "th", IFD_DOF_ANGLE);
        int d1 = ifd_builder_dof(b, "d1", IFD_DOF_ANGLE), d2 = ifd_builder_dof(b, "d2", IFD_DOF_ANGLE);
        if (k)
            add_foot(&p);
        ifd_builder_add(b, IFD_MASS, x, x, 3);
        add_pair(b, "cubic-spring", p.foot[k], x, "stiffness", 30.0, "epsilon", 5.0, NULL);
        add_pair(b, "bouc-wen", x, p.foot[k], "stiffness", 12.0, "alpha", 0.1, "beta", 3.0, "gamma", 1.5, NULL);
        add_element(b, "pendulum", 2, (int[]){p.foot[k], th}, "mass", 0.8, "length", 0.5, "damping", 0.02, NULL);
        add_element(b, "double-pendulum", 3, (int[]){p.foot[k], d1, d2}, "mass", 0.4, "length", 0.5, "mass2", 0.3,
                    "length2", 0.4, NULL);
    }
    compare(*state, &p, motion, 1.1, 1e-13, "elements");
}

TEST_IN_ARENA(what_reacts_in_an_unknown_way_is_refused)
{
    const ifd_signal *motion = wave(*state);
    ifd_note note;
    ifd_note_init(&note, *state);
    ifd_builder *b = ifd_builder_make(*state);
    int foot = ifd_builder_support(b, "foot", motion), x = ifd_builder_dof(b, "x", IFD_DOF_X);
    int y = ifd_builder_dof(b, "y", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, x, x, 3);
    ifd_builder_add(b, IFD_MASS, y, y, 3);
    ifd_builder_spring(b, IFD_STIFFNESS, foot, x, 10);
    ifd_builder_add(b, IFD_STIFFNESS, x, y, 4);
    assert_int_equal(ifd__model_reaction_check(made(*state, b), "part", &note), IFD_UNSUPPORTED);
    assert_int_equal(note.errors, 1);
}

/* The quintic meets value, slope and curvature at both ends, and a polynomial of its degree throughout. */
TEST_IN_ARENA(a_slot_follows_a_quintic)
{
    ifd__support_motion *slot;
    const ifd_signal *signal;
    assert_int_equal(ifd__support_motion_make(*state, &slot, &signal), IFD_OK);
    double c[6] = {0.3, -1.2, 0.7, 2.1, -0.9, 0.4}, start = 1.5, h = 0.25, end[2][3], y[3];
    for (int k = 0; k < 2; k++) {
        double x = k * h;
        end[k][0] = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
        end[k][1] = c[1] + x * (2 * c[2] + x * (3 * c[3] + x * (4 * c[4] + x * 5 * c[5])));
        end[k][2] = 2 * c[2] + x * (6 * c[3] + x * (12 * c[4] + x * 20 * c[5]));
    }
    ifd__support_motion_hermite(slot, start, h, end[0], end[1]);
    double x = 0.1;
    ifd_signal_eval(signal, start + x, y);
    assert_near(y[0], c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5])))), 1e-14, "y");
    assert_near(y[1], c[1] + x * (2 * c[2] + x * (3 * c[3] + x * (4 * c[4] + x * 5 * c[5]))), 1e-13, "y'");
    assert_near(y[2], 2 * c[2] + x * (6 * c[3] + x * (12 * c[4] + x * 20 * c[5])), 1e-12, "y''");
}

TEST_IN_ARENA(a_slot_interpolates_each_number_by_itself)
{
    ifd__support_motion *slot;
    const ifd_signal *signal;
    assert_int_equal(ifd__support_motion_make(*state, &slot, &signal), IFD_OK);
    double values[4][3], start = 0.4, h = 0.1, y[3];
    for (int i = 0; i < 4; i++) {
        double t = start + h * (i - 2); /* the newest at start + h */
        values[i][0] = t * t * t;
        values[i][1] = 1 - t * t;
        values[i][2] = 5 + t;
    }
    ifd__support_motion_lagrange(slot, start, h, 4, &values[0][0], 3);
    ifd_signal_eval(signal, 0.47, y);
    assert_near(y[0], 0.47 * 0.47 * 0.47, 1e-14, "y");
    assert_near(y[1], 1 - 0.47 * 0.47, 1e-14, "y'");
    assert_near(y[2], 5.47, 1e-14, "y''");
}

TESTS()
