/* SPDX-License-Identifier: MIT */
/* Transfer functions of a superelement, and of the full structure where it is kept. With s = j omega, alpha = s^2 + s
 * ray_m and beta = 1 + s ray_k the dynamic stiffness of the reduced form is
 *
 *     [ beta stiffness + alpha mass + s damping    alpha coupling      ]
 *     [ alpha coupling^T                           beta lambda + alpha ]
 *
 * and the border is eliminated. The full one comes from all modes (LAPACK), dashpots by the formula of Woodbury. */
#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "superelement/stored.h"

typedef double complex number;

enum { POINTS = 200 };

typedef struct small {
    const ifd_superelement *s;
    number *S, *z, *y; /* p x p; order: response; rest: D^-1 */
    int *pivot;
} small;

static double of_column(const ifd_superelement *s, int row, int column)
{
    return s->element.form.P[(size_t)row + (size_t)column * (size_t)s->element.form.order];
}

/* z := response of the reduced structure to a column. */
static bool respond(small *x, double omega, int column)
{
    const ifd_superelement *s = x->s;
    const ifd__physical *f = &s->element.form;
    int p = f->interfaces, q = f->order - p;
    number at = omega * (number)I, alpha = at * at + at * s->ray_m, beta = 1.0 + at * s->ray_k;
    for (int i = 0; i < p * p; i++)
        x->S[i] = beta * f->stiffness[i] + alpha * f->mass[i] + at * s->damping[i];
    for (int i = 0; i < p; i++)
        x->z[i] = of_column(s, i, column);
    for (int k = 0; k < q; k++) {
        const double *N = f->coupling + (size_t)k * (size_t)p;
        x->y[k] = 1.0 / (beta * f->lambda[k] + alpha);
        for (int j = 0; j < p; j++) {
            x->z[j] -= alpha * N[j] * x->y[k] * of_column(s, p + k, column);
            for (int i = 0; i < p; i++)
                x->S[i + j * p] -= alpha * alpha * N[i] * N[j] * x->y[k];
        }
    }
    if (p && LAPACKE_zgesv(LAPACK_COL_MAJOR, p, 1, (lapack_complex_double *)x->S, p, x->pivot,
                           (lapack_complex_double *)x->z, p) != 0)
        return false;
    for (int k = 0; k < q; k++) {
        number sum = of_column(s, p + k, column);
        for (int i = 0; i < p; i++)
            sum -= alpha * f->coupling[i + k * p] * x->z[i];
        x->z[p + k] = sum * x->y[k];
    }
    return true;
}

static number seen(const small *x, int row)
{
    number h = 0.0;
    for (int i = 0; i < x->s->element.form.order; i++)
        h += of_column(x->s, i, row) * x->z[i];
    return h;
}

/* Static compliance of a column, which the reduced structure has exactly. */
static ifd_status compliance(small *x, int column, double *out)
{
    if (!respond(x, 0.0, column))
        return IFD_SINGULAR;
    *out = creal(seen(x, column));
    return IFD_OK;
}

/* The bound of one entry: that of the certificate is relative to the largest entry of its row, each scaled by the
 * static compliances of row and column. */
static ifd_status find_bound(small *x, ifd_superelement_curve *c)
{
    const ifd_superelement *s = x->s;
    int driven = s->element.form.interfaces + s->inputs;
    double own, peak = 0.0, each;
    IFD_TRY(compliance(x, c->input, &own));
    for (int j = 0; j < driven; j++) {
        IFD_TRY(compliance(x, j, &each));
        for (int k = 0; k < c->count && each > 0.0; k++) {
            if (!respond(x, 2.0 * acos(-1.0) * c->frequency[k], j))
                return IFD_SINGULAR;
            peak = fmax(peak, cabs(seen(x, c->output)) / sqrt(each));
        }
    }
    c->bound = s->element.certificate.bound * peak * sqrt(own > 0.0 ? own : 0.0);
    return IFD_OK;
}

/* The full structure's modes, and columns in them. */
typedef struct whole {
    int n, dampers;
    double *lambda, *Phi; /* n; n x n */
    double *a, *b;        /* n: output and input column in the modes */
    int *damped;          /* dofs with dashpots */
    number *S, *f;        /* dampers x dampers, dampers */
    int *pivot;
} whole;

static void in_modes(const whole *w, const ifd__linear_structure *of, int column, double *to)
{
    size_t n = (size_t)w->n;
    int given = column - of->interfaces;
    for (size_t i = 0; i < n; i++) {
        to[i] = 0.0;
        if (given < 0)
            to[i] = w->Phi[(size_t)of->interface[column] + i * n];
        for (size_t l = 0; l < n && given >= 0; l++)
            to[i] += w->Phi[l + i * n] * (given < of->inputs ? of->input[l + (size_t)given * n]
                                                             : of->row[l + (size_t)(given - of->inputs) * n]);
    }
}

