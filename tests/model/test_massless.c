/* SPDX-License-Identifier: MIT */
/* Dofs without mass between springs and dashpots. Closed forms: characteristic polynomials and their residues,
 * computed independently; u(0) = 10 mm, u' = 0, 10 kg on 2000 N/m throughout. */
#include "model/build/making.h"

#include <math.h>
#include <string.h>

#include <interfield/analysis.h>
#include <interfield/method.h>

#include "scene.h"

static const double u0 = 0.01;
static const double times[3] = {0.1, 0.3, 1.0};

static int mass(scene *f)
{
    int u = ifd_builder_dof(f->builder, "u", IFD_DOF_X);
    ifd_builder_add(f->builder, IFD_MASS, u, u, 10);
    ifd_builder_spring(f->builder, IFD_STIFFNESS, IFD_GROUND, u, 2000);
    ifd_builder_initial(f->builder, u, u0, 0);
    return u;
}

/* A spring and a dashpot in series from the mass to the ground; its joint. */
static int branch(scene *f, int u, const char *name, double k, double c)
{
    int j = ifd_builder_dof(f->builder, name, IFD_DOF_X);
    ifd_builder_spring(f->builder, IFD_STIFFNESS, u, j, k);
    ifd_builder_spring(f->builder, IFD_DAMPING, j, IFD_GROUND, c);
    return j;
}

static void maxwell(scene *f)
{
    branch(f, mass(f), "j", 3000, 300);
}

static void maxwell_from_zero(scene *f)
{
    ifd_builder_initial(f->builder, branch(f, mass(f), "j", 3000, 300), 0, 0);
}

/* The dashpot between two springs: its damping matrix is singular. */
static void two_joints(scene *f)
{
    int u = mass(f), a = ifd_builder_dof(f->builder, "j1", IFD_DOF_X),
        b = ifd_builder_dof(f->builder, "j2", IFD_DOF_X);
    ifd_builder_spring(f->builder, IFD_STIFFNESS, u, a, 6000);
    ifd_builder_spring(f->builder, IFD_DAMPING, a, b, 300);
    ifd_builder_spring(f->builder, IFD_STIFFNESS, b, IFD_GROUND, 6000);
    ifd_builder_initial(f->builder, a, 0.002, 0); /* no deformation: the common position does not matter */
    ifd_builder_initial(f->builder, b, 0.002, 0);
}

static void dashpots_in_series(scene *f)
{
    int u = mass(f), j = ifd_builder_dof(f->builder, "j", IFD_DOF_X);
    ifd_builder_spring(f->builder, IFD_DAMPING, u, j, 400);
    ifd_builder_spring(f->builder, IFD_DAMPING, j, IFD_GROUND, 100);
    ifd_builder_initial(f->builder, j, 0.003, 0);
}

static void two_branches(scene *f)
{
    int u = mass(f);
    ifd_builder_initial(f->builder, branch(f, u, "j1", 3000, 300), 0, 0);
    ifd_builder_initial(f->builder, branch(f, u, "j2", 1000, 20), 0, 0);
}

typedef struct example {
    const char *name;
    void (*build)(scene *f);
    int states;
    double u[3];       /* mm, at the times above */
    const char *joint; /* a dof without mass, and its displacement; NULL: not compared */
    double joint_u[3];
} example;

static const example examples[] = {
    {"E1", maxwell, 1, {3.1957087, 3.5004376, -0.0895259219}, "j", {7.9348704, 2.9781271, 0.1981884013}},
    {"E1 from 0",
     maxwell_from_zero,
     1,
     {-3.9130338, 4.2839033, -0.5210974065},
     "j",
     {1.8792812, 0.4980277, 0.0330926506}},
    {"E2", two_joints, 1, {-3.9130338, 4.2839033, -0.5210974}, NULL, {0}},
    {"E3",
     dashpots_in_series,
     1,
     {3.3571626559, -2.5167462512, 0.1446210754},
     "j",
     {3 + 0.8 * (3.3571626559 - 10), 3 + 0.8 * (-2.5167462512 - 10), 3 + 0.8 * (0.1446210754 - 10)}},
    {"E5", two_branches, 2, {-4.1662032, 3.2208989, -0.25492529}, NULL, {0}},
};

