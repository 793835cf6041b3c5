/* SPDX-License-Identifier: MIT */
/* Grows the basis of a reduced structure. */
#include "superelement/basis.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "algebra/dense.h"

/* The factor with which a basis grows: own or of another program. */

static void drop(void *factor)
{
    const ifd__basis_factor *f = factor;
    f->away->drop(f->away->self, f->id);
}

/* The entries of the lower triangle, counted from 1. */
static ifd_status list_entries(ifd_arena *scratch, const ifd_sparse *A, ifd_entries *out)
{
    int *row, *column;
    size_t count = (size_t)A->p[A->n];
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(row, count), IFD__ARRAY(column, count)));
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            row[k] = A->i[k] + 1;
            column[k] = j + 1;
        }
    *out = (ifd_entries){.n = A->n, .count = (long long)count, .row = row, .column = column, .value = A->x};
    return IFD_OK;
}

static ifd_status make_away(ifd_arena *arena, const ifd_sparse *A, ifd__basis_factor *out)
{
    ifd_entries entries;
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = scratch ? list_entries(scratch, A, &entries) : IFD_NO_MEMORY;
    if (status == IFD_OK)
        status = out->away->factor(out->away->self, &entries, &out->id);
    ifd_arena_close(scratch);
    IFD_TRY(status);
    if (ifd_arena_on_close(arena, drop, out))
        return IFD_OK;
    drop(out);
    return IFD_NO_MEMORY;
}

/* away: NULL for the library's own. IFD_NOT_POSITIVE, IFD_SINGULAR as ifd__solver_make. out must stay in its place:
 * the arena drops the factor when it is closed. */
static ifd_status basis_factor_make(ifd_arena *arena, const ifd_sparse *A, const ifd_factoriser *away,
                                    ifd__basis_factor *out, ifd_note *note)
{
    *out = (ifd__basis_factor){.n = A->n, .away = away};
    if (away)
        return make_away(arena, A, out);
    IFD_TRY(ifd__solver_make(arena, A, IFD__SOLVER_AUTO, &out->own, note));
    out->work = ifd_arena_array(arena, ifd__solver_block_work(out->own), sizeof *out->work);
    return out->work ? IFD_OK : IFD_NO_MEMORY;
}

void ifd__basis_factor_solve(const ifd__basis_factor *f, int columns, double *X)
{
    if (f->away) {
        f->away->solve(f->away->self, f->id, columns, X);
        return;
    }
    ifd__solver_solve_block(f->own, columns, X, f->work);
}

static const double NOTHING = 1e-9; /* M-norm of a unit vector after projection: no new direction */
static const double LITTLE = 1e-3;  /* below this a vector is projected a second time against the complete basis */

void ifd__sparse_times(const ifd_sparse *A, int count, const double *X, double *Y)
{
    size_t n = (size_t)A->n;
    memset(Y, 0, n * (size_t)count * sizeof *Y);
    for (size_t c = 0; c < (size_t)count; c++)
        ifd__sparse_mul_add(A, 1.0, X + c * n, Y + c * n);
}

static double *column(const ifd__basis *b, int j)
{
    return b->V + (size_t)j * (size_t)b->n;
}

/* X (n x count) -= V H, H = V^T M X over the whole basis. */
static void project(const ifd__basis *b, int count, double *X)
{
    int n = b->n, r = b->order;
    if (r == 0)
        return;
    ifd__sparse_times(b->of.M, count, X, b->MX);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, r, count, n, 1.0, b->V, n, b->MX, n, 0.0, b->H, r);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, count, r, -1.0, b->V, n, b->H, r, 1.0, X, n);
}

/* x scaled to M-norm 1; returns the norm before. */
static double normalise(const ifd__basis *b, double *x)
{
    ifd__sparse_times(b->of.M, 1, x, b->MX);
    double norm = sqrt(fmax(0.0, ifd__dot(b->n, x, b->MX)));
    if (norm > 0.0)
        cblas_dscal(b->n, 1.0 / norm, x, 1);
    return norm;
}

/* V^T K V and V^T W of the columns from first on. */
static void take_products(ifd__basis *b, int first)
{
    int n = b->n, count = b->order - first;
    size_t room = (size_t)b->room;
    if (count == 0)
        return;
    double *KX = b->MX, *to = b->K + (size_t)first * room;
    ifd__sparse_times(b->of.K, count, column(b, first), KX);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, b->order, count, n, 1.0, b->V, n, KX, n, 0.0, to, b->room);
    for (size_t j = (size_t)first; j < (size_t)b->order; j++)
        for (size_t i = 0; i < j; i++) {
            if (i < (size_t)b->modes && j >= (size_t)b->modes)
                b->K[i + j * room] = 0.0; /* K phi = lambda M phi, and V is orthogonal to M phi */
            b->K[j + i * room] = b->K[i + j * room];
        }
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, count, b->columns, n, 1.0, column(b, first), n, b->W, n, 0.0,
                b->P + first, b->room);
}

/* Orthonormalises X (n x count) against the basis and in itself and appends what is new. */
static void append(ifd__basis *b, int count, double *X)
{
    size_t n = (size_t)b->n;
    int first = b->order;
    for (int c = 0; c < count; c++)
        normalise(b, X + (size_t)c * n);
    for (int pass = 0; pass < 2; pass++)
        project(b, count, X);
    for (int c = 0; c < count && b->order < b->n; c++) {
        double *x = X + (size_t)c * n;
        for (int pass = 0; pass < 2 && b->order > first; pass++) {
            int added = b->order - first;
            ifd__sparse_times(b->of.M, 1, x, b->MX);
            cblas_dgemv(CblasColMajor, CblasTrans, b->n, added, 1.0, column(b, first), b->n, b->MX, 1, 0.0, b->H, 1);
            cblas_dgemv(CblasColMajor, CblasNoTrans, b->n, added, -1.0, column(b, first), b->n, b->H, 1, 1.0, x, 1);
        }
        double left = normalise(b, x);
        if (left < NOTHING)
            continue;
        if (left < LITTLE) {
            project(b, 1, x);
            left *= normalise(b, x);
        }
        if (left >= NOTHING)
            memcpy(column(b, b->order++), x, n * sizeof *x);
    }
    take_products(b, first);
}

