/* SPDX-License-Identifier: MIT */
/* Ensemble stepping: a step of one variant in a block of eight against a step of the variant alone with the ordinary
 * kernels. LSRT2, h = 1 ms, Bouc-Wen braces with a frozen Jacobian. Both are measured in turn in one run. */
#include <interfield/method.h>
#include <interfield/structures.h>

#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "method/ensemble.h"

enum { L = IFD__LANES, ROUNDS = 40 };

typedef struct size {
    int bays_x, bays_y, storeys, braces;
    double least; /* gain to be reached; 0: stated only */
} size;

static const size sizes[] = {{1, 1, 2, 0, 0},      {1, 1, 8, 0, 0},      {1, 1, 8, 19, 0},       {2, 2, 7, 0, 0},
                             {2, 2, 7, 38, 0},     {4, 4, 10, 0, 2.2},   {4, 4, 10, 150, 2.5},   {7, 7, 13, 0, 2.2},
                             {7, 7, 13, 499, 2.5}, {12, 12, 20, 0, 2.2}, {12, 12, 20, 2028, 2.5}};

static void must(bool ok)
{
    if (!ok)
        exit(2);
}

/* Bouc-Wen braces between dofs of adjacent storeys, evenly distributed over their columns and both directions. */
static void add_braces(ifd_builder *b, const size *s, int variant)
{
    const ifd_element_ops *ops = ifd_element_find("bouc-wen");
    const double coefficient[] = {-1.0, 1.0};
    ifd_value v[16];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "stiffness")] = ifd_number(2e7);
    v[ifd_param_find(ops->params, "beta")] = ifd_number(500.0 + 20.0 * variant);
    v[ifd_param_find(ops->params, "gamma")] = ifd_number(500.0);
    int columns = (s->bays_x + 1) * (s->bays_y + 1), all = columns * (s->storeys - 1);
    for (int k = 0; k < s->braces; k++) {
        int at = (int)((long)k * 2 * all / s->braces), c = at / 2 % columns, z = 1 + at / 2 / columns, ref[2];
        char name[64], label[32];
        for (int e = 0; e < 2; e++) {
            snprintf(name, sizeof name, "s%dx%dy%d.%c", z + e, 1 + c % (s->bays_x + 1), 1 + c / (s->bays_x + 1),
                     at % 2 ? 'y' : 'x');
            must(ifd_builder_find(b, name, &ref[e]));
        }
        const ifd_coordinate q = {.count = 2, .ref = ref, .coefficient = coefficient};
        snprintf(label, sizeof label, "brace%d", k);
        must(ifd_builder_element(b, ops, label, &(ifd_coordinates){1, &q}, v, NULL) == IFD_OK);
    }
}

static ifd_stepper *stepper_of(ifd_arena *arena, const size *s, int variant)
{
    ifd_grid grid;
    ifd_frame frame;
    ifd_grid_defaults(&grid);
    grid.planar = false;
    grid.bays_x = s->bays_x;
    grid.bays_y = s->bays_y;
    grid.storeys = s->storeys;
    grid.column = ifd_section_rectangle(0.5, 0.5);
    grid.beam = ifd_section_rectangle(0.3, 0.6);
    ifd_builder *b = ifd_builder_make(arena);
    ifd_model *m = NULL;
    must(ifd_frame_grid(arena, &grid, &frame, NULL) == IFD_OK && ifd_builder_frame(b, &frame, NULL) == IFD_OK);
    add_braces(b, s, variant);
    ifd_builder_rayleigh(b, 0.3, 6e-4);
    const ifd_signal_kind *kind = ifd_signal_find("sine");
    const ifd_signal *motion;
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(kind->params, v);
    v[ifd_param_find(kind->params, "amplitude")] = ifd_number(2.0 + 0.3 * variant);
    v[ifd_param_find(kind->params, "frequency")] = ifd_number(1.0 + 0.1 * variant);
    must(ifd_signal_make(arena, kind, v, NULL, &motion, NULL) == IFD_OK);
    ifd_builder_ground(b, IFD_DOF_X, motion);
    must(ifd_model_make(arena, b, &m, NULL) == IFD_OK);
    ifd_step_options opt;
    ifd_stepper *stepper;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 1e-3, &opt);
    ifd_step_options_set(&opt, "jacobian", ifd_word("frozen"));
    must(ifd_stepper_make(arena, &opt, m, &stepper, NULL) == IFD_OK);
    return stepper;
}

static double ordinary(const ifd_stepper *s, int from, int steps, double *x)
{
    double t0 = 0.0;
    for (int k = from; k <= from + steps; k++) { /* the first step loads the caches */
        t0 = k == from + 1 ? now() : t0;
        for (int i = 0; i < 2; i++)
            ifd_stepper_stage(s, i, 1e-3 * k, NULL, x);
    }
    return (now() - t0) / steps;
}

static double in_block(ifd__ensemble *e, int from, int steps, double **x)
{
    ifd__lane_task lane[L];
    double t0 = 0.0;
    for (int k = from; k <= from + steps; k++) {
        t0 = k == from + 1 ? now() : t0;
        for (int l = 0; l < L; l++)
            lane[l] = (ifd__lane_task){x[l], NULL, 1e-3 * k};
        ifd__ensemble_stages(e, 0, 2, lane);
    }
    return (now() - t0) / steps / L;
}

static bool measure(const size *s)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_stepper *member[L];
    double *x[L], *y = NULL, alone = 1e30, each = 1e30;
    for (int l = 0; l < L; l++) {
        member[l] = stepper_of(arena, s, l);
        x[l] = ifd_arena_array(arena, (size_t)ifd_stepper_size(member[l]), sizeof **x);
        ifd_stepper_initial(member[l], x[l]);
        must(!ifd__ensemble_refuses(member[l]) && ifd__ensemble_joins(member[0], member[l]));
    }
    y = ifd_arena_array(arena, (size_t)ifd_stepper_size(member[0]), sizeof *y);
    ifd_stepper_initial(member[0], y);
    ifd__ensemble *e;
    must(ifd__ensemble_make(arena, member, ifd__lanes_best(), &e, NULL) == IFD_OK);
    int n = ifd_model_dofs(ifd_stepper_model(member[0])), steps = n < 500 ? 200 : n < 3000 ? 20 : n < 10000 ? 4 : 1;
    for (int round = 0; round < ROUNDS; round++) {
        double a = ordinary(member[0], round * steps, steps, y), b = in_block(e, round * steps, steps, x);
        alone = a < alone ? a : alone;
        each = b < each ? b : each;
    }
    bool good = alone / each >= s->least;
    printf("%8d %8d %14.2f %14.2f %8.2f", n, s->braces, 1e6 * alone, 1e6 * each, alone / each);
    if (s->least > 0)
        printf("   at least %.1f: %s", s->least, good ? "reached" : "NOT reached");
    printf("\n");
    ifd_arena_close(arena);
    return good;
}

int main(void)
{
    printf("LSRT2, one step of one variant, kernels %s\n%8s %8s %14s %14s %8s\n", ifd__lanes_best()->name, "dofs",
           "braces", "alone us", "in a block us", "gain");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        measure(&sizes[k]);
    return 0;
}
