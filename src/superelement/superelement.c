/* SPDX-License-Identifier: MIT */
/* Grows a superelement until its bound is met. */
#include "superelement/superelement.h"
#include "algebra/dense.h"
#include "base/arena.h"

#include <math.h>
#include <cblas.h>
#include <complex.h>
#include <lapacke.h>
#include <string.h>

/* Bounds the error of a reduced structure. */

typedef double complex number;

enum { GRID = 200, CHECKED = 4 };
static const double NOTHING = 1e-8;  /* K-norm of a unit vector after projection: no new direction */
static const double MIXED = 1e-6;    /* of modal damping: share that couples reduced modes */
static const double ROUNDING = 1e-7; /* rho of a residual that rounding decides; its part of a bound is 1e-13 */

struct ifd__certifier {
    ifd_arena *arena;
    const ifd__basis *b;
    const ifd__diagonal *d;
    int columns;   /* of W, without those of modal damping */
    double *modal; /* order: modal damping, diagonal in the modes of the reduced structure */
    int directions;
    number *F;     /* directions x order: U^T M Phi */
    number *P;     /* order x columns: Phi^T W */
    int dampers;   /* interface dofs that dashpots act on, */
    int *damped;   /* their columns of W, */
    number *C;     /* their damping matrix between the scaled columns, */
    number *D;     /* order x dampers: x of these columns without dashpots, */
    number *S, *f; /* dampers x dampers, dampers x columns */
    number *x, *y; /* order x columns: response in the modes; its inertia and mass damping */
    number *H;     /* columns x columns */
    number *e;     /* directions x columns */
    int *pivot;
    double *u, *R; /* n, 2 n: a displacement, a residual */
    double *z;     /* 2 order */
};

/* U (n x count) -= Phi lambda^-1 Phi^T KU */
static void project(const ifd__certifier *c, int count, double *U, const double *KU, double *w)
{
    int n = c->b->n, r = c->d->order;
    double *a = w, *z = w + (size_t)r * (size_t)count;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, r, count, n, 1.0, c->b->V, n, KU, n, 0.0, a, r);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, r, count, r, 1.0, c->d->A, r, a, r, 0.0, z, r);
    for (size_t j = 0; j < (size_t)count; j++)
        for (size_t i = 0; i < (size_t)r; i++)
            z[i + j * (size_t)r] /= c->d->lambda[i];
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, r, count, r, 1.0, c->d->A, r, z, r, 0.0, a, r);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, count, r, -1.0, c->b->V, n, a, r, 1.0, U, n);
}

/* K-norm of x, with KX = K x. */
static double norm_of(const ifd__certifier *c, const double *x, double *Kx)
{
    ifd__sparse_times(c->b->of.K, 1, x, Kx);
    return sqrt(fmax(0.0, ifd__dot(c->b->n, x, Kx)));
}

/* Makes the columns of U K-orthonormal, in place; length: K-norm of each before projection. */
static int orthonormalise(const ifd__certifier *c, int count, double *U, const double *length, double *Kx)
{
    size_t n = (size_t)c->b->n;
    int kept = 0;
    for (int j = 0; j < count; j++) {
        double *x = U + (size_t)j * n;
        for (int pass = 0; pass < 2; pass++) {
            norm_of(c, x, Kx);
            for (int i = 0; i < kept; i++) {
                double h = ifd__dot((int)n, U + (size_t)i * n, Kx);
                cblas_daxpy((int)n, -h, U + (size_t)i * n, 1, x, 1);
            }
        }
        double norm = norm_of(c, x, Kx);
        if (!(norm > NOTHING * length[j]))
            continue;
        cblas_dscal((int)n, 1.0 / norm, x, 1);
        memmove(U + (size_t)kept++ * n, x, n * sizeof *x);
    }
    return kept;
}