static int find_gone(const ifd_model *m, const char *name)
{
    for (int i = 0; i < m->ngone; i++)
        if (strcmp(m->gone[i], name) == 0)
            return i;
    fail_msg("no dof '%s'", name);
    return -1;
}

/* Displacements (mm) of the mass and of a joint at the three times, with so many steps a second. */
static void march(scene *f, const ifd_model *m, const char *method, int per_second, const char *joint, double *u,
                  double *joint_u)
{
    ifd_step_options opt;
    ifd_stepper *s;
    double h = 1.0 / per_second;
    ifd_step_options_defaults(ifd_method_find(method), h, &opt);
    scene_good(f, ifd_stepper_make(f->arena, &opt, m, &s, &f->note));
    double *x = ifd_arena_array(f->arena, (size_t)ifd_stepper_size(s), sizeof *x);
    int next = 0, gone = joint ? find_gone(m, joint) : -1;
    ifd_stepper_initial(s, x);
    ifd_stepper_start(s, 0.0, NULL, x);
    for (int k = 1; next < 3; k++) {
        for (int i = 0; i < ifd_stepper_stages(s); i++)
            ifd_stepper_stage(s, i, h * (k - 1), NULL, x);
        if (k != (int)lround(times[next] * per_second))
            continue;
        u[next] = 1e3 * x[0];
        if (joint)
            joint_u[next] = 1e3 * ifd__model_gone(m, gone, h * k, x, x + 2 * m->n);
        next++;
    }
    assert_int_equal(ifd_stepper_fault(s, x), IFD_STEP_OK);
}

static ifd_model *build(scene *f, const example *e)
{
    scene_restart(f);
    e->build(f);
    ifd_model *m = scene_model(f);
    assert_int_equal(ifd_model_dofs(m), 1);
    assert_int_equal(ifd_model_first_order(m), e->states);
    assert_true(ifd_model_linear(m));
    return m;
}

TEST_WITH(the_reference_gives_the_closed_forms, scene_open, scene_close)
{
    scene *f = *state;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        const example *e = &examples[k];
        double u[3], joint[3];
        march(f, build(f, e), "reference", 100, e->joint, u, joint);
        for (int i = 0; i < 3; i++) {
            assert_near(u[i], e->u[i], 6e-8, "%s: u at %g s", e->name, times[i]);
            if (e->joint)
                assert_near(joint[i], e->joint_u[i], 6e-8, "%s: %s at %g s", e->name, e->joint, times[i]);
        }
    }
}

/* Every method comes to the closed form with its order: halving the step divides the error at 1 s by 2^order. */
TEST_WITH(every_method_has_its_order, scene_open, scene_close)
{
    static const struct {
        const char *method;
        int order; /* 0: to the last digit that the closed form is known to */
    } of[] = {{"lsrt1", 1},
              {"lsrt2", 2},
              {"mg-alpha", 2},
              {"newmark", 2},
              {"hht", 2},
              {"generalized-alpha", 2},
              {"central-difference", 2},
              {"chang", 2},
              {"exponential", 0},
              {"mtl", 0},
              {"taylor", 0},
              {"exponential-alpha", 2}};
    scene *f = *state;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++)
        for (size_t j = 0; j < sizeof of / sizeof *of; j++) {
            const example *e = &examples[k];
            double exact[3], error[2], u[3];
            const ifd_model *m = build(f, e);
            march(f, m, "reference", 100, NULL, exact, NULL);
            for (int level = 0; level < 2; level++) {
                march(f, m, of[j].method, 2000 << level, NULL, u, NULL);
                error[level] = fabs(u[2] - exact[2]);
            }
            if (of[j].order)
                assert_near(log2(error[0] / error[1]), (double)of[j].order, 0.1, "%s by %s", e->name, of[j].method);
            double most = of[j].order == 1 ? 0.04 : of[j].order == 2 ? 2e-4 : 1e-6; /* mm, of 10 */
            assert_near(error[1], 0.0, most, "%s by %s", e->name, of[j].method);
        }
}

