/* SPDX-License-Identifier: MIT */
/* Modal damping of the lowest modes, b K + Z Z^T (model/damping.h): against the dense matrix from all modes,
 * against the decay of one mode, and in superelements. */
#include "check.h"

#include "fixture.h"
#include "steps.h"
#include "superelement/stored.h"

static const double ratio[] = {0.03, 0.03, 0.05}; /* the first two modes have one frequency */
enum { OWN = 10 };

static ifd_model *made(ifd_builder *b)
{
    ifd_model *m;
    if (ifd_model_make(arena, b, &m, &note) != IFD_OK)
        fail_msg("%s", note.first->text);
    return m;
}

/* Without Rayleigh damping, unless it is asked for. */
static ifd_builder *frame(int bays, int storeys, bool brace)
{
    ifd_builder *b = tower_builder(arena, bays, storeys);
    ifd_builder_rayleigh(b, -0.3, -6e-4);
    ifd_builder_ground(b, IFD_DOF_X, shaking(2.0));
    ifd_builder_ground(b, IFD_DOF_Y, shaking(1.0));
    if (brace)
        add_brace(b, "s2x2y2.x", "s3x2y2.x");
    return b;
}

static double ratio_of(int mode)
{
    return ratio[mode < 3 ? mode : 2];
}

/* b of the header, from frequencies. */
static double background(const ifd_modes *modes)
{
    double least = HUGE_VAL;
    for (int i = 0; i < OWN; i++)
        least = fmin(least, 2.0 * ratio_of(i) / (2.0 * acos(-1.0) * modes->frequency[i]));
    return least;
}

/* C = M Phi diag(c) Phi^T M from all modes, as a damping matrix of the builder. */
static ifd_model *dense(bool brace)
{
    const ifd_model *plain = made(frame(2, 3, brace));
    ifd_modes modes;
    int n = plain->n;
    assert_int_equal(ifd_model_modes(plain, IFD_DOF_X, n, arena, &modes, &note), IFD_OK);
    double b = background(&modes), *y = ifd_arena_array(arena, (size_t)n * (size_t)n, sizeof *y);
    ifd_builder *with = frame(2, 3, brace);
    for (int k = 0; k < n; k++)
        ifd__sparse_mul_add(&plain->M, 1.0, modes.shape + (size_t)k * (size_t)n, y + (size_t)k * (size_t)n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) {
                double omega = 2.0 * acos(-1.0) * modes.frequency[k];
                double c = k < OWN ? 2.0 * ratio_of(k) * omega : b * omega * omega;
                sum += c * y[i + k * n] * y[j + k * n];
            }
            ifd_builder_add(with, IFD_DAMPING, ref_of(with, plain->dof_name[i]), ref_of(with, plain->dof_name[j]),
                            sum);
        }
    return made(with);
}

static ifd_model *lowest(bool brace)
{
    ifd_builder *b = frame(2, 3, brace);
    ifd_builder_modal(b, 3, ratio, true);
    ifd_builder_modal_count(b, OWN);
    return made(b);
}

TEST_IN_ARENA(steps_are_those_of_the_dense_matrix)
{
    static const char *const dofs[] = {"s3x2y2.x", "s2x2y2.y", "s1x1y1.rz", NULL};
    static const char *const methods[] = {"lsrt2", "mg-alpha", "newmark", "kr-alpha"};
    for (int brace = 0; brace < 2; brace++) {
        const ifd_model *whole = dense(brace), *low = lowest(brace);
        assert_true(low->C.rank > 0 && low->C.rank <= OWN && whole->C.rank == 0);
        for (size_t i = 0; i < COUNT(methods); i++) {
            double off = difference(whole, low, methods[i], BRIEF ? 20 : 100, dofs);
            print_message("%s%s: difference %.1e\n", methods[i], brace ? " with a brace" : "", off);
            assert_true(off < 1e-9);
        }
    }
}