/* U from the last block and the static shapes, of the closed basis, and F. */
static ifd_status find_directions(ifd__certifier *c)
{
    const ifd__basis *b = c->b;
    size_t n = (size_t)b->n, r = (size_t)b->order;
    int last = b->open > b->still ? b->open - b->last : 0, rows = b->order - b->open, count = last + b->still + rows;
    double *U, *KU, *w, *length, *F;
    IFD_TRY(IFD__TAKE(c->arena, IFD__ARRAY(U, n * (size_t)count), IFD__ARRAY(KU, n * (size_t)count),
                      IFD__ARRAY(w, 2 * r * (size_t)count), IFD__ARRAY(length, count)));
    ifd__sparse_times(b->of.M, last, b->V + (size_t)b->last * n, U);
    ifd__sparse_times(b->of.M, b->still, b->V, U + (size_t)last * n);
    ifd__sparse_times(b->of.M, rows, b->V + (size_t)b->open * n, U + (size_t)(last + b->still) * n);
    memcpy(KU, U, n * (size_t)count * sizeof *U);
    ifd__basis_factor_solve(b->stiffness, count, U);
    for (size_t j = 0; j < (size_t)count; j++)
        length[j] = sqrt(ifd__dot(b->n, U + j * n, KU + j * n));
    project(c, count, U, KU, w);
    ifd__sparse_times(b->of.K, count, U, KU);
    project(c, count, U, KU, w);
    c->directions = orthonormalise(c, count, U, length, KU);
    IFD_TRY(IFD__TAKE(c->arena, IFD__ARRAY(c->F, (size_t)c->directions * r), IFD__ARRAY(F, (size_t)c->directions * r),
                      IFD__ARRAY(c->e, (size_t)c->directions * (size_t)c->columns)));
    if (!c->directions)
        return IFD_OK;
    ifd__sparse_times(b->of.M, c->directions, U, KU);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, c->directions, b->order, b->n, 1.0, KU, b->n, b->V, b->n,
                0.0, w, c->directions);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, c->directions, b->order, b->order, 1.0, w, c->directions,
                c->d->A, b->order, 0.0, F, c->directions);
    for (size_t i = 0; i < (size_t)c->directions * r; i++)
        c->F[i] = F[i];
    return IFD_OK;
}

static bool on_dashpot(const ifd_sparse *C, int dof)
{
    for (int k = C->p[dof]; k < C->p[dof + 1]; k++)
        if (C->x[k] != 0.0)
            return true;
    for (int j = 0; j < dof; j++)
        if (ifd__sparse_get(C, dof, j) != 0.0)
            return true;
    return false;
}

static ifd_status find_dashpots(ifd__certifier *c)
{
    const ifd__linear_structure *of = &c->b->of;
    size_t p = (size_t)of->interfaces;
    IFD_TRY(IFD__TAKE(c->arena, IFD__ARRAY(c->damped, p)));
    for (int i = 0; i < of->interfaces; i++)
        if (on_dashpot(of->C, of->interface[i]))
            c->damped[c->dampers++] = i;
    size_t m = (size_t)c->dampers;
    IFD_TRY(IFD__TAKE(c->arena, IFD__ARRAY(c->C, m * m), IFD__ARRAY(c->S, m * m), IFD__ARRAY(c->pivot, m),
                      IFD__ARRAY(c->f, m * (size_t)c->columns), IFD__ARRAY(c->D, m * (size_t)c->d->order)));
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++) {
            int a = of->interface[c->damped[i]], b = of->interface[c->damped[j]];
            double value = a > b ? ifd__sparse_get(of->C, a, b) : ifd__sparse_get(of->C, b, a);
            c->C[i + j * m] = value / (c->b->scale[c->damped[i]] * c->b->scale[c->damped[j]]);
        }
    return IFD_OK;
}

