/* SPDX-License-Identifier: MIT */
/* Reduced models against the full ones, step by step. */
#include "check.h"

#include <lapacke.h>

#include "fixture.h"
#include "steps.h"

/* Frame with a Bouc-Wen brace, shaken along x and y; how: NULL for the full model. */
static ifd_model *braced(const ifd_reduction *how)
{
    ifd_builder *b = tower_builder(arena, BRIEF ? 2 : 4, BRIEF ? 5 : 10);
    ifd_model *m;
    int watch = ref_of(b, BRIEF ? "s5x1y1.x" : "s10x1y1.x");
    ifd_builder_ground(b, IFD_DOF_X, shaking(2.0));
    ifd_builder_ground(b, IFD_DOF_Y, shaking(1.0));
    add_brace(b, "s2x2y2.x", "s3x2y2.x");
    if (how) {
        ifd_reduction r = *how;
        r.watched = 1;
        r.watch = &watch;
        ifd_builder_reduce(b, &r);
    }
    if (ifd_model_make(arena, b, &m, &note) != IFD_OK)
        fail_msg("%s", note.first->text);
    return m;
}

TEST_IN_ARENA(a_reduced_frame_with_a_brace_moves_as_the_full_one)
{
    static const char *const dofs[] = {"s3x2y2.x", "s2x2y2.x", BRIEF ? "s5x1y1.x" : "s10x1y1.x", NULL};
    static const char *const methods[] = {"lsrt2", "mg-alpha", "newmark"};
    ifd_reduction how;
    ifd_reduction_defaults(&how);
    const ifd_model *full = braced(NULL), *small = braced(&how);
    const ifd_reduced *bound = ifd_model_reduced(small);
    assert_null(ifd_model_reduced(full));
    assert_int_equal(bound->full, ifd_model_dofs(full));
    assert_int_equal(bound->order, ifd_model_dofs(small));
    assert_true(bound->bound <= how.tolerance && bound->order < bound->full);
    assert_int_equal(ifd_model_find_dof(small, "mode1"), 2);
    for (size_t i = 0; i < COUNT(methods); i++) {
        double off = difference(full, small, methods[i], BRIEF ? 50 : 500, dofs);
        print_message("%d of %d dofs, bound %.1e, %s: difference %.1e\n", bound->order, bound->full, bound->bound,
                      methods[i], off);
        assert_true(off < how.tolerance);
    }
}

/* With as many modes as dofs the reduced model is the full one in other coordinates: every input is carried over. */
static ifd_model *loaded(bool reduced)
{
    ifd_builder *b = tower_builder(arena, 1, 2);
    int roof = ref_of(b, "s2x1y1.x"), middle = ref_of(b, "s1x2y1.y"), watch[] = {roof, middle};
    int arm = ifd_builder_support(b, "arm", sine(1e-3, 3.0));
    ifd_model *m;
    ifd_builder_spring(b, IFD_STIFFNESS, arm, ref_of(b, "s1x1y1.y"), 1e7);
    ifd_builder_spring(b, IFD_MASS, arm, ref_of(b, "s1x1y1.y"), 100.0);
    ifd_builder_spring(b, IFD_DAMPING, arm, ref_of(b, "s1x1y2.y"), 1e5);
    ifd_builder_ground(b, IFD_DOF_X, shaking(2.0));
    ifd_builder_force(b, middle, sine(1e4, 2.0));
    for (int i = 0; i < ifd_builder_dofs(b); i++)
        ifd_builder_initial(b, i, 1e-3 * sin(i), 1e-2 * cos(i));
    ifd_reduction how;
    ifd_reduction_defaults(&how);
    how.order = how.most = 48;
    how.watched = 2;
    how.watch = watch;
    if (reduced)
        ifd_builder_reduce(b, &how);
    if (ifd_model_make(arena, b, &m, &note) != IFD_OK)
        fail_msg("%s", note.first->text);
    return m;
}

TEST_IN_ARENA(every_input_is_carried_over)
{
    static const char *const dofs[] = {"s2x1y1.x", "s1x2y1.y", "s1x1y2.y", NULL};
    const ifd_model *full = loaded(false), *small = loaded(true);
    assert_int_equal(ifd_model_dofs(small), ifd_model_dofs(full));
    double off = difference(full, small, "lsrt2", 500, dofs);
    print_message("all inputs: difference %.1e\n", off);
    assert_true(off < 1e-9);
    ifd_modes a, b;
    assert_int_equal(ifd_model_modes(full, IFD_DOF_X, 48, arena, &a, &note), IFD_OK);
    assert_int_equal(ifd_model_modes(small, IFD_DOF_X, 48, arena, &b, &note), IFD_OK);
    for (int i = 0; i < 48; i++) {
        assert_near_rel(b.frequency[i], a.frequency[i], 1e-9, "mode %d", i);
        assert_near(b.effective_mass[i], a.effective_mass[i], 1e-6 * a.total_mass, "mode %d", i);
    }
}

