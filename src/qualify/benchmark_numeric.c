/* SPDX-License-Identifier: MIT */
/* The numerical substructure of the benchmark: exact for a held force and linear ground, as the benchmark defines
 * it, or by a method. */
#include "qualify/benchmark.h"

#include <string.h>

static const double tick = 1.0 / IFD_RTHS_RATE;

static void add_matrices(ifd_builder *b, const ifd__building *of, const double specimen[3])
{
    static const char *const name[3] = {"floor1", "floor2", "floor3"};
    for (int i = 0; i < 3; i++)
        ifd_builder_dof(b, name[i], IFD_DOF_X);
    for (int i = 0; i < 3; i++) {
        ifd_builder_add(b, IFD_MASS, i, i, of->m - (i == 0 ? specimen[0] : 0.0));
        for (int j = 0; j < 3; j++) {
            bool first = i == 0 && j == 0;
            ifd_builder_add(b, IFD_DAMPING, i, j, of->C[i + 3 * j] - (first ? specimen[1] : 0.0));
            /* One pair of entries of the printed matrix differs in its last digit. */
            double k = 0.5 * (of->K[i + 3 * j] + of->K[j + 3 * i]);
            ifd_builder_add(b, IFD_STIFFNESS, i, j, k - (first ? specimen[2] : 0.0));
        }
    }
}

/* The ground acts on the full mass, including that of the specimen, which gives a force on the first floor. */
static ifd_status make_model(const ifd_rths_options *opt, const ifd__building *of, const double specimen[3],
                             ifd_arena *arena, ifd_model **out, ifd_note *note)
{
    const ifd_signal *ground, *share;
    double mass = -specimen[0] * opt->scale;
    IFD_TRY(ifd_signal_make_sum(arena, 1, &opt->ground, &opt->scale, NULL, &ground));
    IFD_TRY(ifd_signal_make_sum(arena, 1, &opt->ground, &mass, NULL, &share));
    ifd_builder *b = ifd_builder_make(arena);
    if (!b)
        return IFD_NO_MEMORY;
    add_matrices(b, of, specimen);
    ifd_builder_ground(b, IFD_DOF_X, ground);
    ifd_builder_force(b, 0, share);
    return ifd_model_make(arena, b, out, note);
}

static ifd_status make_stepper(const ifd_rths_options *opt, const ifd__building *of, const double specimen[3],
                               ifd_arena *arena, ifd__rths_numeric *n, ifd_note *note)
{
    const ifd_method *method = ifd_method_find(opt->method);
    if (!method)
        return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "there is no method '%s' (interfield list methods)",
                            opt->method);
    ifd_model *model;
    ifd_step_options step;
    IFD_TRY(make_model(opt, of, specimen, arena, &model, note));
    ifd_step_options_defaults(method, tick, &step);
    IFD_TRY(ifd__substructure_make(arena, &(ifd__substructure_options){.model = model, .step = &step}, &n->s, note));
    n->x = ifd_arena_array(arena, (size_t)n->s.size, sizeof *n->x);
    if (!n->x)
        return IFD_NO_MEMORY;
    n->s.ops->initial(&n->s, n->x);
    ifd__substructure_begin(&n->s, n->x);
    n->s.model[0].load = n->load; /* known at the start of a tick, which is one step: constant in all stages */
    return IFD_OK;
}

ifd_status ifd__rths_numeric_make(const ifd_rths_options *opt, const ifd__building *of, const double specimen[3],
                                  ifd_arena *arena, ifd__rths_numeric *n, ifd_note *note)
{
    memset(n, 0, sizeof *n);
    ifd__building_system(of->m, specimen, of->K, of->C, n->A, n->B);
    if (opt->method)
        return make_stepper(opt, of, specimen, arena, n, note);
    return ifd__discretisation_make(arena, &(ifd__continuous){6, 2, n->A, n->B}, tick, &n->hold);
}

void ifd__rths_numeric_step(ifd__rths_numeric *n, int k, const double ug[2], double f)
{
    if (!n->s.stepper) {
        const double w0[2] = {ug[0], f}, w1[2] = {ug[1], f};
        ifd__discretisation_step(&n->hold, w0, w1, n->z);
        return;
    }
    double step = k;
    n->load[0] = -f;
    n->s.ops->exchange(&n->s, 0, &step, n->x);
    memcpy(n->z, n->x, sizeof n->z);
}

double ifd__rths_acceleration(const ifd__rths_numeric *n, double ug, double f)
{
    double a = n->B[3] * ug + n->B[3 + 6] * f;
    for (int j = 0; j < 6; j++)
        a += n->A[3 + 6 * j] * n->z[j];
    return a;
}