/* The damped modes are in the basis, so that their damping is diagonal in the reduced ones. */
static ifd_status find_modal(ifd__certifier *c)
{
    const ifd__basis *b = c->b;
    size_t r = (size_t)c->d->order, modal = (size_t)b->of.modal, first = (size_t)c->columns;
    double *Z, *D, most = 0.0, off = 0.0;
    IFD_TRY(IFD__TAKE(c->arena, IFD__ARRAY(c->modal, r)));
    if (!modal)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(c->arena, IFD__ARRAY(Z, r * modal), IFD__ARRAY(D, r * r)));
    for (size_t k = 0; k < modal; k++)
        for (size_t i = 0; i < r; i++)
            Z[i + k * r] = c->d->P[i + (first + k) * r] / b->scale[first + k];
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)r, (int)modal, 1.0, Z, (int)r, 0.0, D, (int)r);
    for (size_t j = 0; j < r; j++) {
        c->modal[j] = D[j + j * r];
        most = fmax(most, D[j + j * r]);
        for (size_t i = j + 1; i < r; i++)
            off = fmax(off, fabs(D[i + j * r]));
    }
    return off <= MIXED * most ? IFD_OK : IFD_UNSUPPORTED;
}

ifd_status ifd__certifier_make(ifd_arena *arena, const ifd__basis *b, const ifd__diagonal *d, ifd__certifier **out)
{
    size_t n = (size_t)b->n, r = (size_t)b->order, columns = (size_t)(b->columns - b->of.modal);
    ifd__certifier *c;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c, 1)));
    *c = (ifd__certifier){.arena = arena, .b = b, .d = d, .columns = (int)columns};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(c->x, r * columns), IFD__ARRAY(c->P, r * columns),
                      IFD__ARRAY(c->H, columns * columns), IFD__ARRAY(c->u, n), IFD__ARRAY(c->R, 2 * n),
                      IFD__ARRAY(c->z, 2 * r), IFD__ARRAY(c->y, r * columns)));
    for (size_t i = 0; i < r * columns; i++)
        c->P[i] = d->P[i];
    IFD_TRY(find_modal(c));
    IFD_TRY(find_directions(c));
    *out = c;
    return find_dashpots(c);
}

/* Z := op(A) B + beta Z, op(A) m x k, B k x n. */
typedef struct product {
    bool transposed;
    int m, n, k;
    number alpha, beta;
} product;

static void multiply(const product *p, const number *A, const number *B, number *Z)
{
    if (p->m && p->n && p->k)
        cblas_zgemm(CblasColMajor, p->transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, p->m, p->n, p->k,
                    &p->alpha, A, p->transposed ? p->k : p->m, B, p->k, &p->beta, Z, p->m);
}

/* The dashpots' share of x and H by the formula of Woodbury: x -= D f, (I + s C H_dd) f = s C H_d. D and H_d are the
 * columns of x and H at the dashpots, without dashpots. */
static ifd_status add_dashpots(ifd__certifier *c, number s)
{
    int r = c->d->order, m = c->dampers, columns = c->columns;
    for (int i = 0; i < m; i++)
        memcpy(c->D + (size_t)i * (size_t)r, c->x + (size_t)c->damped[i] * (size_t)r, (size_t)r * sizeof *c->D);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < m; i++) {
            c->f[i + j * m] = 0.0;
            for (int l = 0; l < m; l++)
                c->f[i + j * m] += s * c->C[i + l * m] * c->H[c->damped[l] + j * columns];
        }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++)
            c->S[i + j * m] = (double)(i == j) + c->f[i + c->damped[j] * m];
    if (LAPACKE_zgesv(LAPACK_COL_MAJOR, m, columns, (lapack_complex_double *)c->S, m, c->pivot,
                      (lapack_complex_double *)c->f, m) != 0)
        return IFD_SINGULAR;
    multiply(&(product){.m = r, .n = columns, .k = m, .alpha = -1.0, .beta = 1.0}, c->D, c->f, c->x);
    return IFD_OK;
}

/* x and H: response of the reduced structure to every column of W, in its modes and at the columns. */
static ifd_status respond(ifd__certifier *c, double omega)
{
    int r = c->d->order, columns = c->columns;
    const ifd__linear_structure *of = &c->b->of;
    const product at_columns = {.transposed = true, .m = columns, .n = columns, .k = r, .alpha = 1.0};
    number s = omega * (number)I;
    for (int i = 0; i < r; i++) {
        number inverse = 1.0 / (c->d->lambda[i] * (1.0 + s * of->ray_k) + s * s + s * (of->ray_m + c->modal[i]));
        for (size_t j = 0; j < (size_t)columns; j++)
            c->x[(size_t)i + j * (size_t)r] = inverse * c->P[(size_t)i + j * (size_t)r];
    }
    multiply(&at_columns, c->P, c->x, c->H);
    if (!c->dampers)
        return IFD_OK;
    IFD_TRY(add_dashpots(c, s));
    multiply(&at_columns, c->P, c->x, c->H);
    return IFD_OK;
}