TEST_WITH(the_trapezoid_has_the_known_errors, scene_open, scene_close)
{
    static const double error[4] = {8.45e-4, 1.94e-4, 4.76e-5, 1.18e-5};
    scene *f = *state;
    for (int i = 0; i < 4; i++) {
        double u[3];
        march(f, build(f, &examples[0]), "newmark", 100 << i, NULL, u, NULL);
        assert_near_rel(fabs(u[2] - examples[0].u[2]) / 10, error[i], 5e-3, "step %g ms", 10.0 / (1 << i));
    }
}

TEST_WITH(roots_are_those_of_the_characteristic_polynomial, scene_open, scene_close)
{
    static const double three[3][2] = {{-4.2049303435, 0}, {-2.8975348282, 21.6156523769}, {0, 0}};
    static const double four[3][2] = {{-4.0925606350, 0}, {-3.7828616271, 22.1617988131}, {-48.3417161108, 0}};
    scene *f = *state;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        const double(*root)[2] = examples[k].states == 2 ? four : three;
        if (examples[k].build == dashpots_in_series)
            continue;
        ifd_state_roots r;
        scene_good(f, ifd_model_roots(f->arena, build(f, &examples[k]), &r, &f->note));
        assert_int_equal(r.count, examples[k].states + 1);
        for (int i = 0; i < r.count; i++) {
            assert_near_rel(r.real[i], root[i][0], 1e-9, "%s: real part of root %d", examples[k].name, i);
            assert_near_rel(r.imag[i], root[i][1], 1e-9, "%s: imaginary part of root %d", examples[k].name, i);
        }
    }
}

/* Proportional damping leaves equilibrium an equilibrium: static, however it is given. */
TEST_WITH(proportional_damping_is_static, scene_open, scene_close)
{
    for (int given = 0; given < 2; given++) {
        scene *f = *state;
        scene_restart(f);
        int u = mass(f), j = ifd_builder_dof(f->builder, "j", IFD_DOF_X);
        for (int which = 0; which < (given ? 2 : 1); which++) {
            ifd_builder_spring(f->builder, which ? IFD_DAMPING : IFD_STIFFNESS, u, j, which ? 30 : 3000);
            ifd_builder_spring(f->builder, which ? IFD_DAMPING : IFD_STIFFNESS, j, IFD_GROUND, which ? 10 : 1000);
        }
        if (!given)
            ifd_builder_rayleigh(f->builder, 0, 0.01);
        const ifd_model *m = scene_model(f);
        assert_int_equal(ifd_model_first_order(m), 0);
        assert_int_equal(m->ngone, 1);
        assert_non_null(scene_remark(f, "1 dof without mass condensed: j"));
    }
}

