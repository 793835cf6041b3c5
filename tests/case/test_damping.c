/* SPDX-License-Identifier: MIT */
/* Damping ratios of free vibration in one mode, measured in a run, against the ratio in the case: frames with
 * P-Delta, storeys of elements. */
#include "case/texts.h"

#include <interfield/run.h>

#include <string.h>

#include "model/model.h"

enum { SAMPLES = 200 };

#define TIME "time: {step: 0.5 ms, end: 2 s}\nmethod: newmark\n"

static const char frame[] =
    TIME "model:\n"
         "  frame:\n"
         "    material: {young: 30 GPa, density: 2500 kg/m3}\n"
         "    sections: {c: {width: 0.3 m, depth: 0.3 m}, b: {width: 0.3 m, depth: 0.5 m}}\n"
         "    nodes: {a: [0, 0], d: [6 m, 0], b: [0, 3 m], e: [6 m, 3 m], c: [0, 6 m], f: [6 m, "
         "6 m]}\n"
         "    members: [[a, b, c], [d, e, c], [b, e, b], [b, c, c], [e, f, c], [c, f, b]]\n"
         "    supports: {a: fixed, d: fixed}\n"
         "    %s\n"
         "  masses: {b.x: 40 t, e.x: 40 t, c.x: 30 t, f.x: 30 t}\n"
         "  %s\n";
static const char storeys[] = TIME "model:\n"
                                   "  dofs: [x1, x2]\n"
                                   "  mass: [20 t, 20 t]\n"
                                   "  elements:\n"
                                   "    - {cubic-spring: {between: [ground, x1], stiffness: 20 MN/m, epsilon: 0}}\n"
                                   "    - {cubic-spring: {between: [x1, x2], stiffness: 15 MN/m, epsilon: 0}}\n"
                                   "  %s\n";

/* x[n + 1] = c1 x[n] + c2 x[n - 1] of one decaying mode, by least squares over samples h apart. */
static double ratio_of(const double *x, int count, double h)
{
    double a = 0, b = 0, c = 0, p = 0, q = 0;
    for (int n = 1; n + 1 < count; n++) {
        a += x[n] * x[n];
        b += x[n] * x[n - 1];
        c += x[n - 1] * x[n - 1];
        p += x[n + 1] * x[n];
        q += x[n + 1] * x[n - 1];
    }
    double det = a * c - b * b, c1 = (p * c - q * b) / det, c2 = (a * q - b * p) / det;
    double decay = -log(-c2) / (2 * h), rate = acos(c1 / (2 * sqrt(-c2))) / h;
    return decay / sqrt(decay * decay + rate * rate);
}

/* The ratio of mode i (from 0), which the run starts in. */
static double measured(const char *text, int i)
{
    double x[SAMPLES];
    const ifd_case *c = read(text);
    const ifd_model *m = c->run.model;
    ifd_modes modes;
    ifd_run *r;
    int count = 0;
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, i + 1, arena, &modes, &note), IFD_OK);
    int every = (int)lround(1 / (12 * modes.frequency[i] * c->run.step.h)), dof = ifd_model_find_dof(m, "c.x");
    dof = dof < 0 ? 0 : dof;
    double *u0 = (double *)(uintptr_t)m->u0; /* only this test starts in a mode */
    for (int k = 0; k < m->n; k++)
        u0[k] = 1e-3 * modes.shape[i * m->n + k];
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    for (int k = 1; ifd_run_tick(r) == IFD_RUN_GOING && count < SAMPLES; k++)
        if (k % every == 0)
            x[count++] = ifd_run_values(r)[dof];
    ifd_run_close(r);
    assert_true(count > 20);
    return ratio_of(x, count, every * c->run.step.h);
}

/* Rayleigh damping by modes, and modal damping of the first two: with P-Delta they are modes of the model under
 * gravity. Average acceleration has no damping of its own; its frequencies are 1e-5 too low. */
TEST_IN_ARENA(frames_have_the_ratios_of_the_case)
{
    static const char *const geometry[] = {
        "geometry: linear", "geometry: p-delta\n    gravity-loads: {b: 400 kN, e: 400 kN, c: 300 kN, f: 300 kN}"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *rayleigh = ifd_arena_print(arena, frame, geometry[k], "rayleigh: {ratio: 3 %, modes: [1, 2]}"),
                   *modal = ifd_arena_print(arena, frame, geometry[k], "modal-damping: [2 %, 5 %]");
        assert_near(measured(rayleigh, 0), 0.03, 3e-6, "Rayleigh, mode 1");
        assert_near(measured(rayleigh, 1), 0.03, 3e-6, "Rayleigh, mode 2");
        assert_near(measured(modal, 0), 0.02, 3e-6, "modal, mode 1");
        assert_near(measured(modal, 1), 0.05, 5e-6, "modal, mode 2");
    }
}

/* Without the stiffness of elements only a M acts on them: w2/(w1 + w2) of the ratio in mode 1, w1/(w1 + w2) in 2. */
TEST_IN_ARENA(elements_count_if_asked_for)
{
    const double w[] = {18.6711591, 46.3830553}; /* of 20 and 15 MN/m, 20 t each */
    (void)state;
    const char *with = ifd_arena_print(arena, storeys, "rayleigh: {ratio: 3 %, modes: [1, 2], elements: initial}");
    assert_near(measured(with, 0), 0.03, 1e-5, "mode 1");
    assert_null(note.remark_last);
    assert_near(measured(with, 1), 0.03, 3e-5, "mode 2");
    const char *without = ifd_arena_print(arena, storeys, "rayleigh: {ratio: 3 %, modes: [1, 2]}");
    for (int i = 0; i < 2; i++) {
        assert_near(measured(without, i), 0.03 * w[1 - i] / (w[0] + w[1]), 3e-5, "mode %d, a M only", i + 1);
        assert_non_null(strstr(note.remark_last->text, "'elements: initial' adds it"));
    }
}

/* Rayleigh damping by modes of the full model, whatever the reduced one keeps. */
TEST_IN_ARENA(a_reduced_frame_has_the_ratio_of_its_modes)
{
    const char *text = ifd_arena_print(arena, frame, "geometry: linear",
                                       "rayleigh: {ratio: 3 %, modes: [1, 2]}\n"
                                       "  reduce: {frequency: 30 Hz}\nrecord: [c.x, f.x]");
    assert_near(measured(text, 0), 0.03, 3e-6, "mode 1");
    assert_near(measured(text, 1), 0.03, 3e-6, "mode 2");
}

TESTS_WITH(files_open, files_close)
