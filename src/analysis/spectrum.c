/* SPDX-License-Identifier: MIT */
/* Amplification by probing: one step from every unit state, with the code of a run. */
#include <interfield/analysis.h>

#include "substructure/substructure.h" /* before complex.h defines I */

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/probe.h"

static bool step_once(void *what, double *x)
{
    const ifd__substructure *s = what;
    double step = 0.0;
    s->ops->exchange(s, 0, &step, x);
    return true;
}

static ifd_status probe(ifd_arena *arena, ifd__substructure *s, ifd_amplification_matrix *out)
{
    int *state;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(state, s->size)));
    out->n = ifd__probe_rows(s->rows, s->row, false, state);
    double *A;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(A, (size_t)out->n * (size_t)out->n)));
    out->A = A;
    out->state = state;
    ifd__probe p = {.size = s->size, .n = out->n, .state = state, .amplitude = 1.0, .step = step_once, .what = s};
    return ifd__probe_matrix(&p, A);
}

ifd_status ifd_amplification(ifd_arena *arena, const ifd_step_options *opt, const ifd_model *model,
                             ifd_amplification_matrix *out, ifd_note *note)
{
    if (!ifd_model_linear(model))
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "the model has %d nonlinear elements; expected a linear model, because others have no "
                            "amplification matrix",
                            ifd_model_elements(model));
    ifd__substructure s;
    IFD_TRY(ifd__substructure_make(arena, &(ifd__substructure_options){.model = model, .step = opt}, &s, note));
    return probe(arena, &s, out);
}

static int by_modulus(const void *a, const void *b)
{
    const double *x = a, *y = b;
    double mx = hypot(x[0], x[1]), my = hypot(y[0], y[1]);
    return mx > my ? -1 : mx < my ? 1 : x[1] > y[1] ? -1 : x[1] < y[1];
}

ifd_status ifd_roots(int n, const double *A, double *real, double *imag, ifd_note *note)
{
    size_t count = (size_t)n;
    double *copy IFD__FREED = malloc(count * count * sizeof *copy);
    double *pair IFD__FREED = malloc(2 * count * sizeof *pair);
    IFD__HAVE(copy && pair);
    memcpy(copy, A, count * count * sizeof *copy);
    if (LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, copy, n, real, imag, NULL, n, NULL, n) != 0)
        return ifd_note_add(note, IFD_INTERNAL, NULL,
                            "the eigenvalues of an amplification matrix could not be computed");
    for (size_t i = 0; i < count; i++) {
        pair[2 * i] = real[i];
        pair[2 * i + 1] = imag[i];
    }
    qsort(pair, count, 2 * sizeof *pair, by_modulus);
    for (size_t i = 0; i < count; i++) {
        real[i] = pair[2 * i];
        imag[i] = pair[2 * i + 1];
    }
    return IFD_OK;
}

/* Column scaling by the size of each state: u, then v ~ w u, a ~ w^2 u. Powers of two cause no rounding. */
static void balance(const ifd__substructure *s, double w, const ifd_amplification_matrix *m, double *A)
{
    const ifd_state_row *row = s->row;
    double scale[64] = {0};
    for (int i = 0; i < m->n; i++)
        for (int r = 0; r < s->rows; r++) {
            int k = m->state[i] - row[r].offset;
            if (k < 0 || k >= row[r].count)
                continue;
            int power = strcmp(row[r].name, "u") == 0 ? 0 : row[r].count == 2 ? 1 + k : r == 1 ? 1 : 2;
            scale[i] = exp2(round(power * log2(w)));
        }
    for (int j = 0; j < m->n; j++)
        for (int i = 0; i < m->n; i++)
            A[i + j * m->n] = m->A[i + j * m->n] * scale[j] / scale[i];
}

/* The oscillator of unit mass with step 1. */
static ifd_status oscillator(ifd_arena *arena, double w, double zeta, ifd_model **out, ifd_note *note)
{
    ifd_builder *b = ifd_builder_make(arena);
    IFD__HAVE(b);
    int x = ifd_builder_dof(b, "x", IFD_DOF_X);
    ifd_builder_add(b, IFD_MASS, x, x, 1.0);
    ifd_builder_add(b, IFD_STIFFNESS, x, x, w * w);
    if (zeta > 0.0)
        ifd_builder_add(b, IFD_DAMPING, x, x, 2.0 * zeta * w);
    return ifd_model_make(arena, b, out, note);
}

/* Roots are sorted by modulus. The principal pair is the largest complex pair; without one, the two largest roots. */
static void describe(int n, const double *real, const double *imag, double zeta, ifd_spectrum_row *row)
{
    int p = 0;
    while (p < n && !(imag[p] > 0.0))
        p++;
    row->radius = n ? hypot(real[0], imag[0]) : 0.0;
    row->oscillates = p < n;
    p = row->oscillates ? p : 0;
    row->real = real[p];
    row->imag = imag[p];
    row->damping = row->frequency_error = row->spurious = 0.0;
    if (row->oscillates) {
        double turn = atan2(imag[p], real[p]), exact = row->omega * sqrt(1.0 - zeta * zeta);
        row->damping = -log(hypot(real[p], imag[p])) / turn;
        row->frequency_error = (exact - turn) / exact;
    }
    for (int i = 0; i < n; i++)
        if (i != p && i != p + 1)
            row->spurious = fmax(row->spurious, hypot(real[i], imag[i]));
}

static ifd_status one_row(ifd_arena *arena, const ifd_step_options *opt, double zeta, ifd_spectrum_row *row,
                          ifd_note *note)
{
    double real[64], imag[64], A[64 * 64];
    ifd_model *model;
    ifd__substructure s;
    ifd_amplification_matrix m;
    ifd_step_options step = *opt;
    step.h = 1.0;
    IFD_TRY(oscillator(arena, row->omega, zeta, &model, note));
    IFD_TRY(ifd__substructure_make(arena, &(ifd__substructure_options){.model = model, .step = &step}, &s, note));
    IFD_TRY(probe(arena, &s, &m));
    if (m.n > 64)
        return ifd_note_add(note, IFD_TOO_LARGE, NULL,
                            "the method has %d state variables per dof, which is more than this analysis supports",
                            m.n);
    balance(&s, row->omega, &m, A);
    IFD_TRY(ifd_roots(m.n, A, real, imag, note));
    describe(m.n, real, imag, zeta, row);
    return IFD_OK;
}

ifd_status ifd_spectrum(const ifd_step_options *opt, double zeta, int count, const double *omega,
                        ifd_spectrum_row *rows, ifd_note *note)
{
    if (!(zeta >= 0.0 && zeta < 1.0))
        return ifd_note_add(note, IFD_RANGE, NULL, "damping ratio is %g; expected 0 <= zeta < 1", zeta);
    for (int k = 0; k < count; k++) {
        if (!(omega[k] > 0.0) || !isfinite(omega[k]))
            return ifd_note_add(note, IFD_RANGE, NULL, "Omega is %g; expected a positive number", omega[k]);
        rows[k].omega = omega[k];
        ifd_arena *own IFD__CLOSED = ifd_arena_open();
        IFD_TRY(own ? one_row(own, opt, zeta, &rows[k], note) : IFD_NO_MEMORY);
    }
    return IFD_OK;
}
