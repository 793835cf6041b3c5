/* SPDX-License-Identifier: MIT */
/* Superelements of space frames: construction, certificate, error in time against the full model, and the times of a
 * step.
 *
 *     bench_superelement [LARGEST]     frames with at most LARGEST dofs, 5000 unless given
 *     bench_superelement million       the frame of 1,000,050 dofs alone
 *
 * Full and reduced model step with LSRT2, h = 1 ms. Forces with 30 lines up to the highest frequency of the reduction
 * act on the six interface dofs, ground motion with 20 lines up to 20 Hz in three directions. Errors are the largest
 * difference of an interface displacement and of an interface rotation, of its peak. The ground motion does not turn
 * the node in the middle: the error of a rotation is that of local motion alone. Times of a step are the best of all.
 * The program ends with status 1 if a limit of its tables is exceeded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <interfield/method.h>
#include <interfield/structures.h>

#include "measure.h"
#include "model/model.h"

enum { INTERFACES = 6, LINES = 30, GROUND_LINES = 20 };

typedef struct size {
    int bays, storeys, dofs, steps;
    int order[4];
    double frequency, shift; /* Hz; shift 0: 0.3 of the frequency */
    double error[3];         /* limit of the displacements for each order, */
    double rotation[3];      /* and of the rotations; 0: none */
    double ratio, cpu;       /* limits: full to reduced step, s of processor time; 0: none */
} size;

static const size sizes[] = {
    {4, 10, 1500, 500, {405, 630, 0}, 50.0, 0.0, {0}, {0}, 0, 0},
    {7, 13, 4992, 500, {405, 801, 0}, 50.0, 0.0, {0}, {0}, 0, 0},
    {12, 20, 20280, 500, {405, 801, 1602, 0}, 50.0, 0.0, {3e-3, 3e-5, 1e-7}, {4e-3, 3e-5, 1e-7}, 300, 60},
    {4, 300, 45000, 500, {405, 594, 0}, 20.0, 15.0, {5e-4, 5e-4}, {0.0, 5e-4}, 0, 0},
    {22, 31, 98394, 50, {405, 801, 0}, 50.0, 37.5, {0}, {0}, 0, 0}};
static const size million = {4, 6667, 1000050, 60, {320, 0}, 20.0, 15.0, {0}, {0}, 0, 0};
static const double MOST_MEMORY = 20e9,
                    MOST_TIME = 600.0; /* bytes, s of processor time: limits of the frame of a million dofs */

static void must(ifd_status status)
{
    if (status == IFD_OK)
        return;
    fprintf(stderr, "%s\n", ifd_status_text(status));
    exit(2);
}

/* What begins now, for a person who waits; to the error stream, beside the table. */
static void progress(const char *what, int number)
{
    static double begin;
    begin = begin > 0.0 ? begin : now();
    fprintf(stderr, "%7.1f s: %s (%d)\n", now() - begin, what, number);
}

