/* SPDX-License-Identifier: MIT */
/* The reduced structure in its own modes, and with its interface dofs as coordinates. */
#include "superelement/basis.h"
#include "base/arena.h"
#include "algebra/dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Grows the basis of a reduced structure. */

/* The factor with which a basis grows: own or of another program. */

static void drop(void *factor)
{
    const ifd__basis_factor *f = factor;
    f->away->drop(f->away->self, f->id);
}

static ifd_status make_away(ifd_arena *arena, const ifd_sparse *A, ifd__basis_factor *out)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    int *row, *column; /* of the lower triangle, counted from 1 */
    size_t count = (size_t)A->p[A->n];
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(row, count), IFD__ARRAY(column, count)));
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            row[k] = A->i[k] + 1;
            column[k] = j + 1;
        }
    const ifd_entries entries = {.n = A->n, .count = (long long)count, .row = row, .column = column, .value = A->x};
    IFD_TRY(out->away->factor(out->away->self, &entries, &out->id));
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
    return IFD__TAKE(arena, IFD__ARRAY(out->work, ifd__solver_block_work(out->own)));
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

static void orient(ifd__diagonal *d)
{
    size_t r = (size_t)d->order;
    for (size_t i = 0; i < r; i++) {
        double most = 0.0, sign = 0.0;
        for (size_t c = 0; c < (size_t)d->columns; c++)
            most = fmax(most, fabs(d->P[i + c * r]));
        for (size_t c = 0; c < (size_t)d->columns && sign == 0.0; c++)
            if (fabs(d->P[i + c * r]) > 1e-8 * most)
                sign = d->P[i + c * r] < 0.0 ? -1.0 : 1.0;
        if (sign >= 0.0)
            continue;
        cblas_dscal(d->order, -1.0, d->A + i * r, 1);
        cblas_dscal(d->columns, -1.0, d->P + i, d->order);
    }
}

ifd_status ifd__diagonal_make(ifd_arena *arena, const ifd__basis *b, ifd__diagonal *out, ifd_note *note)
{
    size_t r = (size_t)b->order, columns = (size_t)b->columns;
    *out = (ifd__diagonal){.order = b->order, .columns = b->columns};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->lambda, r), IFD__ARRAY(out->A, r * r), IFD__ARRAY(out->P, r * columns)));
    for (size_t j = 0; j < r; j++)
        memcpy(out->A + j * r, b->K + j * (size_t)b->room, r * sizeof *out->A);
    lapack_int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', b->order, out->A, b->order, out->lambda);
    if (info == LAPACK_WORK_MEMORY_ERROR)
        return IFD_NO_MEMORY;
    if (info != 0 || !(out->lambda[0] > 0.0))
        return ifd_note_add(note, IFD_INTERNAL, NULL, "the modes of the reduced structure could not be computed (%d)",
                            (int)info);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, b->order, b->columns, b->order, 1.0, out->A, b->order, b->P,
                b->room, 0.0, out->P, b->order);
    orient(out);
    return IFD_OK;
}

typedef struct making {
    ifd_arena *scratch;
    const ifd__basis *b;
    const ifd__diagonal *d;
    int r, p, q; /* order, interface dofs, the others */
    double *X;   /* r x r: the static shapes of the interface, the modes */
} making;

static double *modes(const making *k)
{
    return k->X + (size_t)k->r * (size_t)k->p;
}

/* Static shapes: lambda^-1 Phi_b^T (Phi_b lambda^-1 Phi_b^T)^-1, and the inverse, the condensed stiffness. */
static ifd_status make_static(const making *k, double *stiffness)
{
    size_t r = (size_t)k->r, p = (size_t)k->p;
    double *S = k->X, *Y;
    if (!p)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(Y, r * p)));
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < r; i++)
            Y[i + j * r] = k->d->P[i + j * r] / k->b->scale[j] / k->d->lambda[i];
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < p; i++)
            stiffness[i + j * p] = cblas_ddot(k->r, k->d->P + i * r, 1, Y + j * r, 1) / k->b->scale[i];
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', k->p, stiffness, k->p) != 0 ||
        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', k->p, stiffness, k->p) != 0)
        return IFD_NOT_POSITIVE;
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < j; i++)
            stiffness[i + j * p] = stiffness[j + i * p];
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, k->r, k->p, k->p, 1.0, Y, k->r, stiffness, k->p, 0.0, S,
                k->r);
    return IFD_OK;
}