/* A mode by itself decays as exp(-zeta omega t); the model has more than 1,000 dofs. */
TEST_IN_ARENA(a_mode_of_a_large_model_decays_by_its_ratio)
{
    const double h = 1e-3, pi = acos(-1.0);
    ifd_builder *b = tower_builder(arena, 4, 7);
    ifd_builder_rayleigh(b, -0.3, -6e-4);
    ifd_builder_modal(b, 3, ratio, true);
    ifd_builder_modal_count(b, OWN);
    ifd_model *m = made(b);
    ifd_modes modes;
    assert_true(m->n > 1000 && m->C.rank >= OWN - 2 && m->C.rank <= OWN);
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, OWN + 2, arena, &modes, &note), IFD_OK);
    double *Mx = ifd_arena_array(arena, (size_t)m->n, sizeof *Mx), bK = background(&modes);
    for (int mode = 0; mode < OWN + 2; mode += mode == 0 ? 2 : OWN - 1) { /* the first, third, and one above */
        run r = run_make(m, "lsrt2", h);
        const double *phi = modes.shape + (size_t)mode * (size_t)m->n;
        double omega = 2.0 * pi * modes.frequency[mode], q = 0.0, v = 0.0, E0 = omega * omega;
        double zeta = mode < OWN ? ratio_of(mode) : bK * omega / 2.0;
        memcpy(r.x, phi, sizeof(double) * (size_t)m->n);
        int steps = (int)(2.0 * pi / omega / h) + 1;
        for (int k = 0; k < steps; k++)
            for (int i = 0; i < ifd_stepper_stages(r.s); i++)
                ifd_stepper_stage(r.s, i, h * k, NULL, r.x);
        memset(Mx, 0, sizeof(double) * (size_t)m->n);
        ifd__sparse_mul_add(&m->M, 1.0, phi, Mx);
        for (int i = 0; i < m->n; i++) {
            q += Mx[i] * r.x[i];
            v += Mx[i] * r.x[m->n + i];
        }
        /* The free motion of one oscillator with v = 0 at the start, in closed form. */
        double t = h * steps, wd = omega * sqrt(1.0 - zeta * zeta), e = exp(-zeta * omega * t);
        double exact = e * (cos(wd * t) + zeta * omega / wd * sin(wd * t));
        double speed = -e * omega * omega / wd * sin(wd * t);
        print_message("mode %d, %.3g Hz, ratio %.4f: %.6f, exact %.6f\n", mode + 1, modes.frequency[mode], zeta, q,
                      exact);
        assert_near(q, exact, 0.1 * pow(omega * h, 2.0), "displacement of mode %d", mode + 1);
        assert_near(v / sqrt(E0), speed / sqrt(E0), 0.5 * pow(omega * h, 2.0), "velocity of mode %d", mode + 1);
    }
}

/* Shapes of equal frequency are arbitrary in their plane: their damping must not be. */
TEST_IN_ARENA(modes_of_one_frequency_have_the_mean_of_their_ratios)
{
    ifd_builder *b = frame(2, 3, false);
    ifd_builder_modal(b, 3, (const double[]){0.02, 0.04, 0.05}, true);
    ifd_builder_modal_count(b, OWN);
    const ifd_model *m = made(b);
    ifd_modes modes;
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, 3, arena, &modes, &note), IFD_OK);
    assert_near_rel(modes.frequency[0], modes.frequency[1], 1e-9, "a square frame");
    double *y = ifd_arena_array(arena, (size_t)m->n, sizeof *y);
    for (int i = 0; i < 3; i++) {
        const double *phi = modes.shape + (size_t)i * (size_t)m->n;
        double sum = 0.0, omega = 2.0 * acos(-1.0) * modes.frequency[i];
        memset(y, 0, sizeof(double) * (size_t)m->n);
        ifd__sparse_mul_add(&m->C, 1.0, phi, y);
        ifd__sparse_mul_add(&m->K, m->ray_k, phi, y);
        for (int k = 0; k < m->n; k++)
            sum += phi[k] * y[k];
        assert_near_rel(sum / (2.0 * omega), i < 2 ? 0.03 : 0.05, 1e-8, "ratio of mode %d", i + 1);
    }
}

static ifd_builder *reducible(bool reduced)
{
    ifd_builder *b = frame(2, BRIEF ? 3 : 5, false);
    int interface[2] = {ref_of(b, "s3x2y2.x"), ref_of(b, "s3x2y2.y")};
    ifd_builder_modal(b, 3, ratio, true);
    ifd_builder_modal_count(b, OWN);
    ifd_builder_force(b, interface[0], sine(1e5, 7.3));
    ifd_reduction how;
    ifd_reduction_defaults(&how);
    how.frequency = 30.0;
    how.interfaces = 2;
    how.interface = interface;
    if (reduced)
        ifd_builder_reduce(b, &how);
    return b;
}