ifd_status ifd__certifier_at(ifd__certifier *c, double omega, ifd__transfer *to)
{
    const ifd__linear_structure *of = &c->b->of;
    int columns = c->columns, r = c->d->order;
    IFD_TRY(respond(c, omega));
    for (int i = 0; i < r; i++) {
        number turned = omega * ((of->ray_m + c->modal[i]) * (number)I - omega); /* s^2 + s (ray_m + modal) */
        for (size_t j = 0; j < (size_t)columns; j++)
            c->y[(size_t)i + j * (size_t)r] = turned * c->x[(size_t)i + j * (size_t)r];
    }
    multiply(&(product){.m = c->directions, .n = columns, .k = r, .alpha = 1.0}, c->F, c->y, c->e);
    for (int j = 0; j < columns; j++) {
        double sum = 0.0;
        for (int i = 0; i < c->directions; i++)
            sum += pow(cabs(c->e[i + j * c->directions]), 2.0);
        to->rho[j] = sqrt(sum);
    }
    to->alpha = hypot(omega, of->ray_m) / (of->ray_m + of->ray_k * omega * omega);
    if (to->H)
        memcpy(to->H, c->H, (size_t)columns * (size_t)columns * sizeof *c->H);
    return IFD_OK;
}

/* y -= real or imaginary part of (1 + s ray_k) K u + (s^2 + s ray_m) M u + s C u, with the part of u at hand. */
static void subtract(const ifd__certifier *c, double omega, const double *u, bool imaginary, double *real,
                     double *imag)
{
    const ifd__linear_structure *of = &c->b->of;
    double sign = imaginary ? -1.0 : 1.0;
    double *same = imaginary ? imag : real, *other = imaginary ? real : imag;
    ifd__sparse_mul_add(of->K, -1.0, u, same);
    ifd__sparse_mul_add(of->M, omega * omega, u, same);
    ifd__sparse_mul_add(of->K, -sign * omega * of->ray_k, u, other);
    ifd__sparse_mul_add(of->M, -sign * omega * of->ray_m, u, other);
    ifd__sparse_mul_add(of->C, -sign * omega, u, other);
    for (int k = 0; k < of->modal; k++) {
        const double *z = of->row + (size_t)(of->watched - of->modal + k) * (size_t)c->b->n;
        cblas_daxpy(c->b->n, -sign * omega * ifd__dot(c->b->n, z, u), z, 1, other, 1);
    }
}

ifd_status ifd__certifier_direct(ifd__certifier *c, double omega, double *rho)
{
    const ifd__basis *b = c->b;
    size_t n = (size_t)b->n, r = (size_t)b->order;
    double *part = c->z, *z = c->z + r;
    IFD_TRY(respond(c, omega));
    for (size_t j = 0; j < (size_t)c->columns; j++) {
        memcpy(c->R, b->W + j * n, n * sizeof *c->R);
        memset(c->R + n, 0, n * sizeof *c->R);
        for (int imaginary = 0; imaginary < 2; imaginary++) {
            for (size_t i = 0; i < r; i++)
                part[i] = imaginary ? cimag(c->x[i + j * r]) : creal(c->x[i + j * r]);
            cblas_dgemv(CblasColMajor, CblasNoTrans, (int)r, (int)r, 1.0, c->d->A, (int)r, part, 1, 0.0, z, 1);
            cblas_dgemv(CblasColMajor, CblasNoTrans, b->n, (int)r, 1.0, b->V, b->n, z, 1, 0.0, c->u, 1);
            subtract(c, omega, c->u, imaginary, c->R, c->R + n);
        }
        double sum = 0.0;
        for (int imaginary = 0; imaginary < 2; imaginary++) {
            const double *R = c->R + (imaginary ? n : 0);
            memcpy(c->u, R, n * sizeof *R);
            ifd__basis_factor_solve(b->stiffness, 1, c->u);
            sum += ifd__dot(b->n, R, c->u);
        }
        rho[j] = sqrt(fmax(0.0, sum));
    }
    return IFD_OK;
}