/* Columns of X after the first p: an orthonormal basis of what leaves the interface at rest. */
static ifd_status make_null_space(const making *k)
{
    size_t r = (size_t)k->r, p = (size_t)k->p;
    double *Q, *tau;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(Q, r * r), IFD__ARRAY(tau, p)));
    if (p)
        memcpy(Q, k->d->P, r * p * sizeof *Q);
    if (p && (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, k->r, k->p, Q, k->r, tau) != 0 ||
              LAPACKE_dorgqr(LAPACK_COL_MAJOR, k->r, k->r, k->p, Q, k->r, tau) != 0))
        return IFD_INTERNAL;
    for (size_t i = p; i < r && !p; i++)
        Q[i * (r + 1)] = 1.0;
    memcpy(modes(k), Q + r * p, r * (size_t)k->q * sizeof *Q);
    return IFD_OK;
}

/* The modes with the interface held, ascending. */
static ifd_status make_modes(const making *k, double *lambda)
{
    size_t r = (size_t)k->r, q = (size_t)k->q;
    double *N, *LN, *S;
    IFD_TRY(make_null_space(k));
    if (!q)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(N, r * q), IFD__ARRAY(LN, r * q), IFD__ARRAY(S, q * q)));
    memcpy(N, modes(k), r * q * sizeof *N);
    for (size_t j = 0; j < q; j++)
        for (size_t i = 0; i < r; i++)
            LN[i + j * r] = k->d->lambda[i] * N[i + j * r];
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k->q, k->q, k->r, 1.0, N, k->r, LN, k->r, 0.0, S, k->q);
    lapack_int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', k->q, S, k->q, lambda);
    if (info != 0)
        return info == LAPACK_WORK_MEMORY_ERROR ? IFD_NO_MEMORY : IFD_INTERNAL;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, k->r, k->q, k->q, 1.0, N, k->r, S, k->q, 0.0, modes(k),
                k->r);
    return IFD_OK;
}

/* T^T W = X^T Phi^T W, unscaled; exact unit entries for the interface. */
static void make_columns(const making *k, double *P)
{
    size_t r = (size_t)k->r, p = (size_t)k->p;
    int columns = k->d->columns;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k->r, columns, k->r, 1.0, k->X, k->r, k->d->P, k->r, 0.0, P,
                k->r);
    for (size_t c = 0; c < (size_t)columns; c++)
        for (size_t i = 0; i < r; i++)
            P[i + c * r] = c < p ? (double)(i == c) : P[i + c * r] / k->b->scale[c];
}

ifd_status ifd__physical_make(ifd_arena *arena, ifd_arena *scratch, const ifd__basis *b, const ifd__diagonal *d,
                              ifd__physical *out)
{
    size_t r = (size_t)d->order, p = (size_t)b->of.interfaces, q = r - p;
    making k = {.scratch = scratch, .b = b, .d = d, .r = (int)r, .p = (int)p, .q = (int)q};
    *out = (ifd__physical){.order = d->order, .interfaces = b->of.interfaces};
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(k.X, r * r)));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->mass, p * p), IFD__ARRAY(out->stiffness, p * p),
                      IFD__ARRAY(out->coupling, p * q), IFD__ARRAY(out->lambda, q),
                      IFD__ARRAY(out->P, r * (size_t)d->columns)));
    IFD_TRY(make_static(&k, out->stiffness));
    IFD_TRY(make_modes(&k, out->lambda));
    if (p)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)p, (int)p, (int)r, 1.0, k.X, (int)r, k.X, (int)r,
                    0.0, out->mass, (int)p);
    if (p && q)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)p, (int)q, (int)r, 1.0, k.X, (int)r, modes(&k),
                    (int)r, 0.0, out->coupling, (int)p);
    make_columns(&k, out->P);
    return IFD_OK;
}

void ifd__physical_triplets(const ifd__physical *f, ifd__triplets *M, ifd__triplets *K)
{
    int r = f->order, p = f->interfaces;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++) {
            ifd__triplet(M, i, j, 0.5 * (f->mass[i + j * p] + f->mass[j + i * p]));
            ifd__triplet(K, i, j, 0.5 * (f->stiffness[i + j * p] + f->stiffness[j + i * p]));
        }
    for (int j = p; j < r; j++) {
        for (int i = 0; i < p; i++) {
            ifd__triplet(M, i, j, f->coupling[i + (j - p) * p]);
            ifd__triplet(M, j, i, f->coupling[i + (j - p) * p]);
        }
        ifd__triplet(M, j, j, 1.0);
        ifd__triplet(K, j, j, f->lambda[j - p]);
    }
}
