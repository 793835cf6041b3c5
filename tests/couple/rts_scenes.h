/* SPDX-License-Identifier: MIT */
/* The structures of Sajeeb, Roy and Manohar (2007), cut for coupling `rts`, beside the whole of each. */
#pragma once

#include "couple/fixtures.h"

#define TWO_PI 6.28318530717958647693

enum { LINKS = 4 };

typedef struct scene {
    cut *c;
    ifd_rts_options rts;
    ifd_rts_link link[LINKS];
    ifd_model *whole; /* its dofs are those of the parts, part after part */
} scene;

UNUSED static scene *scene_make(ifd_arena *arena, double h)
{
    scene *s = ifd_arena_take(arena, sizeof *s);
    assert_non_null(s);
    s->c = cut_make(arena, "rts", h);
    ifd_rts_options_defaults(&s->rts);
    s->rts.link = s->link;
    s->c->opt.rts = &s->rts;
    return s;
}

UNUSED static void scene_link(scene *s, const char *name, int leader, int dof, int follower, int support)
{
    s->link[s->rts.links++] =
        (ifd_rts_link){.name = name, .leader = leader, .dof = dof, .follower = follower, .support = support};
}

UNUSED static void scene_extrapolate(scene *s, const char *name, int past, int ahead, double degree, double dilation)
{
    ifd_extrapolate_options_defaults(ifd_extrapolator_find(name), past, ahead, &s->rts.extrapolate);
    ifd_extrapolate_options_set(&s->rts.extrapolate, "degree", ifd_number(degree));
    if (dilation > 0)
        assert_true(ifd_extrapolate_options_set(&s->rts.extrapolate, "dilation", ifd_number(dilation)));
}

/* Motion that is never used: a link takes its place. */
UNUSED static const ifd_signal *nothing(ifd_arena *arena)
{
    const ifd_signal *zero = NULL;
    assert_int_equal(ifd_signal_make_sum(arena, 0, NULL, NULL, NULL, &zero), IFD_OK);
    return zero;
}

UNUSED static void spring_and_dashpot(ifd_builder *b, int from, int to, double k, double c)
{
    ifd_builder_spring(b, IFD_STIFFNESS, from, to, k);
    ifd_builder_spring(b, IFD_DAMPING, from, to, c);
}

UNUSED static int mass(ifd_builder *b, const char *name, double m)
{
    int dof = ifd_builder_dof(b, name, IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, dof, dof, m);
    return dof;
}

typedef struct two_dof {
    double m1, m2, k1, k2, c1, c2, amplitude, lambda;
} two_dof;

/* Figures 9 to 13. */
static const two_dof figures[] = {
    {10, 5, 200, 100, 0.05, 0.06, 0.01, 6},   {10, 10.0 / 3, 300, 100, 0.05, 0.06, 0.01, 6},
    {10, 1, 1000, 100, 0.05, 0.06, 0.01, 6},  {10, 1, 1000, 156.25, 0.05, 0.06, 0.01, 6},
    {10, 0.1, 1000, 10, 0.05, 0.06, 0.01, 6},
};

/* Two masses on springs above a shaken support, eq. 74; the upper one follows. */
UNUSED static scene *two_dof_scene(ifd_arena *arena, const two_dof *d, const ifd_signal *motion, double h)
{
    scene *s = scene_make(arena, h);
    ifd_builder *lower = ifd_builder_make(arena), *upper = ifd_builder_make(arena), *whole = ifd_builder_make(arena);
    if (!motion)
        motion = signal_of(arena, "cosine", "amplitude", d->amplitude, "frequency", d->lambda / TWO_PI, NULL);
    int x = mass(lower, "x", d->m1), y = mass(upper, "y", d->m2);
    spring_and_dashpot(lower, ifd_builder_support(lower, "u", motion), x, d->k1, d->c1);
    spring_and_dashpot(upper, ifd_builder_support(upper, "x", nothing(arena)), y, d->k2, d->c2);
    x = mass(whole, "x", d->m1);
    y = mass(whole, "y", d->m2);
    spring_and_dashpot(whole, ifd_builder_support(whole, "u", motion), x, d->k1, d->c1);
    spring_and_dashpot(whole, x, y, d->k2, d->c2);
    cut_part(s->c, "lower", made(arena, lower), options("exponential", h, NULL), 0);
    cut_part(s->c, "upper", made(arena, upper), options("exponential", h, NULL), 0);
    scene_link(s, "x", 0, 0, 1, 0);
    s->whole = made(arena, whole);
    return s;
}