static bool is_positive(const ifd_sparse *A)
{
    double *a = ifd_arena_array(arena, (size_t)A->n * (size_t)A->n, sizeof *a);
    assert_non_null(a);
    ifd__sparse_fill(A, a);
    return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', A->n, a, A->n) == 0;
}

/* Any order, however bad the accuracy: matrices are positive definite and the free motion decays. */
TEST_IN_ARENA(a_reduced_model_is_stable_at_any_order)
{
    for (int order = 9; order <= 45; order += 9) {
        ifd_builder *b = tower_builder(arena, 2, 5);
        int interface[6], roof = ref_of(b, "s5x2y2.x");
        static const char *const kinds[] = {"x", "y", "z", "rx", "ry", "rz"};
        char name[32];
        for (int i = 0; i < 6; i++) {
            snprintf(name, sizeof name, "s3x2y2.%s", kinds[i]);
            interface[i] = ref_of(b, name);
        }
        ifd_builder_initial(b, roof, 1e-2, 0.1);
        ifd_reduction how;
        ifd_reduction_defaults(&how);
        how.order = order;
        how.interfaces = 6;
        how.interface = interface;
        ifd_builder_reduce(b, &how);
        ifd_model *m;
        assert_int_equal(ifd_model_make(arena, b, &m, &note), IFD_OK);
        assert_true(is_positive(&m->M) && is_positive(&m->K));
        run r = run_make(m, "lsrt2", 1e-3);
        double *w = ifd_arena_array(arena, ifd__model_work(m), sizeof *w), last = HUGE_VAL;
        ifd__forms forms;
        assert_int_equal(ifd__forms_make(arena, m, &forms), IFD_OK);
        for (int k = 0; k < (BRIEF ? 1000 : 100000); k++) {
            for (int i = 0; i < ifd_stepper_stages(r.s); i++)
                ifd_stepper_stage(r.s, i, 1e-3 * k, NULL, r.x);
            if (k % 100)
                continue;
            ifd__energy energy;
            const ifd__point at = {.u = r.x, .v = r.x + m->n, .s = r.x + 2 * m->n};
            ifd__model_energy(m, &forms, &at, &energy, w);
            assert_true(energy.kinetic + energy.stored <= last * (1.0 + 1e-12));
            last = energy.kinetic + energy.stored;
        }
    }
}

static void refused(ifd_builder *b, const ifd_reduction *how, ifd_status code, const char *words)
{
    ifd_model *m;
    ifd_builder_reduce(b, how);
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_model_make(arena, b, &m, &note), code);
    if (!strstr(note.first->text, words))
        fail_msg("'%s' is not in '%s'", words, note.first->text);
}

TEST_IN_ARENA(what_cannot_be_reduced_is_refused)
{
    int roof, one = 0;
    ifd_reduction how, low;
    ifd_reduction_defaults(&how);
    how.interfaces = 1;
    how.interface = &one;
    ifd_builder *b = tower_builder(arena, 1, 2);
    ifd_builder_rayleigh(b, -0.3, -6e-4);
    refused(b, &how, IFD_UNSUPPORTED, "Rayleigh damping");
    b = tower_builder(arena, 1, 2);
    roof = ref_of(b, "s2x1y1.x");
    ifd_builder_keep(b, 1, &roof);
    refused(b, &how, IFD_CONFLICT, "condensed as well");
    low = how;
    low.most = 20;
    low.frequency = 200.0;
    refused(tower_builder(arena, 1, 2), &low, IFD_TOO_LARGE, "error bound");
    low.most = 1;
    refused(tower_builder(arena, 1, 2), &low, IFD_TOO_LARGE, "'most' is 1");
    low.order = 1;
    refused(tower_builder(arena, 1, 2), &low, IFD_TOO_LARGE, "'order' is 1");
    low.order = 0;
    low = how;
    low.tolerance = 0.0;
    refused(tower_builder(arena, 1, 2), &low, IFD_RANGE, "tolerance");
    low = how;
    low.frequency = -1.0;
    refused(tower_builder(arena, 1, 2), &low, IFD_RANGE, "frequency");
}

TESTS()