/* Rayleigh's part of a Maxwell element: C = diag(0, 300) + beta K, all of it a first-order system of one state. */
TEST_WITH(rayleigh_damping_joins_the_dashpot, scene_open, scene_close)
{
    const double beta = 0.01;
    scene *f = *state;
    maxwell(f);
    ifd_builder_rayleigh(f->builder, 0, beta);
    const ifd_model *m = scene_model(f);
    ifd_state_roots r;
    scene_good(f, ifd_model_roots(f->arena, m, &r, &f->note));
    for (int i = 0; i < r.count; i++) {
        /* det [10 s^2 + (5000)(1 + beta s), -3000 (1 + beta s); same, 300 s + 3000 (1 + beta s)] = 0 */
        double a = r.real[i], b = r.imag[i], re[3], im[3];
        double p = 1 + beta * a, q = beta * b;
        re[0] = 10 * (a * a - b * b) + 5000 * p, im[0] = 20 * a * b + 5000 * q;
        re[1] = 300 * a + 3000 * p, im[1] = 300 * b + 3000 * q;
        re[2] = 9e6 * (p * p - q * q), im[2] = 18e6 * p * q;
        assert_near((re[0] * re[1] - im[0] * im[1] - re[2]) / 1e7, 0.0, 1e-9, "root %d", i);
        assert_near((re[0] * im[1] + im[0] * re[1] - im[2]) / 1e7, 0.0, 1e-9, "root %d", i);
    }
    assert_int_equal(r.count, 2);
}

/* A force and a moved support on the joint's side, against the same with a small mass there. */
TEST_WITH(forces_and_supports_act_on_first_order_dofs, scene_open, scene_close)
{
    double u[2][3], joint[3];
    for (int light = 0; light < 2; light++) {
        scene *f = *state;
        scene_restart(f);
        int u_ = mass(f), j = branch(f, u_, "j", 3000, 300);
        int s = ifd_builder_support(f->builder, "s", scene_sine(f, 0.004, 2));
        ifd_builder_spring(f->builder, IFD_STIFFNESS, s, j, 500);
        ifd_builder_spring(f->builder, IFD_DAMPING, s, j, 40);
        ifd_builder_force(f->builder, j, scene_sine(f, 30, 3));
        ifd_builder_initial(f->builder, j, 0.005, 0);
        if (light)
            ifd_builder_add(f->builder, IFD_MASS, j, j, 1e-6);
        const ifd_model *m = scene_model(f);
        march(f, m, "reference", 100, light ? NULL : "j", u[light], joint);
    }
    for (int i = 0; i < 3; i++)
        assert_near_rel(u[0][i], u[1][i], 1e-6, "%g s", times[i]);
}

/* A spring to the support and a dashpot to the ground are not proportional: the joint lags behind the support. */
TEST_WITH(a_spring_to_a_support_does_not_make_a_dashpot_proportional, scene_open, scene_close)
{
    scene *f = *state;
    mass(f);
    int j = ifd_builder_dof(f->builder, "j", IFD_DOF_X);
    int s = ifd_builder_support(f->builder, "s", scene_sine(f, 0.004, 2));
    ifd_builder_spring(f->builder, IFD_STIFFNESS, s, j, 500);
    ifd_builder_spring(f->builder, IFD_DAMPING, j, IFD_GROUND, 40);
    assert_int_equal(ifd_model_first_order(scene_model(f)), 1);
}

/* A force on a joint that is condensed in part: equilibrium of both, 6000 (u - j1) + F = 6000 j2, holds in what is
 * recorded. */
TEST_WITH(records_hold_what_a_force_stretches, scene_open, scene_close)
{
    scene *f = *state;
    double u[3], first[3], second[3];
    two_joints(f);
    ifd_builder_force(f->builder, 1, scene_sine(f, 30, 2.3));
    const ifd_model *m = scene_model(f);
    march(f, m, "reference", 100, ifd_builder_dof_name(f->builder, 1), u, first);
    march(f, m, "reference", 100, ifd_builder_dof_name(f->builder, 2), u, second);
    for (int i = 0; i < 3; i++)
        assert_near(first[i] + second[i], u[i] + 1e3 * 30 / 6000 * sin(2 * acos(-1) * 2.3 * times[i]), 1e-9,
                    "both joints at %g s", times[i]);
}