/* Three storeys with a subsystem between floors 1 and 3 and one on floor 3, eq. 83. m[0..4], k[0..5], c[0..5]. */
UNUSED static scene *five_dof_scene(ifd_arena *arena, const double *m, const double *k, const double *c,
                                    double amplitude, double lambda, double h)
{
    scene *s = scene_make(arena, h);
    const ifd_signal *motion = signal_of(arena, "cosine", "amplitude", amplitude, "frequency", lambda / TWO_PI, NULL);
    ifd_builder *b[4];
    for (int i = 0; i < 4; i++)
        b[i] = ifd_builder_make(arena);
    const char *names[] = {"x1", "x2", "x3", "x4", "x5"};
    for (int i = 0; i < 3; i++)
        mass(b[0], names[i], m[i]);
    for (int i = 0; i < 5; i++)
        mass(b[3], names[i], m[i]);
    mass(b[1], "x4", m[3]);
    mass(b[2], "x5", m[4]);
    for (int i = 0; i < 4; i += 3) {
        spring_and_dashpot(b[i], ifd_builder_support(b[i], "u", motion), 0, k[0], c[0]);
        spring_and_dashpot(b[i], 0, 1, k[1], c[1]);
        spring_and_dashpot(b[i], 1, 2, k[2], c[2]);
    }
    spring_and_dashpot(b[3], 2, 4, k[3], c[3]);
    spring_and_dashpot(b[3], 0, 3, k[4], c[4]);
    spring_and_dashpot(b[3], 2, 3, k[5], c[5]);
    spring_and_dashpot(b[1], ifd_builder_support(b[1], "low", nothing(arena)), 0, k[4], c[4]);
    spring_and_dashpot(b[1], ifd_builder_support(b[1], "high", nothing(arena)), 0, k[5], c[5]);
    spring_and_dashpot(b[2], ifd_builder_support(b[2], "base", nothing(arena)), 0, k[3], c[3]);
    const char *parts[] = {"frame", "between", "above"};
    for (int i = 0; i < 3; i++)
        cut_part(s->c, parts[i], made(arena, b[i]), options("exponential", h, NULL), 0);
    scene_link(s, "low", 0, 0, 1, 0);
    scene_link(s, "high", 0, 2, 1, 1);
    scene_link(s, "base", 0, 2, 2, 0);
    s->whole = made(arena, b[3]);
    return s;
}

/* Spring and mass with a pendulum hung on it, eq. 89: the pendulum follows. */
UNUSED static scene *pendulum_scene(ifd_arena *arena, double h)
{
    scene *s = scene_make(arena, h);
    ifd_builder *b[3];
    const ifd_signal *motion = signal_of(arena, "cosine", "amplitude", 0.001, "frequency", 5 / TWO_PI, NULL);
    for (int i = 0; i < 3; i++) {
        b[i] = ifd_builder_make(arena);
        int pivot = IFD_GROUND, angle;
        if (i == 1)
            pivot = ifd_builder_support(b[i], "pivot", nothing(arena));
        else {
            pivot = mass(b[i], "x", 15);
            spring_and_dashpot(b[i], ifd_builder_support(b[i], "g", motion), pivot, 1000, 0.5);
        }
        if (i == 0)
            continue;
        angle = ifd_builder_dof(b[i], "theta", IFD_DOF_ANGLE);
        add_element(b[i], "pendulum", 2, (int[]){pivot, angle}, "mass", 5.0, "length", 0.5, "damping", 0.1, NULL);
        ifd_builder_initial(b[i], angle, TWO_PI / 6, 0);
    }
    cut_part(s->c, "mass", made(arena, b[0]), options("exponential", h, NULL), 0);
    cut_part(s->c, "pendulum", made(arena, b[1]), options("mtl", h, (pair[]){{"order", 6, NULL}, {0}}), 0);
    scene_link(s, "pivot", 0, 0, 1, 0);
    s->whole = made(arena, b[2]);
    return s;
}

/* Double pendulum, eq. 90: the lower one follows. Its pivot's circle is that of the upper angle, so the angle is what
 * is imposed and the torque what comes back; the upper bob of the follower is as good as without mass. */
