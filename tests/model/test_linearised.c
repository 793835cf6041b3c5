/* SPDX-License-Identifier: MIT */
/* The tangent at rest of an element against its law: the initial stiffness, also where the law has a kink. */
#include "check.h"

#include <string.h>

#include "model/element.h"
#include "model/linearised.h"

typedef struct parameter {
    const char *name;
    double number;
} parameter;

/* Stiffness and damping of the tangent of an element with these parameters, at q0. */
static void tangent(const char *name, int count, const parameter *given, double q0, double *k, double *c)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_element_ops *ops = ifd_element_find(name);
    ifd_value *values = ifd_arena_array(arena, 16, sizeof *values);
    double pair[2] = {0};
    ifd_param_preset(ops->params, values);
    for (int i = 0; i < count; i++) {
        if (strcmp(given[i].name, "slider") == 0) { /* one row [stiffness, yield] */
            pair[0] = given[i].number;
            pair[1] = 1e-6;
            values[ifd_param_find(ops->params, "sliders")] = (ifd_value){.rows = 1, .cols = 2, .data = pair};
            continue;
        }
        int at = ifd_param_find(ops->params, given[i].name);
        assert_true(at >= 0);
        values[at] = ifd_number(given[i].number);
    }
    const ifd_element_ops *linear = ifd__linearised_specimen(arena, ops, q0, 1.0);
    ifd_element e = {.ops = linear, .name = name, .nq = 1};
    assert_true(ifd__linearisable(ops));
    assert_int_equal(linear->make(&e, values, arena, NULL), IFD_OK);
    assert_int_equal(e.ns, 0);
    assert_true(ifd__linearised(&e));
    double q = q0, v = 0.0, a = 0.0, r[2] = {0};
    *k = *c = 0.0;
    linear->eval(&e, &(ifd_element_in){.q = &q, .qd = &v, .qdd = &a}, &(ifd_element_out){.r = r, .r_q = k, .r_v = c});
    q += 0.25; /* far away it is still linear */
    v = 2.0;
    linear->eval(&e, &(ifd_element_in){.q = &q, .qd = &v, .qdd = &a}, &(ifd_element_out){.r = r + 1});
    assert_near_rel(r[1] - r[0], 0.25 * *k + 2.0 * *c, 1e-12, "%s: linear", name);
    ifd_arena_close(arena);
}

TEST(hysteresis_has_its_initial_stiffness)
{
    const parameter bouc_wen[] = {{"stiffness", 2e5}, {"alpha", 0.1}, {"beta", 5e4}, {"gamma", -2e4}, {"n", 1}};
    const parameter bilinear[] = {{"stiffness", 2e5}, {"ratio", 0.05}, {"yield", 1e-7}};
    const parameter sliders[] = {{"slider", 1.5e5}, {"spring", 5e4}};
    double k, c;
    (void)state;
    tangent("bouc-wen", 5, bouc_wen, 0.0, &k, &c);
    assert_near_rel(k, 2e5, 1e-15, "Bouc-Wen");
    tangent("bilinear", 3, bilinear, 0.0, &k, &c);
    assert_near_rel(k, 2e5, 1e-15, "bilinear, yields after less than a probe would move it");
    tangent("sliders", 2, sliders, 0.0, &k, &c);
    assert_near_rel(k, 2e5, 1e-15, "slider and spring");
    assert_near(c, 0.0, 0.0, "no damping");
}

/* A contact that just closes has two tangents, 0 and k: the stiffer decides about stability. */
TEST(a_kink_at_rest_gives_the_stiffer_side)
{
    const parameter contact[] = {{"stiffness", 3e6}, {"gap", 0.0}}, open[] = {{"stiffness", 3e6}, {"gap", 1e-3}};
    double k, c;
    (void)state;
    tangent("gap", 2, contact, 0.0, &k, &c);
    assert_near(k, 3e6, 0.0, "closed on one side");
    tangent("gap", 2, open, 0.0, &k, &c);
    assert_near(k, 0.0, 0.0, "open");
    tangent("gap", 2, open, 2e-3, &k, &c);
    assert_near(k, 3e6, 0.0, "pressed in");
}

TEST(smooth_laws_have_their_derivative)
{
    const parameter cubic[] = {{"stiffness", 1e4}, {"epsilon", 400.0}};
    const parameter power[] = {{"coefficient", 10.0}, {"exponent", 0.5}, {"smoothing", 1e-2}};
    double k, c;
    (void)state;
    tangent("cubic-spring", 2, cubic, 0.05, &k, &c);
    assert_near_rel(k, 1e4 * (1 + 3 * 400.0 * 0.05 * 0.05), 1e-7, "k (1 + 3 eps q^2), within 1 nm");
    tangent("power-dashpot", 3, power, 0.0, &k, &c);
    assert_near(k, 0.0, 0.0, "no stiffness");
    assert_near_rel(c, 10.0 / sqrt(1e-2), 1e-14, "c v0^(a - 1)");
}

TESTS()
