/* SPDX-License-Identifier: MIT */
/* Analyses of structures in their gravity state: modes, stability, critical step and the loop of a test. */
#include "case/texts.h"

#include <interfield/analysis.h>

#include "analysis/loop.h"

/* A mass of 1 t on a column with EA/L = 1 MN/m and 3 EI/L^3 = 75 kN/m, beside which a cubic spring k (q + e q^3) with
 * k = 1 MN/m, e = 1e4/m2 acts. Under 30 kN both shorten by 10 mm: 10 kN + 20 kN. There the spring has the stiffness
 * k (1 + 3 e q^2) = 4 MN/m, without load k. A tangent is taken 1 nm beside q, where it is 6 k e q 1e-9 m = 0.6 N/m
 * larger: 6e-8 of the frequency. Rotations have no mass. */
#define COLUMN                                                                                                       \
    "time: {step: 1 ms, end: 1 s}\nmethod: %s\nmodel:\n  frame:\n    material: {young: 200 GPa}\n"                   \
    "    sections: {s: {area: 0.1 cm2, iz: 100 cm4}}\n    nodes: {a: [0 m, 0 m], b: [0 m, 2 m]}\n"                   \
    "    members: [[a, b, s]]\n    supports: {a: fixed}\n%s  masses: {b: 1 t}\n"                                     \
    "  elements: [{name: side, cubic-spring: {between: [a, b], stiffness: 1 MN/m, epsilon: 10000}}]\n%s"

static const double sway = 75e3, spring = 1e6, mass = 1e3, pi = 3.14159265358979323846;

static const ifd_case *column(const char *method, bool loaded, const char *more)
{
    const char *load = loaded ? "    gravity-state: loads\n    gravity-loads: {b: 30 kN}\n" : "";
    return read(ifd_arena_print(arena, COLUMN, method, load, more));
}

TEST_IN_ARENA(modes_stability_and_critical_step_are_those_of_the_loaded_structure)
{
    for (int loaded = 0; loaded < 2; loaded++) {
        const double omega[] = {sqrt(sway / mass), sqrt((loaded ? 5.0 : 2.0) * spring / mass)};
        const ifd_run_options *run = &column("lsrt2", loaded, "")->run,
                              *steps = &column("central-difference", loaded, "")->run;
        ifd_modes modes;
        ifd_stability s;
        ifd_critical_step step;
        assert_int_equal(ifd_model_modes(run->model, IFD_DOF_X, 2, arena, &modes, &note), IFD_OK);
        assert_int_equal(ifd_stability_find(arena, run, &s, &note), IFD_OK);
        assert_int_equal(ifd_stability_critical(arena, steps, NULL, &step, &note), IFD_OK);
        for (int i = 0; i < 2; i++) {
            assert_near_rel(modes.frequency[i], omega[i] / (2 * pi), 1e-10, "mode %d", i + 1);
            assert_near_rel(s.mode[i].omega / s.step, omega[i], 1e-7, "exact root %d", i + 1);
            assert_near_rel(s.mode[i].frequency, omega[i] / (2 * pi), 5e-3, "root %d of the method", i + 1);
        }
        assert_near_rel(step.step, 2.0 / omega[1], 1e-6, "critical step");
    }
}

