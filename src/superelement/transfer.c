/* SPDX-License-Identifier: MIT */
/* Transfer functions of a superelement, and of the full structure where it is kept. With s = j omega, alpha = s^2 + s
 * ray_m and beta = 1 + s ray_k the dynamic stiffness of the reduced form is
 *
 *     [ beta stiffness + alpha mass + s damping    alpha coupling      ]
 *     [ alpha coupling^T                           beta lambda + alpha ]
 *
 * and the border is eliminated. Modal damping s Z Z^T is added by the formula of Woodbury. The full one comes from
 * all modes (LAPACK), with their damping; dashpots by the formula of Woodbury. */
#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "superelement/stored.h"
#include "base/arena.h"

typedef double complex number;

enum { POINTS = 200 };

typedef struct small {
    const ifd_superelement *s;
    double omega;      /* at which S, y, Y and G were made; negative: none */
    number *S, *z, *y; /* p x p, factored; order: response; rest: D^-1 */
    int *pivot;
    int modal, *swap; /* columns of modal damping, at the end */
    number *Y, *G;    /* order x modal: responses to them; modal x modal: I / s + Z^T Y, factored */
    number *t;        /* modal */
} small;

static double of_column(const ifd_superelement *s, int row, int column)
{
    return s->element.form.P[(size_t)row + (size_t)column * (size_t)s->element.form.order];
}

static int modal_column(const small *x, int k)
{
    return ifd__stored_columns(x->s) - x->modal + k;
}

/* z := response of the reduced structure to a column, without modal damping. */
static bool respond_plain(const small *x, int column, number *z)
{
    const ifd_superelement *s = x->s;
    const ifd__physical *f = &s->element.form;
    int p = f->interfaces, q = f->order - p;
    number at = x->omega * (number)I, alpha = at * at + at * s->ray_m;
    for (int i = 0; i < p; i++)
        z[i] = of_column(s, i, column);
    for (int k = 0; k < q; k++)
        for (int j = 0; j < p; j++)
            z[j] -= alpha * f->coupling[j + k * p] * x->y[k] * of_column(s, p + k, column);
    if (p && LAPACKE_zgetrs(LAPACK_COL_MAJOR, 'N', p, 1, (lapack_complex_double *)x->S, p, x->pivot,
                            (lapack_complex_double *)z, p) != 0)
        return false;
    for (int k = 0; k < q; k++) {
        number sum = of_column(s, p + k, column);
        for (int i = 0; i < p; i++)
            sum -= alpha * f->coupling[i + k * p] * z[i];
        z[p + k] = sum * x->y[k];
    }
    return true;
}

static number along(const small *x, int row, const number *z)
{
    number h = 0.0;
    for (int i = 0; i < x->s->element.form.order; i++)
        h += of_column(x->s, i, row) * z[i];
    return h;
}

/* Y and G. At omega = 0 there is no damping. */
static bool prepare_modal(small *x)
{
    size_t r = (size_t)x->s->element.form.order, m = x->omega > 0.0 ? (size_t)x->modal : 0;
    for (size_t k = 0; k < m; k++) {
        if (!respond_plain(x, modal_column(x, (int)k), x->Y + k * r))
            return false;
        for (size_t i = 0; i < m; i++)
            x->G[i + k * m] = along(x, modal_column(x, (int)i), x->Y + k * r);
        x->G[k + k * m] += 1.0 / (x->omega * (number)I);
    }
    return !m ||
           LAPACKE_zgetrf(LAPACK_COL_MAJOR, (int)m, (int)m, (lapack_complex_double *)x->G, (int)m, x->swap) == 0;
}

/* S, factored, y, Y and G at omega. */
static bool prepare(small *x, double omega)
{
    const ifd_superelement *s = x->s;
    const ifd__physical *f = &s->element.form;
    int p = f->interfaces, q = f->order - p;
    number at = omega * (number)I, alpha = at * at + at * s->ray_m, beta = 1.0 + at * s->ray_k;
    if (omega == x->omega)
        return true;
    x->omega = omega;
    for (int i = 0; i < p * p; i++)
        x->S[i] = beta * f->stiffness[i] + alpha * f->mass[i] + at * s->damping[i];
    for (int k = 0; k < q; k++) {
        const double *N = f->coupling + (size_t)k * (size_t)p;
        x->y[k] = 1.0 / (beta * f->lambda[k] + alpha);
        for (int j = 0; j < p; j++)
            for (int i = 0; i < p; i++)
                x->S[i + j * p] -= alpha * alpha * N[i] * N[j] * x->y[k];
    }
    if (p && LAPACKE_zgetrf(LAPACK_COL_MAJOR, p, p, (lapack_complex_double *)x->S, p, x->pivot) != 0)
        return false;
    return prepare_modal(x);
}