TEST_IN_ARENA(a_superelement_has_the_damping_of_the_full_model)
{
    static const char *const dofs[] = {"s3x2y2.x", "s3x2y2.y", NULL};
    const ifd_model *full = made(reducible(false)), *small = made(reducible(true));
    const ifd_reduced *bound = ifd_model_reduced(small);
    assert_int_equal(small->C.rank, full->C.rank);
    assert_near_rel(small->ray_k, full->ray_k, 1e-9, "b");
    assert_true(small->n < full->n && bound->bound <= 1e-3 && bound->bound > 0.0);
    double off = difference(full, small, "lsrt2", BRIEF ? 50 : 500, dofs);
    ifd_superelement_curve c;
    assert_int_equal(ifd_superelement_transfer(arena, ifd_model_superelement(small), 0, &c), IFD_OK);
    double worst = 0.0, peak = 0.0;
    for (int k = 0; k < c.count; k++) {
        worst = fmax(worst, fabs(c.reduced[k] - c.full[k]));
        peak = fmax(peak, c.full[k]);
    }
    print_message("%d of %d dofs: difference %.1e in time, %.1e of transfer functions, bound %.1e\n", small->n,
                  full->n, off, worst / peak, c.bound / peak);
    assert_true(off < 1e-3 && worst > 0.0 && worst <= c.bound);
    ifd_modes a, d;
    assert_int_equal(ifd_model_modes(full, IFD_DOF_X, OWN, arena, &a, &note), IFD_OK);
    assert_int_equal(ifd_model_modes(small, IFD_DOF_X, OWN, arena, &d, &note), IFD_OK);
    for (int i = 0; i < full->C.rank; i++)
        assert_near_rel(d.frequency[i], a.frequency[i], 1e-8, "mode %d", i + 1);
}

TEST_IN_ARENA(undamped_higher_modes_are_refused)
{
    ifd_model *m;
    ifd_builder *b = reducible(true);
    ifd_builder_modal(b, 2, (const double[]){0.02, 0.0}, true);
    assert_int_equal(ifd_model_make(arena, b, &m, &note), IFD_UNSUPPORTED);
    assert_non_null(strstr(note.first->text, "higher modes have no damping"));
    b = reducible(true);
    ifd_builder_modal(b, 2, (const double[]){0.02, 0.0}, true);
    ifd_builder_rayleigh(b, 0.3, 6e-4); /* the bound needs this much */
    assert_int_equal(ifd_model_make(arena, b, &m, NULL), IFD_OK);
    assert_int_equal(m->C.rank, 2); /* the first two modes have one frequency */
}

/* Without a ratio for further modes b is zero: mass, damping and stiffness matrices do not depend on their number. */
static ifd_builder *counted(int modes, const ifd_superelement *stored)
{
    ifd_builder *b = frame(2, 3, false);
    int interface = ref_of(b, "s3x2y2.x");
    ifd_builder_rayleigh(b, 0.3, 6e-4);
    ifd_builder_modal(b, modes, (const double[]){0.03, 0.03, 0.05, 0.05, 0.05, 0.05}, false);
    ifd_reduction how;
    ifd_reduction_defaults(&how);
    how.order = how.most = 40;
    how.interfaces = 1;
    how.interface = &interface;
    how.stored = stored;
    ifd_builder_reduce(b, &how);
    return b;
}

/* A file with more damped modes has all columns that a model with fewer needs. */
TEST_IN_ARENA(a_file_with_other_damped_modes_is_refused)
{
    ifd_model *m = made(counted(6, NULL));
    const ifd_superelement *s = ifd_model_superelement(m);
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_model_make(arena, counted(3, s), &m, &note), IFD_CONFLICT);
    assert_non_null(strstr(note.first->text, "another number of damped modes"));
    assert_int_equal(ifd_model_make(arena, counted(6, s), &m, &note), IFD_OK);
}

/* A gyroscopic term: modes of the symmetric problem would not describe it. */
TEST_IN_ARENA(damping_that_is_not_symmetric_is_refused)
{
    ifd_model *m = NULL;
    ifd_builder *b = frame(2, 3, false);
    int x = ref_of(b, "s3x2y2.x"), y = ref_of(b, "s3x2y2.y");
    ifd_builder_add(b, IFD_DAMPING, x, y, 1e3);
    ifd_builder_modal(b, 3, ratio, true);
    ifd_builder_modal_count(b, OWN);
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_model_make(arena, b, &m, &note), IFD_NOT_SYMMETRIC);
    assert_non_null(strstr(note.first->text, "needs a symmetric damping matrix"));
    ifd_builder_add(b, IFD_DAMPING, y, x, 1e3);
    assert_int_equal(ifd_model_make(arena, b, &m, &note), IFD_OK);
}

TESTS()