/* The specimen on an ideal rig adds 25 kN/m across the column. */
TEST_IN_ARENA(the_loop_of_a_test_is_that_of_the_loaded_structure)
{
    static const char lab[] =
        "specimen:\n  - {name: side, spring: {between: [ground, b.x], stiffness: 25 kN/m}, estimate: {stiffness: 25 "
        "kN/m}, limits: {stroke: 0.1 m, velocity: 1 m/s, acceleration: 20 m/s2, force: 1 MN, tracking: 5 mm}}\n"
        "test: {rig: virtual}\n";
    for (int loaded = 0; loaded < 2; loaded++) {
        const double omega[] = {sqrt((sway + 25e3) / mass), sqrt((loaded ? 5.0 : 2.0) * spring / mass)};
        const ifd_case *c = column("lsrt2", loaded, lab);
        const ifd__loop loop = {c->test, c->laboratory};
        ifd__loop_roots roots = {.decide = true};
        assert_int_equal(ifd__loop_probe(&loop, &(ifd__variant){.stiffness = 1.0}, arena, &roots, &note), IFD_OK);
        for (int i = 0; i < 2; i++) {
            double off = 1.0;
            for (int k = 0; k < roots.count; k++)
                off = fmin(off, fabs(2 * pi * roots.at[k] / omega[i] - 1.0));
            assert_true(off < 5e-3);
        }
        assert_true(roots.stable);
    }
}

#define BRACE(origin)                                                                                                \
    "specimen=[{name: brace, spring: {between: [s0c1, s1c2], stiffness: 20 MN/m" origin "}, estimate: {stiffness: "  \
    "20 MN/m}, limits: {stroke: 30 mm, velocity: 0.5 m/s, acceleration: 30 m/s2, force: 500 kN, tracking: 5 mm}"

/* The frame of reinforced concrete with a brace on the rig: a loop with these overrides. */
static ifd__loop_roots braced(int count, const char *const *set)
{
    ifd_case *c = NULL;
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/rc-frame/frame.yaml", count, set, &c, &note),
                     IFD_OK);
    const ifd__loop loop = {c->test, c->laboratory};
    ifd__loop_roots roots = {.decide = true};
    assert_int_equal(ifd__loop_probe(&loop, &(ifd__variant){.stiffness = 1.0}, arena, &roots, &note), IFD_OK);
    assert_true(roots.stable && !roots.undecided);
    return roots;
}

/* The lowest frequency of the loop. */
static double lowest(const ifd__loop_roots *r)
{
    double least = (double)INFINITY;
    for (int k = 0; k < r->count; k++)
        least = fmin(least, r->at[k]);
    return least;
}

/* Of the same frame with the brace as an element. */
static double with_element(const char *origin)
{
    const char *set =
        ifd_arena_print(arena, "model.elements=[{spring: {between: [s0c1, s1c2]%s, stiffness: 20 MN/m}}]", origin);
    ifd_case *c = NULL;
    ifd_modes modes;
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/rc-frame/frame.yaml", 1, &set, &c, &note), IFD_OK);
    assert_int_equal(ifd_model_modes(c->run.model, IFD_DOF_X, 1, arena, &modes, &note), IFD_OK);
    return modes.frequency[0];
}

/* The frequencies are those that `modes` finds in the gravity state with the brace as an element, erected under the
 * loads or before them. A small mass of the rotations changes nothing, and the proof of stability needs none. */
TEST_IN_ARENA(rotations_without_mass_leave_no_doubt)
{
    static const char erected[] = BRACE(", origin: loaded") "}]", *const without[] = {erected, "test={rig: virtual}"},
                      *const small[] = {erected, "test={rig: virtual}",
                                        "model.masses={s1c1: 10 t, s1c2: 10 t, s2c1: 10 t, s2c2: 10 t, s1c1.rz: "
                                        "1e-6 kg m2, s1c2.rz: 1e-6 kg m2, s2c1.rz: 1e-6 kg m2, s2c2.rz: 1e-6 kg m2}"},
                      *const preload[] = {BRACE("") ", force-offset: keep}]", "test={rig: virtual, preload: yes}"};
    ifd__loop_roots a = braced(2, without), b = braced(3, small), p = braced(2, preload);
    assert_near_rel(lowest(&a), with_element(", origin: loaded"), 1e-4, "frequency");
    assert_near_rel(lowest(&b), lowest(&a), 1e-6, "with a small mass");
    assert_near_rel(b.radius, a.radius, 1e-9, "radius");
    assert_near_rel(lowest(&p), with_element(""), 1e-3, "with a preload");
}

TESTS_WITH(files_open, files_close)