static double processor_time(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* A sum of sines as a table: its evaluation costs little beside a step. */
static const ifd_signal *lines(ifd_arena *arena, int count, double amplitude, double highest, int number)
{
    enum { SAMPLES = 1202 };
    const double interval = 0.5e-3, pi = acos(-1.0);
    const ifd_signal *out = NULL;
    double *y = ifd_arena_array(arena, SAMPLES, sizeof *y);
    for (int i = 0; i < SAMPLES; i++)
        for (int k = 0; k < count; k++)
            y[i] += amplitude *
                    sin(2.0 * pi * highest * (k + 1) / count * interval * i + (k * k) * (number + 1.3) + number);
    must(ifd_signal_make_table(arena, &(ifd_samples){.count = SAMPLES, .dt = interval, .value = y},
                               IFD_INTERPOLATE_LINEAR, &out, NULL));
    return out;
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
        ifd_builder_ground(b, (ifd_dof_kind)d, lines(arena, GROUND_LINES, 1.0, 20.0, d));
    for (int i = 0; i < INTERFACES; i++) {
        const char *name = ifd_arena_print(arena, "s%dx%dy%d.%s", s->storeys / 2, s->bays / 2, s->bays / 2, kinds[i]);
        if (!ifd_builder_find(b, name, &interface[i]))
            exit(2);
        ifd_builder_force(b, interface[i], lines(arena, LINES, 1e5, s->frequency, i));
    }
    if (order) {
        ifd_reduction how;
        ifd_reduction_defaults(&how);
        how.frequency = s->frequency;
        how.shift = s->shift > 0.0 ? s->shift : 0.3 * s->frequency;
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

/* keep: memory of the result. */
static history run(ifd_arena *arena, ifd_arena *keep, const ifd_model *m, const size *s, const char *const *name)
{
    const double h = 1e-3;
    history out = {.each = HUGE_VAL};
    ifd_step_options opt;
    ifd_stepper *stepper;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), h, &opt);
    must(ifd_stepper_make(arena, &opt, m, &stepper, NULL));
    double *x = ifd_arena_array(arena, (size_t)ifd_stepper_size(stepper), sizeof *x);
    out.u = ifd_arena_array(keep, (size_t)s->steps * INTERFACES, sizeof *out.u);
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

/* Of the displacements, or of the rotations, which follow them. */
static double difference(const history *a, const history *b, int steps, bool rotations)
{
    double worst = 0.0;
    for (int i = rotations ? 3 : 0; i < (rotations ? INTERFACES : 3); i++) {
        double peak = 0.0, off = 0.0;
        for (int k = 0; k < steps; k++) {
            peak = fmax(peak, fabs(a->u[k * INTERFACES + i]));
            off = fmax(off, fabs(a->u[k * INTERFACES + i] - b->u[k * INTERFACES + i]));
        }
        worst = fmax(worst, peak > 0.0 ? off / peak : 0.0);
    }
    return worst;
}

static void names(ifd_arena *arena, const size *s, const char *name[INTERFACES])
{
    static const char *const kinds[] = {"x", "y", "z", "rx", "ry", "rz"};
    for (int i = 0; i < INTERFACES; i++)
        name[i] = ifd_arena_print(arena, "s%dx%dy%d.%s", s->storeys / 2, s->bays / 2, s->bays / 2, kinds[i]);
}

/* The step of the first order must not depend on the size of the full structure by more than 10 %. */
static bool same_step(double each)
{
    static double least = HUGE_VAL, most = 0.0;
    least = fmin(least, each);
    most = fmax(most, each);
    return most <= 1.1 * least;
}

static bool measure(const size *s)
{
    bool good = true;
    ifd_arena *arena = ifd_arena_open(), *keep = ifd_arena_open();
    const char *name[INTERFACES];
    names(keep, s, name);
    progress("full model", s->dofs);
    const ifd_model *full = frame_model(arena, s, 0);
    progress("its steps", s->steps);
    history exact = run(arena, keep, full, s, name);
    ifd_arena_close(arena);
    for (int k = 0; s->order[k]; k++) {
        ifd_arena *own = ifd_arena_open();
        double wall = now(), cpu = processor_time();
        progress("superelement of order", s->order[k]);
        const ifd_model *small = frame_model(own, s, s->order[k]);
        wall = now() - wall;
        cpu = processor_time() - cpu;
        history reduced = run(own, own, small, s, name);
        const ifd_reduced *bound = ifd_model_reduced(small);
        double error = difference(&exact, &reduced, s->steps, false), ratio = exact.each / reduced.each;
        double rotation = difference(&exact, &reduced, s->steps, true);
        printf("%3d x %d x %-4d %7d %6d %9.1f %9.1f %9.1e %9.1e %9.1e %10.1f %8.1f %7.0f\n", s->bays, s->bays,
               s->storeys, bound->full, bound->order, wall, cpu, bound->bound, error, rotation, 1e6 * exact.each,
               1e6 * reduced.each, ratio);
        fflush(stdout);
        good = good && (!(s->error[k] > 0.0) || error <= s->error[k]) &&
               (!(s->rotation[k] > 0.0) || rotation <= s->rotation[k]) && ratio >= s->ratio &&
               (!(s->cpu > 0.0) || cpu <= s->cpu);
        good = (k || s->order[0] != sizes[0].order[0] || same_step(reduced.each)) && good;
        ifd_arena_close(own);
    }
    ifd_arena_close(keep);
    return good;
}

static bool measure_million(void)
{
    struct rusage usage;
    bool good = measure(&million);
    getrusage(RUSAGE_SELF, &usage);
    double memory = 1024.0 * (double)usage.ru_maxrss, time = processor_time();
    printf("memory %.1f GB, processor time %.0f s, with the full model and its steps\n", 1e-9 * memory, time);
    return good && memory < MOST_MEMORY && time < MOST_TIME;
}

int main(int argc, char **argv)
{
    bool good = true, all = argc > 1 && strcmp(argv[1], "million") == 0;
    int largest = argc > 1 ? atoi(argv[1]) : 5000;
    printf("%-12s %7s %6s %9s %9s %9s %9s %9s %10s %8s %7s\n", "frame", "dofs", "order", "wall s", "cpu s", "bound",
           "displ.", "rotation", "full us", "us", "ratio");
    if (all)
        good = measure_million();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !all; i++)
        if (sizes[i].dofs <= largest)
            good = measure(&sizes[i]) && good;
    puts(good ? "all limits hold" : "a limit is exceeded");
    return good ? 0 : 1;
}
