/* SPDX-License-Identifier: MIT */
/* Steps of two models of the tower side by side. Include check.h and fixture.h before. */
#pragma once

#include <interfield/method.h>

#include "tower.h"

/* Several frequencies of one amplitude. */
__attribute__((unused)) static const ifd_signal *shaking(double amplitude)
{
    const ifd_signal *term[4], *sum = NULL;
    static const double hertz[] = {1.3, 4.1, 9.7, 17.3};
    for (int i = 0; i < 4; i++)
        term[i] = sine(amplitude, hertz[i]);
    assert_int_equal(ifd_signal_make_sum(arena, 4, term, NULL, NULL, &sum), IFD_OK);
    return sum;
}

__attribute__((unused)) static void add_brace(ifd_builder *b, const char *from, const char *to)
{
    const ifd_element_ops *ops = ifd_element_find("bouc-wen");
    const int ref[] = {ref_of(b, from), ref_of(b, to)};
    const double coefficient[] = {-1.0, 1.0};
    const ifd_coordinate q = {.count = 2, .ref = ref, .coefficient = coefficient};
    ifd_value v[16];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "stiffness")] = ifd_number(2e7);
    v[ifd_param_find(ops->params, "beta")] = ifd_number(2000.0);
    v[ifd_param_find(ops->params, "gamma")] = ifd_number(2000.0);
    assert_int_equal(ifd_builder_element(b, ops, "brace", &(ifd_coordinates){1, &q}, v, &note), IFD_OK);
}

/* Displacement of a dof by name, also of a condensed one. */
static double displacement(const ifd_model *m, const char *name, double t, const double *x)
{
    int dof = ifd_model_find_dof(m, name);
    if (dof >= 0)
        return x[dof];
    for (int i = 0; i < m->ngone; i++)
        if (strcmp(m->gone[i], name) == 0)
            return ifd__model_gone(m, i, t, x, x + 2 * m->n);
    fail_msg("no dof '%s'", name);
    return 0.0;
}

typedef struct run {
    const ifd_model *m;
    ifd_stepper *s;
    double *x;
} run;

static run run_make(const ifd_model *m, const char *method, double h)
{
    run r = {.m = m};
    ifd_step_options opt;
    ifd_step_options_defaults(ifd_method_find(method), h, &opt);
    assert_int_equal(ifd_stepper_make(arena, &opt, m, &r.s, &note), IFD_OK);
    r.x = ifd_arena_array(arena, (size_t)ifd_stepper_size(r.s), sizeof *r.x);
    ifd_stepper_initial(r.s, r.x);
    ifd_stepper_start(r.s, 0.0, NULL, r.x);
    return r;
}

/* The largest difference of the dofs over all steps, of the largest displacement of each. */
__attribute__((unused)) static double difference(const ifd_model *full, const ifd_model *small, const char *method,
                                                 int steps, const char *const *dof)
{
    const double h = 2e-3;
    run a = run_make(full, method, h), b = run_make(small, method, h);
    double peak[8] = {0.0}, off[8] = {0.0}, worst = 0.0;
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < ifd_stepper_stages(a.s); i++) {
            ifd_stepper_stage(a.s, i, h * k, NULL, a.x);
            ifd_stepper_stage(b.s, i, h * k, NULL, b.x);
        }
        for (int i = 0; dof[i]; i++) {
            double u = displacement(full, dof[i], h * (k + 1), a.x);
            peak[i] = fmax(peak[i], fabs(u));
            off[i] = fmax(off[i], fabs(u - displacement(small, dof[i], h * (k + 1), b.x)));
        }
    }
    for (int i = 0; dof[i]; i++)
        worst = fmax(worst, off[i] / peak[i]);
    assert_true(peak[0] > 0.0);
    return worst;
}
