/* SPDX-License-Identifier: MIT */
/* Superelements of space frames: construction, certificate, error in time against the full model, and the times of a
 * step.
 *
 *     bench_superelement [LARGEST]     frames with at most LARGEST dofs, 5000 unless given
 *
 * Full and reduced model step with LSRT2, h = 1 ms, under ground motion in three directions: 30 lines up to 50 Hz.
 * The error is the largest difference of an interface displacement, of its peak. The interface is a node without
 * symmetry. Times are the best of several. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <interfield/method.h>
#include <interfield/structures.h>

#include "measure.h"
#include "model/model.h"

enum { INTERFACES = 6, LINES = 30 };

typedef struct size {
    int bays, storeys, dofs, steps;
    int order[4];
    double frequency, shift; /* Hz; shift 0: chosen */
} size;

static const size sizes[] = {{4, 10, 1500, 500, {405, 630, 0}, 50.0, 0.0},
                             {7, 13, 4992, 500, {405, 801, 0}, 50.0, 0.0},
                             {12, 20, 20280, 500, {405, 801, 1602, 0}, 50.0, 0.0},
                             {4, 300, 45000, 300, {405, 0}, 20.0, 15.0},
                             {22, 31, 98394, 50, {405, 801, 0}, 50.0, 37.5}};

static void must(ifd_status status)
{
    if (status == IFD_OK)
        return;
    fprintf(stderr, "%s\n", ifd_status_text(status));
    exit(2);
}

static double processor_time(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static const ifd_signal *shaking(ifd_arena *arena, int direction, double highest)
{
    const ifd_signal *term[LINES], *sum = NULL;
    const ifd_signal_kind *kind = ifd_signal_find("sine");
    for (int k = 0; k < LINES; k++) {
        ifd_value v[IFD_SIGNAL_PARAMS];
        ifd_param_preset(kind->params, v);
        v[ifd_param_find(kind->params, "amplitude")] = ifd_number(1.0);
        v[ifd_param_find(kind->params, "frequency")] = ifd_number(highest * (k + 1) / LINES);
        v[ifd_param_find(kind->params, "phase")] = ifd_number((k * k) * (direction + 1.3) + direction);
        must(ifd_signal_make(arena, kind, v, NULL, &term[k], NULL));
    }
    must(ifd_signal_make_sum(arena, LINES, term, NULL, NULL, &sum));
    return sum;
}

static ifd_model *frame_model(ifd_arena *arena, const size *s, int order)
{
    static const char *const kinds[] = {"x", "y", "z", "rx", "ry", "rz"};
    ifd_grid grid;
    ifd_frame frame;
    ifd_model *m;
    ifd_builder *b = ifd_builder_make(arena);
    int interface[INTERFACES];
    ifd_grid_defaults(&grid);
    grid.planar = false;
    grid.bays_x = grid.bays_y = s->bays;
    grid.storeys = s->storeys;
    grid.column = ifd_section_rectangle(0.5, 0.5);
    grid.beam = ifd_section_rectangle(0.3, 0.6);
    must(ifd_frame_grid(arena, &grid, &frame, NULL));
    must(ifd_builder_frame(b, &frame, NULL));
    ifd_builder_rayleigh(b, 0.3, 6e-4);
    for (int d = 0; d < 3; d++)
        ifd_builder_ground(b, (ifd_dof_kind)d, shaking(arena, d, s->frequency));
    for (int i = 0; i < INTERFACES; i++) {
        const char *name = ifd_arena_print(arena, "s%dx%dy%d.%s", s->storeys / 2, s->bays / 2, s->bays / 2, kinds[i]);
        if (!ifd_builder_find(b, name, &interface[i]))
            exit(2);
    }
    if (order) {
        ifd_reduction how;
        ifd_reduction_defaults(&how);
        how.frequency = s->frequency;
        how.shift = s->shift;
        how.order = order;
        how.interfaces = INTERFACES;
        how.interface = interface;
        ifd_builder_reduce(b, &how);
    }
    must(ifd_model_make(arena, b, &m, NULL));
    return m;
}

typedef struct history {
    int interface[INTERFACES];
    double *u;   /* steps x interfaces */
    double each; /* s, the fastest step */
} history;

static history run(ifd_arena *arena, const ifd_model *m, const size *s, const char *const *name)
{
    const double h = 1e-3;
    history out = {.each = HUGE_VAL};
    ifd_step_options opt;
    ifd_stepper *stepper;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), h, &opt);
    must(ifd_stepper_make(arena, &opt, m, &stepper, NULL));
    double *x = ifd_arena_array(arena, (size_t)ifd_stepper_size(stepper), sizeof *x);
    out.u = ifd_arena_array(arena, (size_t)s->steps * INTERFACES, sizeof *out.u);
    for (int i = 0; i < INTERFACES; i++)
        out.interface[i] = ifd_model_find_dof(m, name[i]);
    ifd_stepper_initial(stepper, x);
    ifd_stepper_start(stepper, 0.0, NULL, x);
    for (int k = 0; k < s->steps; k++) {
        double t0 = now();
        for (int i = 0; i < ifd_stepper_stages(stepper); i++)
            ifd_stepper_stage(stepper, i, h * k, NULL, x);
        out.each = fmin(out.each, now() - t0);
        for (int i = 0; i < INTERFACES; i++)
            out.u[k * INTERFACES + i] = x[out.interface[i]];
    }
    return out;
}

static double difference(const history *a, const history *b, int steps)
{
    double worst = 0.0;
    for (int i = 0; i < INTERFACES; i++) {
        double peak = 0.0, off = 0.0;
        for (int k = 0; k < steps; k++) {
            peak = fmax(peak, fabs(a->u[k * INTERFACES + i]));
            off = fmax(off, fabs(a->u[k * INTERFACES + i] - b->u[k * INTERFACES + i]));
        }
        worst = fmax(worst, peak > 0.0 ? off / peak : 0.0);
    }
    return worst;
}

static void measure(const size *s)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_model *full = frame_model(arena, s, 0);
    const char *name[INTERFACES];
    static const char *const kinds[] = {"x", "y", "z", "rx", "ry", "rz"};
    for (int i = 0; i < INTERFACES; i++)
        name[i] = ifd_arena_print(arena, "s%dx%dy%d.%s", s->storeys / 2, s->bays / 2, s->bays / 2, kinds[i]);
    history exact = run(arena, full, s, name);
    for (int k = 0; s->order[k]; k++) {
        ifd_arena *own = ifd_arena_open();
        double wall = now(), cpu = processor_time();
        const ifd_model *small = frame_model(own, s, s->order[k]);
        wall = now() - wall;
        cpu = processor_time() - cpu;
        history reduced = run(own, small, s, name);
        const ifd_reduced *bound = ifd_model_reduced(small);
        printf("%3d x %d x %-4d %7d %6d %9.1f %9.1f %9.1e %9.1e %10.1f %8.1f %7.0f\n", s->bays, s->bays, s->storeys,
               bound->full, bound->order, wall, cpu, bound->bound, difference(&exact, &reduced, s->steps),
               1e6 * exact.each, 1e6 * reduced.each, exact.each / reduced.each);
        fflush(stdout);
        ifd_arena_close(own);
    }
    ifd_arena_close(arena);
}

int main(int argc, char **argv)
{
    int largest = argc > 1 ? atoi(argv[1]) : 5000;
    printf("%-12s %7s %6s %9s %9s %9s %9s %10s %8s %7s\n", "frame", "dofs", "order", "wall s", "cpu s", "bound",
           "error", "full us", "us", "ratio");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].dofs <= largest)
            measure(&sizes[i]);
    return 0;
}