/* z := response of the reduced structure to a column. */
static bool respond(small *x, double omega, int column)
{
    size_t r = (size_t)x->s->element.form.order;
    if (!prepare(x, omega) || !respond_plain(x, column, x->z))
        return false;
    if (!x->modal || !(omega > 0.0))
        return true;
    for (int k = 0; k < x->modal; k++)
        x->t[k] = along(x, modal_column(x, k), x->z);
    if (LAPACKE_zgetrs(LAPACK_COL_MAJOR, 'N', x->modal, 1, (lapack_complex_double *)x->G, x->modal, x->swap,
                       (lapack_complex_double *)x->t, x->modal) != 0)
        return false;
    for (size_t k = 0; k < (size_t)x->modal; k++)
        for (size_t i = 0; i < r; i++)
            x->z[i] -= x->Y[i + k * r] * x->t[k];
    return true;
}

static number seen(const small *x, int row)
{
    return along(x, row, x->z);
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
static ifd_status find_bound(ifd_arena *arena, small *x, ifd_superelement_curve *c)
{
    const ifd_superelement *s = x->s;
    int driven = s->element.form.interfaces + s->inputs;
    double own, peak = 0.0, *each;
    IFD_TRY(compliance(x, c->input, &own));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(each, driven)));
    for (int j = 0; j < driven; j++)
        IFD_TRY(compliance(x, j, &each[j]));
    for (int k = 0; k < c->count; k++)
        for (int j = 0; j < driven; j++) {
            if (!respond(x, 2.0 * acos(-1.0) * c->frequency[k], j))
                return IFD_SINGULAR;
            if (each[j] > 0.0)
                peak = fmax(peak, cabs(seen(x, c->output)) / sqrt(each[j]));
        }
    c->bound = s->element.certificate.bound * peak * sqrt(own > 0.0 ? own : 0.0);
    return IFD_OK;
}

/* The full structure's modes, and columns in them. */
typedef struct whole {
    int n, dampers;
    double *lambda, *Phi; /* n; n x n */
    double *modal;        /* n: modal damping */
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
                      IFD__ARRAY(w->a, n), IFD__ARRAY(w->b, n), IFD__ARRAY(w->damped, n), IFD__ARRAY(w->modal, n)));
    ifd__sparse_fill(of->K, w->Phi);
    ifd__sparse_fill(of->M, M);
    if (LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', (int)n, w->Phi, (int)n, M, (int)n, w->lambda) != 0)
        return IFD_NOT_POSITIVE;
    for (int k = 0; k < of->modal; k++) {
        in_modes(w, of, of->interfaces + of->inputs + of->watched - of->modal + k, w->a);
        for (size_t i = 0; i < n; i++)
            w->modal[i] += w->a[i] * w->a[i];
    }
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
             (w->lambda[i] * (1.0 + s * of->ray_k) + s * s + s * (of->ray_m + w->modal[i]));
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
    double *full;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(full, POINTS)));
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_status status = whole_make(scratch, of, c, &w);
    for (int k = 0; k < c->count && status == IFD_OK; k++)
        status = whole_at(&w, of, 2.0 * acos(-1.0) * c->frequency[k], &full[k]) ? IFD_OK : IFD_SINGULAR;
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
    size_t modal = (size_t)ifd__stored_modal(s);
    small x = {.s = s, .omega = -1.0, .modal = (int)modal};
    if (output < 0 || output >= f->interfaces)
        return IFD_RANGE;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(frequency, POINTS), IFD__ARRAY(reduced, POINTS), IFD__ARRAY(x.S, p * p),
                      IFD__ARRAY(x.z, r), IFD__ARRAY(x.y, r), IFD__ARRAY(x.pivot, p), IFD__ARRAY(x.Y, r * modal),
                      IFD__ARRAY(x.G, modal * modal), IFD__ARRAY(x.t, modal), IFD__ARRAY(x.swap, modal)));
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
    IFD_TRY(find_bound(arena, &x, out));
    return s->of ? find_full(arena, s->of, out) : IFD_OK;
}

int ifd_superelement_interfaces(const ifd_superelement *s)
{
    return s->element.form.interfaces;
}