/* The frequencies of a certificate, and what is found at them. */
typedef struct survey {
    int count;
    double *omega, *alpha, *rho; /* rho: columns x count */
    double *peak;                /* columns: the largest |H_r| of a row */
    double *H;
} survey;

static ifd_status make_survey(ifd_arena *scratch, const ifd__certifier *c, double highest, survey *v)
{
    size_t columns = (size_t)c->columns, most = GRID + (size_t)c->d->order;
    double top = 2.0 * acos(-1.0) * highest;
    *v = (survey){0};
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(v->omega, most), IFD__ARRAY(v->alpha, most),
                      IFD__ARRAY(v->rho, columns * most), IFD__ARRAY(v->peak, columns),
                      IFD__ARRAY(v->H, 2 * columns * columns)));
    for (int i = 1; i <= GRID; i++)
        v->omega[v->count++] = top * i / GRID;
    for (int i = 0; i < c->d->order && c->d->lambda[i] < top * top; i++)
        v->omega[v->count++] = sqrt(c->d->lambda[i]);
    return IFD_OK;
}

/* Fills rho, alpha and the peaks of the rows over the driven columns. */
static ifd_status look(ifd__certifier *c, survey *v)
{
    size_t columns = (size_t)c->columns;
    for (int k = 0; k < v->count; k++) {
        ifd__transfer at = {.H = v->H, .rho = v->rho + (size_t)k * columns};
        IFD_TRY(ifd__certifier_at(c, v->omega[k], &at));
        v->alpha[k] = at.alpha;
        for (size_t j = 0; j < (size_t)c->b->driven; j++)
            for (size_t i = 0; i < columns; i++) {
                const double *h = v->H + 2 * (i + j * columns);
                v->peak[i] = fmax(v->peak[i], hypot(h[0], h[1]));
            }
    }
    return IFD_OK;
}

/* How much larger the residuals are than rho at some frequencies: 1 but for rounding. */
static ifd_status check(ifd__certifier *c, const survey *v, int worst, double *factor)
{
    int columns = c->columns;
    double *direct;
    IFD_TRY(IFD__TAKE(c->arena, IFD__ARRAY(direct, columns)));
    *factor = 1.0;
    for (int k = 0; k <= CHECKED; k++) {
        int at = k < CHECKED ? GRID * (k + 1) / CHECKED - 1 : worst;
        IFD_TRY(ifd__certifier_direct(c, v->omega[at], direct));
        for (int j = 0; j < columns; j++)
            if (direct[j] > ROUNDING)
                *factor = fmax(*factor, direct[j] / v->rho[j + at * columns]);
    }
    return IFD_OK;
}

ifd_status ifd__certify(ifd_arena *scratch, ifd__certifier *c, double highest, ifd__certificate *out)
{
    const ifd__basis *b = c->b;
    int columns = c->columns, worst = 0;
    survey v;
    double factor;
    IFD_TRY(make_survey(scratch, c, highest, &v));
    IFD_TRY(look(c, &v));
    *out = (ifd__certificate){.below = (v.count - GRID) / (double)c->d->order};
    for (int k = 0; k < v.count; k++)
        for (int i = 0; i < columns; i++)
            for (int j = 0; j < b->driven; j++) {
                bool output = i < b->of.interfaces || i >= b->driven;
                const double *rho = v.rho + (size_t)k * (size_t)columns;
                double bound = output && v.peak[i] > 0.0 ? v.alpha[k] * rho[i] * rho[j] / v.peak[i] : 0.0;
                if (!(bound > out->bound))
                    continue;
                *out = (ifd__certificate){bound, v.omega[k] / (2.0 * acos(-1.0)), i, j, out->below};
                worst = k;
            }
    IFD_TRY(check(c, &v, worst, &factor));
    out->bound *= factor * factor;
    return IFD_OK;
}