static ifd_status whole_make(ifd_arena *arena, const ifd__linear_structure *of, const ifd_superelement_curve *c,
                             whole *w)
{
    size_t n = (size_t)of->K->n, m = 0;
    double *M;
    *w = (whole){.n = (int)n};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(w->lambda, n), IFD__ARRAY(w->Phi, n * n), IFD__ARRAY(M, n * n),
                      IFD__ARRAY(w->a, n), IFD__ARRAY(w->b, n), IFD__ARRAY(w->damped, n)));
    ifd__sparse_fill(of->K, w->Phi);
    ifd__sparse_fill(of->M, M);
    if (LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', (int)n, w->Phi, (int)n, M, (int)n, w->lambda) != 0)
        return IFD_NOT_POSITIVE;
    in_modes(w, of, c->output, w->a);
    in_modes(w, of, c->input, w->b);
    for (int i = 0; i < of->interfaces; i++)
        for (int j = 0, any = 0; j < of->interfaces && !any; j++) {
            int a = of->interface[i], b = of->interface[j];
            any = ifd__sparse_get(of->C, a > b ? a : b, a > b ? b : a) != 0.0;
            if (any)
                w->damped[m++] = a;
        }
    w->dampers = (int)m;
    return IFD__TAKE(arena, IFD__ARRAY(w->S, m * m), IFD__ARRAY(w->f, m), IFD__ARRAY(w->pivot, m));
}

/* The sum over the modes of x_i y_i / d_i. */
static number sum(const whole *w, const ifd__linear_structure *of, number s, const double *const xy[2],
                  const int stride[2])
{
    number h = 0.0;
    for (size_t i = 0; i < (size_t)w->n; i++)
        h += xy[0][i * (size_t)stride[0]] * xy[1][i * (size_t)stride[1]] /
             (w->lambda[i] * (1.0 + s * of->ray_k) + s * s + s * of->ray_m);
    return h;
}

/* H = H0 - H0_od (I + s C H0_dd)^-1 s C H0_di */
static bool whole_at(whole *w, const ifd__linear_structure *of, double omega, double *out)
{
    number s = omega * (number)I, h = sum(w, of, s, (const double *const[]){w->a, w->b}, (const int[]){1, 1});
    int m = w->dampers, n = w->n;
    number *right = w->f;
    for (int i = 0; i < m; i++) {
        right[i] = 0.0;
        for (int j = 0; j < m; j++)
            w->S[i + j * m] = i == j;
        for (int l = 0; l < m; l++) {
            int a = w->damped[i], b = w->damped[l];
            number c = s * ifd__sparse_get(of->C, a > b ? a : b, a > b ? b : a);
            right[i] += c * sum(w, of, s, (const double *const[]){w->Phi + b, w->b}, (const int[]){n, 1});
            for (int j = 0; j < m; j++)
                w->S[i + j * m] += c * sum(w, of, s, (const double *const[]){w->Phi + b, w->Phi + w->damped[j]},
                                           (const int[]){n, n});
        }
    }
    if (m && LAPACKE_zgesv(LAPACK_COL_MAJOR, m, 1, (lapack_complex_double *)w->S, m, w->pivot,
                           (lapack_complex_double *)right, m) != 0)
        return false;
    for (int i = 0; i < m; i++)
        h -= right[i] * sum(w, of, s, (const double *const[]){w->a, w->Phi + w->damped[i]}, (const int[]){1, n});
    *out = cabs(h);
    return true;
}

static ifd_status find_full(ifd_arena *arena, const ifd__linear_structure *of, ifd_superelement_curve *c)
{
    whole w;
    double *full = ifd_arena_array(arena, POINTS, sizeof *full);
    if (!full)
        return IFD_NO_MEMORY;
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = scratch ? whole_make(scratch, of, c, &w) : IFD_NO_MEMORY;
    for (int k = 0; k < c->count && status == IFD_OK; k++)
        status = whole_at(&w, of, 2.0 * acos(-1.0) * c->frequency[k], &full[k]) ? IFD_OK : IFD_SINGULAR;
    ifd_arena_close(scratch);
    c->full = full;
    return status;
}

/* The first direction of ground motion, else the dof itself. */
static int input_of(const ifd_superelement *s, int output)
{
    for (int c = s->element.form.interfaces; c < s->element.form.interfaces + s->inputs; c++)
        if (strncmp(s->label[c], "ground ", 7) == 0)
            return c;
    return output;
}

ifd_status ifd_superelement_transfer(ifd_arena *arena, const ifd_superelement *s, int output,
                                     ifd_superelement_curve *out)
{
    const ifd__physical *f = &s->element.form;
    size_t r = (size_t)f->order, p = (size_t)f->interfaces;
    double *frequency, *reduced;
    small x = {.s = s};
    if (output < 0 || output >= f->interfaces)
        return IFD_RANGE;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(frequency, POINTS), IFD__ARRAY(reduced, POINTS), IFD__ARRAY(x.S, p * p),
                      IFD__ARRAY(x.z, r), IFD__ARRAY(x.y, r), IFD__ARRAY(x.pivot, p)));
    *out = (ifd_superelement_curve){.count = POINTS, .frequency = frequency, .reduced = reduced, .output = output};
    out->input = input_of(s, output);
    out->output_name = s->label[output] + 4;
    out->input_name = s->label[out->input];
    for (int k = 0; k < POINTS; k++) {
        frequency[k] = s->frequency * (k + 1) / POINTS;
        if (!respond(&x, 2.0 * acos(-1.0) * frequency[k], out->input))
            return IFD_SINGULAR;
        reduced[k] = cabs(seen(&x, output));
    }
    IFD_TRY(find_bound(&x, out));
    return s->of ? find_full(arena, s->of, out) : IFD_OK;
}

int ifd_superelement_interfaces(const ifd_superelement *s)
{
    return s->element.form.interfaces;
}