static ifd_status unsupported(ifd_note *note)
{
    ifd_note_about(note, IFD_NOT_POSITIVE, "stiffness",
                   "the stiffness matrix is not positive definite: the structure can move without resistance");
    ifd_note_hint(note, "a structure can be reduced when its own supports hold it");
    return IFD_NOT_POSITIVE;
}

static ifd_status factor(ifd__basis *b, ifd_note *note)
{
    ifd_sparse Q;
    IFD_TRY(IFD__TAKE(b->arena, IFD__ARRAY(b->stiffness, 1), IFD__ARRAY(b->shifted, 1)));
    ifd_status made = basis_factor_make(b->arena, b->of.K, b->of.factoriser, b->stiffness, NULL);
    if (made == IFD_NOT_POSITIVE || made == IFD_SINGULAR)
        return unsupported(note);
    IFD_TRY(made);
    IFD_TRY(ifd__sparse_add(b->arena, 1.0, b->of.K, b->shift * b->shift, b->of.M, &Q));
    return basis_factor_make(b->arena, &Q, b->of.factoriser, b->shifted, note);
}

/* W, unscaled: unit columns, inputs, rows. */
static void fill_columns(ifd__basis *b)
{
    const ifd__linear_structure *of = &b->of;
    size_t n = (size_t)b->n, p = (size_t)of->interfaces, g = (size_t)of->inputs, w = (size_t)of->watched;
    for (size_t i = 0; i < p; i++)
        b->W[i * n + (size_t)of->interface[i]] = 1.0;
    if (g)
        memcpy(b->W + p * n, of->input, g * n * sizeof *b->W);
    if (w)
        memcpy(b->W + (p + g) * n, of->row, w * n * sizeof *b->W);
}

/* X := K^-1 W, both scaled. A column of zeros stays. */
static void scale_columns(ifd__basis *b)
{
    size_t n = (size_t)b->n;
    memcpy(b->X, b->W, n * (size_t)b->columns * sizeof *b->X);
    ifd__basis_factor_solve(b->stiffness, b->columns, b->X);
    for (size_t c = 0; c < (size_t)b->columns; c++) {
        double compliance = ifd__dot(b->n, b->W + c * n, b->X + c * n);
        b->scale[c] = compliance > 0.0 ? 1.0 / sqrt(compliance) : 1.0;
        cblas_dscal(b->n, b->scale[c], b->W + c * n, 1);
        cblas_dscal(b->n, b->scale[c], b->X + c * n, 1);
    }
}

ifd_status ifd__basis_make(ifd_arena *arena, const ifd__linear_structure *of, double shift, int most, ifd__basis *out,
                           ifd_note *note)
{
    size_t n = (size_t)of->K->n, driven = (size_t)(of->interfaces + of->inputs);
    size_t columns = driven + (size_t)of->watched;
    int rows = of->watched - of->modal;
    ifd__basis *b = out;
    *b = (ifd__basis){.of = *of, .shift = shift, .arena = arena, .n = (int)n, .driven = (int)driven};
    b->columns = (int)columns;
    int least = of->interfaces + of->inputs + of->modal;
    b->most = most < least ? least : most;
    b->most = b->most < (int)n ? b->most : (int)n;
    b->room = b->most + rows < b->n ? b->most + rows : b->n;
    size_t r = (size_t)b->room;
    IFD_TRY(factor(b, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(b->W, n * columns), IFD__ARRAY(b->scale, columns),
                      IFD__ARRAY(b->X, n * columns), IFD__ARRAY(b->MX, n * columns), IFD__ARRAY(b->V, n * r),
                      IFD__ARRAY(b->K, r * r), IFD__ARRAY(b->P, r * columns), IFD__ARRAY(b->H, r * columns),
                      IFD__ARRAY(b->L, n * (size_t)rows)));
    fill_columns(b);
    scale_columns(b);
    if (rows)
        memcpy(b->L, b->X + n * driven, n * (size_t)rows * sizeof *b->L);
    append(b, of->modal, b->X + n * (columns - (size_t)of->modal));
    b->modes = b->order;
    append(b, b->driven, b->X);
    b->still = b->order;
    b->complete = b->order == b->n;
    return IFD_OK;
}

void ifd__basis_extend(ifd__basis *b, int order)
{
    size_t n = (size_t)b->n;
    while (!b->complete && b->order < order) {
        int count = b->order == b->still ? b->driven : b->order - b->last, before = b->order;
        if (b->order + count > b->most && b->most < b->n)
            return;
        if (b->order == b->still)
            memcpy(b->X, b->W, n * (size_t)count * sizeof *b->X);
        else
            ifd__sparse_times(b->of.M, count, column(b, b->last), b->X);
        ifd__basis_factor_solve(b->shifted, count, b->X);
        append(b, count, b->X);
        b->last = before;
        b->complete = b->order == before || b->order == b->n;
    }
}

void ifd__basis_close(ifd__basis *b)
{
    size_t n = (size_t)b->n;
    int rows = b->of.watched - b->of.modal;
    b->open = b->order;
    if (!rows)
        return;
    memcpy(b->X, b->L, n * (size_t)rows * sizeof *b->X);
    append(b, rows, b->X);
}

void ifd__basis_open(ifd__basis *b)
{
    b->order = b->open;
}