TEST_WITH(what_nothing_holds_is_refused, scene_open, scene_close)
{
    scene *f = *state;
    mass(f);
    int a = ifd_builder_dof(f->builder, "a", IFD_DOF_X), b = ifd_builder_dof(f->builder, "b", IFD_DOF_X);
    ifd_builder_spring(f->builder, IFD_DAMPING, a, b, 100);
    scene_refused(f, IFD_MASSLESS, "the dofs a, b have no mass and no support");
    scene_restart(f);
    int u = mass(f), j = ifd_builder_dof(f->builder, "j", IFD_DOF_X);
    ifd_builder_spring(f->builder, IFD_STIFFNESS, u, j, 3000);
    ifd_builder_spring(f->builder, IFD_DAMPING, j, IFD_GROUND, -5);
    scene_refused(f, IFD_MASSLESS, "not positive semidefinite");
    scene_restart(f);
    two_joints(f);
    ifd_builder_initial(f->builder, 1, 0, 0.1);
    scene_refused(f, IFD_MASSLESS, "cannot have an initial velocity");
    scene_restart(f);
    u = mass(f);
    a = ifd_builder_dof(f->builder, "a", IFD_DOF_X);
    b = branch(f, u, "b", 3000, 300);
    ifd_builder_spring(f->builder, IFD_DAMPING, a, b, 100);
    ifd_builder_initial(f->builder, a, 0.001, 0);
    scene_refused(f, IFD_MASSLESS, "dashpots connect it to dofs with a given initial displacement");
}

/* The rows of first-order dofs are linear: whatever else acts there is refused by name, with what to do. */
TEST_WITH(elements_that_are_not_linear_are_refused_on_first_order_dofs, scene_open, scene_close)
{
    static const struct {
        const char *kind, *first, *second;
        double a, b;
    } of[] = {{"bilinear", "stiffness", "yield", 500, 0.003},
              {"cubic-spring", "stiffness", "epsilon", 500, 100},
              {"gap", "stiffness", "gap", 500, 0.001},
              {"power-dashpot", "coefficient", "exponent", 50, 0.5}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++)
        for (int grounded = 0; grounded < 2; grounded++) {
            scene *f = *state;
            scene_restart(f);
            int u = mass(f), j = branch(f, u, "j", 3000, 300), refs[2] = {grounded ? IFD_GROUND : u, j};
            scene_good(
                f, scene_element(f, of[k].kind, "nl", 1, refs, of[k].first, of[k].a, of[k].second, of[k].b, NULL));
            scene_refused(f, IFD_MASSLESS, "dof 'j' has no mass, but element 'nl'");
            assert_string_equal(f->note.first->hint, "give this dof mass, or use an element 'maxwell' for a "
                                                     "spring and a dashpot in series");
        }
}

/* Substitution does not converge for a state that relaxes within a step: explicit methods refuse it, others work. */
TEST_WITH(too_fast_a_relaxation_is_refused_by_exponential_methods, scene_open, scene_close)
{
    static const char *const refuse[] = {"exponential", "taylor", "exponential-alpha", "mtl"};
    scene *f = *state;
    branch(f, mass(f), "j", 3000, 0.3); /* 10,000 1/s */
    const ifd_model *m = scene_model(f);
    for (int i = 0; i < 4; i++) {
        ifd_step_options opt;
        ifd_stepper *s;
        ifd_step_options_defaults(ifd_method_find(refuse[i]), 1e-3, &opt);
        assert_int_equal(ifd_stepper_make(f->arena, &opt, m, &s, &f->note), IFD_UNSUPPORTED);
        assert_non_null(strstr(f->note.last->text, "relaxes at 10000 1/s, which is too fast for a step of 0.001 s"));
    }
    double exact[3], u[2][3];
    march(f, m, "reference", 100, NULL, exact, NULL);
    for (int level = 0; level < 2; level++)
        march(f, m, "lsrt2", 500 << level, NULL, u[level], NULL);
    assert_near(log2((u[0][2] - exact[2]) / (u[1][2] - exact[2])), 2.0, 0.1, "lsrt2 keeps its order beyond it");
}

TESTS()
