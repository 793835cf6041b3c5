/* SPDX-License-Identifier: MIT */
/* Cost of a step with extrapolated interface forces, compared with the staggered coupling of the same structures, and
 * cost of the extrapolation alone. A chain of masses carries another chain; the interface is between them. Every time
 * is the shortest of several rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <interfield/couple.h>

#include "couple/coupled.h"

enum { ROUNDS = 30, STEPS = 400 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void refuse(const char *what, ifd_status status)
{
    fprintf(stderr, "%s: %s\n", what, ifd_status_text(status));
    exit(1);
}

/* n masses in a row above `foot`. */
static ifd_model *chain(ifd_arena *arena, int n, bool on_support, bool joint_mass)
{
    ifd_builder *b = ifd_builder_make(arena);
    const ifd_signal *still = NULL;
    ifd_model *m = NULL;
    int foot = IFD_GROUND, first = joint_mass ? 1 : 0;
    if (ifd_signal_make_sum(arena, 0, NULL, NULL, NULL, &still) != IFD_OK)
        refuse("signal", IFD_NO_MEMORY);
    if (on_support)
        foot = ifd_builder_support(b, "foot", still);
    for (int i = 0; i < n + first; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        int x = ifd_builder_dof(b, name, IFD_DOF_X);
        ifd_builder_add(b, IFD_MASS, x, x, i < first ? 0.5 : 1.0);
        if (i >= first) {
            ifd_builder_spring(b, IFD_STIFFNESS, i ? x - 1 : foot, x, 4000.0);
            ifd_builder_spring(b, IFD_DAMPING, i ? x - 1 : foot, x, 2.0);
        }
        ifd_builder_initial(b, x, 0.0, i >= first ? 0.01 : 0.0);
    }
    ifd_status status = ifd_model_make(arena, b, &m, NULL);
    if (status != IFD_OK)
        refuse("model", status);
    return m;
}

/* Seconds per step, without the start. */
static double cost(ifd_arena *arena, const ifd_couple_options *opt, int start)
{
    ifd__coupled *c = NULL;
    double best = 1e9, t;
    long step = 0;
    ifd_status status = ifd__coupled_make(arena, opt, &c, NULL);
    if (status != IFD_OK)
        refuse(opt->coupling->name, status);
    double *x = ifd_arena_array(arena, (size_t)c->size, sizeof *x);
    ifd__coupled_initial(c, x);
    ifd__coupled_start(c, 0.0, x);
    for (int round = -1; round < ROUNDS; round++) {
        t = now();
        for (int k = 0; k < (round < 0 ? start : STEPS); k++, step++)
            for (int i = 0; i < c->ticks; i++)
                ifd__coupled_tick(c, i, c->h * (double)step, x);
        t = (now() - t) / STEPS;
        best = round >= 0 && t < best ? t : best;
    }
    ifd__coupled_close(c);
    return best;
}

static ifd_step_options method(const char *name)
{
    ifd_step_options opt;
    ifd_step_options_defaults(ifd_method_find(name), 1e-3, &opt);
    return opt;
}

static void compare(int n)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_part_options linked[2] = {
        {.name = "low", .model = chain(arena, n, false, false), .step = method("exponential")},
        {.name = "high", .model = chain(arena, n, true, false), .step = method("exponential")}};
    ifd_rts_link link = {.name = "cut", .leader = 0, .dof = n - 1, .follower = 1, .support = 0};
    ifd_rts_options rts;
    ifd_rts_options_defaults(&rts);
    rts.links = 1;
    rts.link = &link;
    ifd_couple_options extrapolated = {
        .coupling = ifd_coupling_find("rts"), .h = 1e-3, .parts = 2, .part = linked, .rts = &rts};
    ifd_part_options joined[2] = {{.name = "low", .model = linked[0].model, .step = method("lsrt2")},
                                  {.name = "high", .model = chain(arena, n, false, true), .step = method("lsrt2")}};
    ifd_joint_term term[2] = {{0, n - 1, 1.0}, {1, 0, -1.0}};
    ifd_joint joint = {.name = "cut", .terms = 2, .term = term};
    ifd_couple_options staggered = {.coupling = ifd_coupling_find("staggered"),
                                    .h = 1e-3,
                                    .parts = 2,
                                    .part = joined,
                                    .joints = 1,
                                    .joint = &joint,
                                    .project_start = true};
    double a = cost(arena, &extrapolated, 100), b = cost(arena, &staggered, 100);
    printf("%8d   %12.2f   %15.2f   %8.2f\n", 2 * n, 1e6 * a, 1e6 * b, a / b);
    ifd_arena_close(arena);
}

static void extrapolation(int columns)
{
    enum { TIMES = 20000 };
    ifd_arena *arena = ifd_arena_open();
    ifd_extrapolate_options opt;
    ifd_extrapolation *e = NULL;
    ifd_extrapolate_options_defaults(ifd_extrapolator_find("reproducing-kernel"), 10, 3, &opt);
    if (ifd_extrapolation_make(arena, &opt, &e, NULL) != IFD_OK)
        refuse("extrapolation", IFD_INTERNAL);
    double *past = ifd_arena_array(arena, 10 * (size_t)columns, sizeof *past), best = 1e9, sum = 0.0;
    double *ahead = ifd_arena_array(arena, 3 * (size_t)columns, sizeof *ahead);
    for (int round = 0; round < ROUNDS; round++) {
        double t = now();
        for (int k = 0; k < TIMES; k++) {
            past[k % columns] = k;
            ifd_extrapolate(e, columns, past, ahead);
            sum += ahead[0];
        }
        t = (now() - t) / TIMES;
        best = t < best ? t : best;
    }
    printf("%8d   %12.0f   %15.2f%s\n", columns, 1e9 * best, 1e9 * best / columns, sum == 0.5 ? " " : "");
    ifd_arena_close(arena);
}

int main(void)
{
    printf("microseconds per step, two equal chains, one cut, h = 1 ms\n");
    printf("    dofs   extrapolated   staggered LSRT2      ratio\n");
    for (int n = 1; n <= 128; n *= 4)
        compare(n);
    printf("\nextrapolation, reproducing kernel, 10 past, 3 ahead\n");
    printf("columns     ns per use    ns per column\n");
    for (int columns = 1; columns <= 64; columns *= 4)
        extrapolation(columns);
    return 0;
}
