/* SPDX-License-Identifier: MIT */
/* Solutions with the factor of S in single precision, F ~ S^-1, and S itself in double precision. Each solution
 * starts from the last one, x0, and adds one correction, so that the number of operations is fixed:
 *
 *     x = x0 + F (b - S x0),   x - S^-1 b = (I - F S) (x0 - S^-1 b)
 *
 * The error is that of x0 times the contraction theta = |I - F S| in the norm |x|^2 = x^T S x, which is an energy for
 * the increments of a step (M + c C + c^2 K): theta is a few times the unit round-off of single precision, 6e-8, for
 * the matrix of a frame, and grows with its condition. It is measured at set-up.
 *
 * The residual b - S x of a solution is measured in the next one, which computes S x anyway. It is the force that the
 * step has added to the structure, times h; relative to the largest b so far it is the error of the load. The norm of
 * both has the weights 1 / S_ii, which make forces and moments comparable. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "method/tangent_inside.h"

enum { ITERATIONS = 12 /* of the power method; the estimate is then within a few per cent for frames */ };

static const double MOST_THETA = 1e-4;    /* at set-up */
static const double MOST_RESIDUAL = 1e-5; /* of the largest b */

int ifd__tangent_last(const ifd__tangent *T, int part)
{
    const int count[] = {T->m->n, T->m->n, IFD__LAST_MEASURES};
    return T->single ? count[part] : 0;
}

void ifd__tangent_from(ifd__tangent *T, double *last)
{
    if (T->single)
        T->single->last = last;
}

bool ifd__tangent_precise(const ifd__tangent *T)
{
    return !T->single || T->single->last[2 * T->m->n + IFD__LAST_RESIDUAL] <= MOST_RESIDUAL;
}

/* y -= B D B^T x of the elements that correct the base. */
static void subtract_active(ifd__tangent *T, const double *x, double *y)
{
    const ifd_model *m = T->m;
    for (int k = 0; k < T->actives; k++) {
        const ifd__block *b = &T->block[T->active[k]];
        double *q = T->wq + b->q, *f = T->wq2 + b->q;
        for (int i = 0; i < b->nq; i++) {
            q[i] = f[i] = 0.0;
            for (int l = m->b_start[b->q + i]; l < m->b_start[b->q + i + 1]; l++)
                q[i] += m->b_value[l] * x[m->b_dof[l]];
        }
        ifd__mul_add(b->nq, b->nq, 1.0, b->D, q, f);
        for (int i = 0; i < b->nq; i++)
            for (int l = m->b_start[b->q + i]; l < m->b_start[b->q + i + 1]; l++)
                y[m->b_dof[l]] -= m->b_value[l] * f[i];
    }
}

/* The residual of the last solution, whose product with S is q; then the largest b. */
static void measure(const ifd__single *p, int n, const double *q, const double *b)
{
    const double *rest = p->last + n;
    double *measured = p->last + 2 * n, *r = p->r;
    for (int i = 0; i < n; i++)
        r[i] = (rest[i] - q[i]) * p->weight[i];
    double residual = sqrt(ifd__dot(n, r, r));
    for (int i = 0; i < n; i++)
        r[i] = b[i] * p->weight[i];
    double size = sqrt(ifd__dot(n, r, r)), relative = residual / measured[IFD__LAST_LARGEST];
    if (residual != 0.0 && !(relative <= measured[IFD__LAST_RESIDUAL]))
        measured[IFD__LAST_RESIDUAL] = isfinite(relative) ? relative : DBL_MAX;
    if (size > measured[IFD__LAST_LARGEST])
        measured[IFD__LAST_LARGEST] = size;
}

void ifd__tangent_single_solve(ifd__tangent *T, double *x)
{
    const ifd__single *p = T->single;
    int n = T->m->n;
    double *last = p->last, *rest = last + n, *q = p->q;
    memset(q, 0, sizeof(double) * (size_t)n);
    ifd__sparse_mul_add(&p->S, 1.0, last, q);
    measure(p, n, q, x);
    for (int i = 0; i < n; i++) {
        rest[i] = x[i];
        x[i] -= q[i];
    }
    subtract_active(T, last, x);
    ifd__tangent_base_solve(T, x);
    for (int i = 0; i < n; i++) {
        x[i] += last[i];
        last[i] = x[i];
    }
    subtract_active(T, last, rest);
}

/* The largest |eigenvalue| of I - F S by the power method; the operator is symmetric in the product x^T S y. */
static double contraction(const ifd__tangent *T, double *x, double *y)
{
    const ifd__single *p = T->single;
    int n = T->m->n;
    double theta = 0.0, before = 0.0;
    for (int i = 0; i < n; i++)
        x[i] = ((i * 37 + 11) % 101 / 50.0 - 1.0) * p->weight[i];
    for (int k = 0; k <= ITERATIONS; k++) {
        memset(y, 0, sizeof(double) * (size_t)n);
        ifd__sparse_mul_add(&p->S, 1.0, x, y);
        double size = sqrt(fabs(ifd__dot(n, x, y)));
        if (!(size > 0.0) || !isfinite(size))
            return size == 0.0 ? 0.0 : (double)INFINITY;
        theta = k ? size / before : 0.0;
        for (int i = 0; i < n; i++) {
            x[i] /= size;
            y[i] /= size;
        }
        before = 1.0;
        ifd__solver_solve(T->base, y, T->wbase);
        for (int i = 0; i < n; i++)
            x[i] -= y[i];
    }
    return theta;
}

ifd_status ifd__tangent_make_single(ifd__tangent *T, ifd_arena *arena, const ifd_sparse *S, ifd_note *note)
{
    ifd__single *p = ifd_arena_take(arena, sizeof *p);
    size_t n = (size_t)T->m->n;
    if (!p)
        return IFD_NO_MEMORY;
    p->S = *S;
    IFD_TRY(ifd__sparse_pack(arena, &p->S));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->weight, n), IFD__ARRAY(p->r, n), IFD__ARRAY(p->q, n)));
    for (size_t i = 0; i < n; i++)
        p->weight[i] = 1.0 / sqrt(ifd__sparse_get(S, (int)i, (int)i));
    T->single = p;
    p->contraction = contraction(T, p->r, p->q);
    if (p->contraction <= MOST_THETA)
        return IFD_OK;
    return ifd_note_add(
        note, IFD_RANGE, &T->opt.single->place,
        "'factor: single' leaves %.2g of the error of a solution, expected %.2g or less: the matrix of "
        "the step is too ill-conditioned (very stiff beside soft parts); use 'factor: double'",
        p->contraction, MOST_THETA);
}