enum { FIRST_BLOCKS = 8, MANY = 400 };
static const double GROWTH = 1.25;                      /* of the order from one certificate to the next */
static const double LOW_SHIFT = 0.3, HIGH_SHIFT = 0.75; /* of the highest frequency */
static const double CROWDED = 0.8; /* share of the reduced modes in the range from which the high shift is better */

typedef struct search {
    const ifd__linear_structure *of;
    const ifd__superelement_goal *goal;
    ifd_arena *arena;
    ifd_note *note;
} search;

/* The order up to which the basis grows, before the static shapes of the watched rows are added. */
static int growing(const search *k, int order)
{
    return order >= k->of->K->n ? k->of->K->n : order - (k->of->watched - k->of->modal);
}

static ifd_status certify(ifd__basis *b, double frequency, ifd__certificate *out, ifd_note *note)
{
    ifd__diagonal d;
    ifd__certifier *c;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__basis_close(b);
    ifd_status status = ifd__diagonal_make(scratch, b, &d, note);
    if (status == IFD_OK)
        status = ifd__certifier_make(scratch, b, &d, &c);
    if (status == IFD_OK)
        status = ifd__certify(scratch, c, frequency, out);
    ifd__basis_open(b);
    return status;
}

/* Grows the basis until the certificate meets the tolerance. With may_stop it ends early where a higher shift will do
 * better. */
static ifd_status grow(const search *k, ifd__basis *b, bool may_stop, ifd__certificate *out)
{
    const ifd__superelement_goal *goal = k->goal;
    double order = goal->order ? growing(k, goal->order) : (double)FIRST_BLOCKS * b->driven + b->modes;
    for (;; order *= GROWTH) {
        ifd__basis_extend(b, (int)ceil(order));
        IFD_TRY(certify(b, goal->frequency, out, k->note));
        if (goal->order || out->bound <= goal->tolerance || b->complete || b->order < (int)ceil(order))
            return IFD_OK;
        if (may_stop && b->order >= MANY && out->below > CROWDED)
            return IFD_OK;
    }
}

/* Tries one shift and keeps what it made when its certificate is better than the last one. */
static ifd_status try_shift(const search *k, double shift, bool may_stop, ifd__superelement *best)
{
    ifd__basis b;
    ifd__diagonal d;
    ifd__certificate certificate;
    double radians = 2.0 * acos(-1.0) * shift;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    IFD_TRY(ifd__basis_make(scratch, k->of, radians, growing(k, k->goal->most), &b, k->note));
    IFD_TRY(grow(k, &b, may_stop, &certificate));
    if (best->form.order && !(certificate.bound < best->certificate.bound))
        return IFD_OK;
    *best = (ifd__superelement){.certificate = certificate, .shift = shift, .complete = b.complete};
    ifd__basis_close(&b);
    IFD_TRY(ifd__diagonal_make(scratch, &b, &d, k->note));
    return ifd__physical_make(k->arena, scratch, &b, &d, &best->form);
}

ifd_status ifd__superelement_make(ifd_arena *arena, const ifd__linear_structure *of,
                                  const ifd__superelement_goal *goal, ifd__superelement *out, ifd_note *note)
{
    ifd__linear_structure with = *of;
    with.factoriser = ifd__arena_keeps(arena)->factoriser;
    search k = {.of = &with, .goal = goal, .arena = arena, .note = note};
    bool chosen = goal->shift > 0.0;
    *out = (ifd__superelement){.shift = 0.0};
    IFD_TRY(try_shift(&k, chosen ? goal->shift : LOW_SHIFT * goal->frequency, !chosen, out));
    const ifd__certificate *c = &out->certificate;
    if (chosen || goal->order || c->bound <= goal->tolerance || out->complete || c->below <= CROWDED)
        return IFD_OK;
    IFD_TRY(try_shift(&k, HIGH_SHIFT * goal->frequency, false, out));
    if (c->bound <= goal->tolerance || out->complete)
        return IFD_OK;
    return try_shift(&k, LOW_SHIFT * goal->frequency, false, out); /* it ended early */
}
