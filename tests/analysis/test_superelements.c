/* SPDX-License-Identifier: MIT */
/* Stability and margins of large structures: superelements against the full model. */
#include "check.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/analysis.h>
#include <interfield/case.h>
#include <interfield/report.h>

#include "method/fixtures.h"
#include "analysis/loop.h"
#include "analysis/superelements.h"
#include "scratch.h"

enum { MOST = 300 };

typedef struct tower {
    int bays, storeys;
    const char *rayleigh, *rest;
} tower;

static ifd_case *read_tower(ifd_arena *arena, const tower *t)
{
    char folder[SCRATCH_PATH], path[SCRATCH_PATH + 16];
    ifd_note note;
    ifd_case *c = NULL;
    assert_true(scratch_make(folder));
    snprintf(path, sizeof path, "%s/tower.yaml", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "title: A tower with a brace on a rig\n"
            "time: {step: 4 ms, end: 1 s}\n"
            "method: lsrt2\n"
            "model:\n"
            "  frame:\n"
            "    dimension: 3\n"
            "    material: {young: 30 GPa, density: 2500 kg/m3}\n"
            "    sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}\n"
            "    grid: {bays: %d x 6 m, bays-y: %d x 6 m, storeys: %d x 3 m, columns: column, beams: beam}\n"
            "%s%s",
            t->bays, t->bays, t->storeys, t->rayleigh, t->rest);
    fclose(f);
    ifd_note_init(&note, arena);
    if (ifd_case_read(arena, path, 0, NULL, &c, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_non_null(c);
    assert_int_equal(scratch_remove(folder), 0);
    return c;
}

static const char damped[] = "  rayleigh: {mass: 0.3, stiffness: 0.6 ms}\n";
static const char brace[] = "specimen:\n"
                            "  - name: brace\n"
                            "    spring: {between: [ground, s4x2y2.x], stiffness: 8 MN/m}\n"
                            "    actuator: {second-order: {frequency: 60 Hz, damping-ratio: 0.7}}\n"
                            "    limits: {stroke: 1 m, velocity: 100 m/s, acceleration: 1e5 m/s2, force: 100 MN}\n"
                            "test: {leave: start, ticks-per-stage: 2}\n";

static ifd_hybrid_options reduced(ifd_arena *arena, const ifd_case *c, ifd__superelements *s)
{
    ifd_hybrid_options small;
    assert_int_equal(ifd__superelements_test(arena, c->test, MOST, &small, s), IFD_OK);
    print_message("%s\n", ifd__superelements_text(arena, s));
    return small;
}

/* Spectral radius of the full loop from all roots of its matrix, by LAPACK. */
static double radius_of(const ifd__loop *l, double delay)
{
    ifd__probed_loop p = {.scratch = ifd_arena_open()};
    assert_int_equal(ifd__probed_loop_make(&p, l, &(ifd__variant){.delay = delay}, NULL), IFD_OK);
    lapack_int n = p.probe.n;
    size_t all = (size_t)n * (size_t)n;
    double *A = malloc(all * sizeof *A), *re = malloc((size_t)n * sizeof *re), *im = malloc((size_t)n * sizeof *im);
    double radius = 0.0;
    assert_non_null(A);
    assert_int_equal(ifd__probe_matrix(&p.probe, A), IFD_OK);
    assert_int_equal(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, A, n, re, im, NULL, 1, NULL, 1), 0);
    for (int i = 0; i < n; i++)
        radius = fmax(radius, hypot(re[i], im[i]));
    print_message("full model, %d numbers, %.6g ms: radius %.9f\n", (int)n, 1e3 * delay, radius);
    free(A);
    free(re);
    free(im);
    ifd_hybrid_close(p.h);
    ifd_arena_close(p.scratch);
    return radius;
}

static double margin_of(const ifd__loop *l, double high)
{
    double low = 0.0;
    while (high - low > 1e-6 * high) {
        ifd__loop_roots roots = {0};
        double middle = 0.5 * (low + high);
        assert_int_equal(ifd__loop_probe(l, &(ifd__variant){.delay = middle}, NULL, &roots, NULL), IFD_OK);
        *(roots.stable ? &low : &high) = middle;
    }
    return low;
}

/* The delay margin of the reduced loop: the full loop decays at 0.9999 of it and grows at 1.0001. IFD_LARGE: 648 dofs
 * instead of 336, which takes minutes. */
TEST_IN_ARENA(delay_margin_is_that_of_the_full_model)
{
    bool large = getenv("IFD_LARGE") != NULL;
    const tower t = {large ? 2 : 1, large ? 12 : 14, damped, brace};
    ifd_case *c = read_tower(*state, &t);
    ifd__superelements s;
    ifd_hybrid_options small = reduced(*state, c, &s);
    assert_int_equal(s.before, large ? 648 : 336);
    assert_true(s.after < 80 && s.bound < 1e-4);
    const ifd__loop full = {c->test, c->laboratory}, reduced_loop = {&small, c->laboratory};
    double margin = margin_of(&reduced_loop, 50e-3);
    print_message("delay margin of the reduced loop %.7g ms\n", 1e3 * margin);
    assert_true(margin > 1e-3 && margin < 49e-3);
    assert_true(radius_of(&full, 0.9999 * margin) < 1.0);
    assert_true(radius_of(&full, 1.0001 * margin) > 1.0);
}

static const double *frequencies(ifd_arena *arena, const ifd_couple_options *couple, int count)
{
    ifd_assembly map;
    ifd_modes modes;
    assert_int_equal(ifd_couple_assemble(arena, couple, &map, NULL), IFD_OK);
    assert_int_equal(ifd_model_modes(map.model, IFD_DOF_X, count, arena, &modes, NULL), IFD_OK);
    return modes.frequency;
}

/* A tower cut in the middle: only its joints hold the upper half. Joined again, the reduced halves have the modes of
 * the full ones. */
TEST_IN_ARENA(a_part_that_only_its_joints_hold_is_reduced)
{
    enum { MODES = 12 };
    const tower t = {1, 28, damped,
                     "cut:\n  parts:\n    low: {holds: storeys 0 to 14}\n    high: {holds: storeys 14 to 28}\n"
                     "coupling: pg-alpha\n"};
    ifd_case *c = read_tower(*state, &t);
    ifd_run_options rest = c->run;
    ifd__superelements s;
    const double *full = frequencies(*state, rest.couple, MODES);
    assert_int_equal(ifd__superelements_make(*state, &rest, MOST, &s), IFD_OK);
    print_message("%s\n", ifd__superelements_text(*state, &s));
    assert_true(s.held && s.after < s.before && s.bound < 1e-3);
    const double *small = frequencies(*state, rest.couple, MODES);
    for (int i = 0; i < MODES; i++)
        assert_near_rel(small[i], full[i], 1e-6, "mode %d", i + 1);
}

TEST_IN_ARENA(without_damping_the_bound_is_that_of_two_per_cent)
{
    const tower t = {1, 14, "", brace};
    ifd_case *c = read_tower(*state, &t);
    ifd__superelements s;
    ifd_hybrid_options small = reduced(*state, c, &s);
    assert_true(s.undamped && s.bound < 1e-3);
    assert_true(small.model->ray_m == 0.0 && small.model->ray_k == 0.0);
}

TEST_IN_ARENA(too_many_dashpots_are_refused_with_a_remedy)
{
    const tower t = {1, 14, "", brace};
    ifd_case *c = read_tower(*state, &t);
    ifd_hybrid_options test = *c->test, small;
    ifd_model m = *test.model;
    ifd__superelements s;
    m.C = m.K; /* a damping matrix with entries on all dofs */
    m.damped = true;
    test.model = &m;
    assert_int_equal(ifd__superelements_test(*state, &test, MOST, &small, &s), IFD_UNSUPPORTED);
    assert_non_null(strstr(s.why, "too many"));
    assert_non_null(strstr(s.hint, "Rayleigh"));
}

/* Nothing is connected: the lowest modes remain, and their roots are those of the full model. */
TEST_IN_ARENA(a_structure_alone_keeps_its_lowest_modes)
{
    const tower t = {4, 15, damped, ""}; /* 2,250 dofs: 4,500 numbers */
    ifd_case *c = read_tower(*state, &t);
    ifd_stability found;
    ifd_modes modes;
    assert_int_equal(ifd_stability_find(*state, &c->run, &found, NULL), IFD_OK);
    assert_int_equal(found.reduced, 2250);
    assert_true(found.stable && found.radius < 1.0 && isnan(found.reduced_bound));
    assert_int_equal(ifd_model_modes(c->run.model, IFD_DOF_X, 5, *state, &modes, NULL), IFD_OK);
    for (int i = 0; i < 5; i++) {
        double w = 2 * acos(-1.0) * modes.frequency[i], zeta = 0.5 * (0.3 / w + 6e-4 * w);
        assert_near_rel(found.mode[i].frequency, modes.frequency[i] * sqrt(1 - zeta * zeta), 1e-6, "mode %d", i + 1);
    }
}

TESTS()