UNUSED static scene *double_pendulum_scene(ifd_arena *arena, double h)
{
    scene *s = scene_make(arena, h);
    ifd_builder *b[3];
    for (int i = 0; i < 3; i++)
        b[i] = ifd_builder_make(arena);
    int upper = ifd_builder_dof(b[0], "th1", IFD_DOF_ANGLE);
    add_element(b[0], "pendulum", 2, (int[]){IFD_GROUND, upper}, "mass", 1.0, "length", 1.0, NULL);
    ifd_builder_initial(b[0], upper, TWO_PI / 12, 0);
    int pivot = ifd_builder_support(b[1], "th1", nothing(arena)), lower = ifd_builder_dof(b[1], "th2", IFD_DOF_ANGLE);
    add_element(b[1], "double-pendulum", 3, (int[]){IFD_GROUND, pivot, lower}, "mass", 1e-12, "length", 1.0, "mass2",
                1.0, "length2", 1.0, NULL);
    upper = ifd_builder_dof(b[2], "th1", IFD_DOF_ANGLE);
    lower = ifd_builder_dof(b[2], "th2", IFD_DOF_ANGLE);
    add_element(b[2], "double-pendulum", 3, (int[]){IFD_GROUND, upper, lower}, "mass", 1.0, "length", 1.0, "mass2",
                1.0, "length2", 1.0, NULL);
    ifd_builder_initial(b[2], upper, TWO_PI / 12, 0);
    cut_part(s->c, "upper", made(arena, b[0]), options("mtl", h, (pair[]){{"order", 6, NULL}, {0}}), 0);
    cut_part(s->c, "lower", made(arena, b[1]), options("mtl", h, (pair[]){{"order", 6, NULL}, {0}}), 0);
    scene_link(s, "hinge", 0, 0, 1, 0);
    s->whole = made(arena, b[2]);
    return s;
}

/* Two masses with hardening springs under ground acceleration, eq. 91 relative to the ground. */
UNUSED static scene *hardening_scene(ifd_arena *arena, const ifd_signal *acceleration, double h)
{
    scene *s = scene_make(arena, h);
    ifd_builder *b[3];
    for (int i = 0; i < 3; i++) {
        b[i] = ifd_builder_make(arena);
        int x = i == 1 ? ifd_builder_support(b[i], "x1", nothing(arena)) : mass(b[i], "x1", 20);
        ifd_builder_ground(b[i], IFD_DOF_X, acceleration);
        if (i != 1) {
            ifd_builder_spring(b[i], IFD_DAMPING, IFD_GROUND, x, 10);
            add_pair(b[i], "cubic-spring", IFD_GROUND, x, "stiffness", 200.0, "epsilon", 1000.0, NULL);
        }
        if (i != 0) {
            int y = mass(b[i], "x2", 15);
            ifd_builder_spring(b[i], IFD_DAMPING, x, y, 8);
            add_pair(b[i], "cubic-spring", x, y, "stiffness", 100.0, "epsilon", 750.0, NULL);
        }
    }
    cut_part(s->c, "lower", made(arena, b[0]), options("mtl", h, (pair[]){{"order", 6, NULL}, {0}}), 0);
    cut_part(s->c, "upper", made(arena, b[1]), options("mtl", h, (pair[]){{"order", 6, NULL}, {0}}), 0);
    scene_link(s, "x1", 0, 0, 1, 0);
    s->whole = made(arena, b[2]);
    return s;
}

/* e(t) = |Y - Y_whole|, displacements and velocities of all dofs, largest over the steps up to end; out (may be
 * NULL): at the end of every step. */
UNUSED static double error_norm(scene *s, double end, double *out)
{
    ifd_arena *arena = s->c->arena;
    running r = cut_start(s->c);
    double h = s->c->opt.h, worst = 0;
    ifd_step_options opt = options("reference", h, NULL);
    ifd_stepper *exact = stepper_of(arena, &opt, s->whole);
    double *y = state_of(arena, exact);
    int n = ifd_model_dofs(s->whole);
    for (long k = 0; k < lround(end / h); k++) {
        cut_cycles(&r, 1);
        ifd_stepper_stage(exact, 0, h * (double)k, NULL, y);
        double sum = 0;
        for (int p = 0, first = 0; p < r.c->parts; p++) {
            const double *z = cut_state(&r, p);
            int np = r.c->member[p].model->n;
            for (int i = 0; i < np; i++)
                sum += pow(z[i] - y[first + i], 2) + pow(z[np + i] - y[n + first + i], 2);
            first += np;
        }
        double e = sqrt(sum);
        worst = e > worst || isnan(e) ? e : worst;
        if (out)
            out[k] = e;
    }
    assert_int_equal(ifd_stepper_fault(exact, y), IFD_STEP_OK);
    return worst;
}
