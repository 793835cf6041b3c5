/* SPDX-License-Identifier: MIT */
/* Random structures in two parts, for the search of unstable steps: 1 or 2 dofs per part, 1, 2, 4 or 10 subcycles,
 * both gammas, staggered and parallel, half of them undamped. Needs no test library, so that bench_windows uses it
 * too. */
#pragma once

#include <math.h>
#include <string.h>

#include <interfield/analysis.h>

#include "base/random.h"
#include "analysis/probe.h"
#include "analysis/verdict.h"

typedef struct split {
    ifd_part_options part[2];
    ifd_joint joint;
    ifd_joint_term term[2];
    ifd_couple_options couple;
    ifd_run_options run;
    int n[2], ss;
    bool damped, plus;
    double from, to; /* s: the steps searched, a factor of 500 */
} split;

static double log_uniform(ifd__random *r, double low, double high)
{
    return low * pow(high / low, ifd__random_unit(r));
}

/* A chain; held: its end that is not joined is tied to the ground. */
static bool split_part(ifd_arena *arena, ifd__random *r, int n, bool first, bool held, double zeta, ifd_model **out)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_note note;
    ifd_note_init(&note, arena);
    static const char *const name[] = {"x0", "x1"};
    for (int i = 0; i < n; i++)
        ifd_builder_dof(b, name[i], IFD_DOF_X);
    for (int i = 0; i < n; i++) {
        ifd_builder_add(b, IFD_MASS, i, i, log_uniform(r, 0.1, 10.0));
        for (int to = i + 1; to < n; to++) {
            double k = log_uniform(r, 0.1, 100.0);
            ifd_builder_add(b, IFD_STIFFNESS, i, i, k);
            ifd_builder_add(b, IFD_STIFFNESS, to, to, k);
            ifd_builder_add(b, IFD_STIFFNESS, i, to, -k);
            ifd_builder_add(b, IFD_STIFFNESS, to, i, -k);
        }
    }
    if (held) {
        int end = first ? 0 : n - 1;
        ifd_builder_add(b, IFD_STIFFNESS, end, end, log_uniform(r, 0.1, 100.0));
    }
    if (zeta > 0.0)
        ifd_builder_rayleigh(b, 0.0, zeta);
    return ifd_model_make(arena, b, out, &note) == IFD_OK;
}

/* The lowest natural frequency of the whole, rad/s, and coarse step over step. */
static bool split_range(const split *s, double *lowest, double *ratio)
{
    ifd__range r;
    if (ifd__stability_range(&s->run, &r, NULL) != IFD_OK)
        return false;
    *lowest = r.lowest;
    *ratio = r.ratio;
    return true;
}

/* Number `index` of a series; the same on every machine. False when memory is short. */
static bool split_make(ifd_arena *arena, unsigned index, split *s)
{
    static const int subcycles[] = {1, 2, 4, 10};
    ifd__random r;
    double lowest, ratio;
    ifd__random_seed(&r, 1000003u * index + 7u);
    memset(s, 0, sizeof *s);
    bool parallel = ifd__random_unit(&r) < 0.5;
    s->plus = ifd__random_unit(&r) < 0.5;
    s->damped = ifd__random_unit(&r) < 0.5;
    s->ss = subcycles[(int)(4.0 * ifd__random_unit(&r)) & 3];
    double zeta = s->damped ? log_uniform(&r, 1e-4, 1e-2) : 0.0;
    bool both = ifd__random_unit(&r) < 0.7;
    for (int p = 0; p < 2; p++) {
        ifd_model *m;
        s->n[p] = 1 + (ifd__random_unit(&r) < 0.5);
        if (!split_part(arena, &r, s->n[p], p == 0, p == 0 || both, zeta, &m))
            return false;
        s->part[p] =
            (ifd_part_options){.name = p ? "b" : "a", .model = m, .subcycles = p ? s->ss : 1, .coarse = p == 0};
        ifd_step_options_defaults(ifd_method_find("lsrt2"), 1.0, &s->part[p].step);
        ifd_step_options_set(&s->part[p].step, "gamma", ifd_number(s->plus ? 1.0 + sqrt(0.5) : 1.0 - sqrt(0.5)));
    }
    s->term[0] = (ifd_joint_term){0, s->n[0] - 1, 1.0};
    s->term[1] = (ifd_joint_term){1, 0, -1.0};
    s->joint = (ifd_joint){.name = "joint", .terms = 2, .term = s->term};
    s->couple = (ifd_couple_options){.coupling = ifd_coupling_find(parallel ? "parallel" : "staggered"),
                                     .h = 0.1,
                                     .threads = 1,
                                     .parts = 2,
                                     .part = s->part,
                                     .joints = 1,
                                     .joint = &s->joint};
    s->run = (ifd_run_options){.couple = &s->couple, .end = 1.0};
    if (!split_range(s, &lowest, &ratio))
        return false;
    s->from = 0.2 / (lowest * ratio);
    s->to = 100.0 / (lowest * ratio);
    s->couple.h = s->from;
    return true;
}

/* The spectral radius at step h of options at rest, by the shortest way, and whether it is growth; negative when
 * something failed. */
static double split_radius(const ifd_run_options *rest, double h, bool *grows)
{
    ifd_arena *arena = ifd_arena_open();
    ifd__probed_run p = {0};
    double radius = -1.0;
    ifd_couple_options couple = *rest->couple;
    ifd_run_options moved = *rest;
    couple.h = h;
    moved.couple = &couple;
    if (ifd__probe_run(arena, &moved, &p, NULL) == IFD_OK) {
        size_t n = (size_t)p.probe.n;
        double *A = ifd_arena_array(arena, n * n, sizeof *A), *scale = ifd_arena_array(arena, n, sizeof *scale);
        ifd__roots r;
        *grows = true;
        const ifd__balanced into = {A, scale, NULL};
        if (A && scale && ifd__verdict_of(&p.probe, arena, &into, false, &r, NULL) == IFD_OK) {
            *grows = !ifd__roots_stable(&r);
            for (int i = 0; i < r.n; i++)
                radius = fmax(radius, ifd__root_modulus(&r, i));
        }
        ifd_run_close(p.run);
    }
    ifd_arena_close(arena);
    return radius;
}

/* The first step of a scan by equal factors that is unstable, 0 when there is none; width of the window (a factor)
 * and largest radius in it. */
static double split_scan(const split *s, double factor, double *width, double *radius)
{
    double first = 0.0;
    ifd_arena *arena = ifd_arena_open();
    ifd_run_options rest;
    *width = 1.0;
    *radius = 0.0;
    if (ifd__probe_options(arena, &s->run, &rest) != IFD_OK)
        return -1.0;
    for (double h = s->from; h <= s->to; h *= factor) {
        bool bad = true;
        double now = split_radius(&rest, h, &bad);
        if (!bad && first > 0.0)
            break;
        if (!bad)
            continue;
        first = first > 0.0 ? first : h;
        *width = h / first * factor;
        *radius = now > *radius ? now : *radius;
    }
    ifd_arena_close(arena);
    return first;
}
