/* SPDX-License-Identifier: MIT */
/* The exact roots of a structure that is linearised at rest. */
#include "analysis/stability.h"

#include <interfield/analysis.h>

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/dof_pair.h"
#include "model/equilibrium/at_rest.h"

enum { LARGEST_WHOLE = 1000, LOWEST = 40 };

static const double small = 0x1p-20, at_zero = 1e-7; /* a defective zero has an error of the square root of
                                                      * round-off */

typedef struct finding {
    const ifd_model *m;
    ifd_arena *scratch;
    int N;         /* 2 n + ns */
    double *J;     /* N x N */
    double *y, *w; /* N; scratch of the balance */
    double *f[2];  /* N: rates on both sides */
    double shift;  /* 1/s: J is (J - shift E)^-1 E; 0: J itself */
    ifd_note *note;
} finding;

/* Column j of [0 I 0; F_y; g_y], by differences, which are exact for a linear structure. */
static void rates(finding *x, int j)
{
    const ifd_model *m = x->m;
    int n = m->n;
    for (int side = 0; side < 2; side++) {
        double *y = x->y, *f = x->f[side], keep = y[j];
        y[j] += side ? small : -small;
        memcpy(f, y + n, sizeof *f * (size_t)n);
        ifd__model_balance(m, &(ifd__point){.u = y, .v = y + n, .s = y + 2 * n}, f + n, f + 2 * n, x->w);
        y[j] = keep;
    }
    for (int i = 0; i < x->N; i++)
        x->J[(size_t)i + (size_t)j * (size_t)x->N] = (x->f[1][i] - x->f[0][i]) / (2.0 * small);
}

/* Stiffness and damping of a specimen at rest; states that follow the deformation add to the stiffness. */
static bool specimen_tangent(ifd_arena *scratch, const ifd_element *e, double *k, double *c)
{
    size_t ns = (size_t)e->ns;
    double *pool = ifd_arena_array(scratch, 5 * ns + ns * ns + 1, sizeof *pool), zero = 0.0, r = 0.0;
    if (!pool)
        return false;
    double *s = pool, *s_q = s + ns, *r_s = s_q + ns, *g_v = r_s + ns, *g = g_v + ns;
    if (e->s0 && ns)
        memcpy(s, e->s0, ns * sizeof *s);
    *k = *c = 0.0;
    ifd_element_in in = {.q = &zero, .qd = &zero, .qdd = &zero, .s = s};
    ifd_element_out out = {.r = &r, .r_q = k, .r_v = c, .r_s = r_s, .g_v = g_v, .g = g};
    e->ops->eval(e, &in, &out);
    if (e->ops->advance)
        e->ops->advance(e, &zero, s, s_q);
    for (size_t i = 0; i < ns; i++)
        *k += r_s[i] * (e->ops->advance ? s_q[i] : g_v[i]);
    return true;
}

static bool add_specimens(finding *x, const ifd__linear_specimens *o)
{
    size_t n = (size_t)x->m->n, N = (size_t)x->N;
    for (int i = 0; o && i < o->count; i++) {
        const ifd__ends ends = IFD__ENDS(&o->specimen[i]);
        double value[2]; /* k, c */
        if (!specimen_tangent(x->scratch, &o->rig[i].element, &value[0], &value[1]))
            return false;
        for (size_t d = 0; d < 2; d++)
            for (int a = 0; a < ifd__ends_count(ends); a++)
                for (int b = 0; b < ifd__ends_count(ends); b++) {
                    double left, right;
                    int row = ifd__end(ends, a, &left), column = ifd__end(ends, b, &right);
                    if (row >= 0 && column >= 0)
                        x->J[n + (size_t)row + (d * n + (size_t)column) * N] -= left * right * value[d];
                }
    }
    return true;
}

/* The middle rows times M^-1, M with the mass of elements at rest. */
static ifd_status divide_by_mass(finding *x)
{
    size_t n = (size_t)x->m->n, N = (size_t)x->N;
    double *M, *F;
    IFD_TRY(IFD__TAKE(x->scratch, IFD__ARRAY(M, n * n), IFD__ARRAY(F, n * N)));
    ifd__rest_mass(x->m, M);
    for (size_t j = 0; j < N; j++)
        memcpy(F + j * n, x->J + n + j * N, n * sizeof *F);
    if (LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', (int)n, (int)N, M, (int)n, F, (int)n) != 0)
        return ifd_note_add(x->note, IFD_NOT_POSITIVE, NULL, "the mass matrix at rest is not positive definite");
    for (size_t j = 0; j < N; j++)
        memcpy(x->J + n + j * N, F + j * n, n * sizeof *F);
    return IFD_OK;
}

/* Dofs without mass: y' of E y' = J y with E = diag(I, M, I) has roots at infinity. J := (J - shift E)^-1 E has the
 * roots 1/(root - shift), which for those are zero. With the largest rate as shift the others are of one size. */
static ifd_status shift_and_invert(finding *x)
{
    size_t n = (size_t)x->m->n, N = (size_t)x->N;
    double *E, *M;
    int *pivot;
    IFD_TRY(IFD__TAKE(x->scratch, IFD__ARRAY(E, N * N), IFD__ARRAY(M, n * n), IFD__ARRAY(pivot, N)));
    ifd__rest_mass(x->m, M);
    for (size_t i = 0; i < n; i++)
        if (!x->m->massless[i])
            x->shift = fmax(x->shift, sqrt(fabs(x->J[n + i + i * N]) / M[i + i * n]));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            bool both = i >= n && i < 2 * n && j >= n && j < 2 * n;
            E[i + j * N] = both ? M[i - n + (j - n) * n] : i == j;
            x->J[i + j * N] -= x->shift * E[i + j * N];
        }
    if (!(x->shift > 0.0) || LAPACKE_dgesv(LAPACK_COL_MAJOR, x->N, x->N, x->J, x->N, pivot, E, x->N) != 0)
        return ifd_note_add(x->note, IFD_SINGULAR, NULL, "the stiffness at dofs without mass is singular at rest");
    x->J = E;
    return IFD_OK;
}

/* A root from one of the matrix. With a shift it is the conjugate one, so that the first of a pair still has a
 * positive imaginary part; false if it is at infinity. */
static bool root_of(const finding *x, double *real, double *imag)
{
    static const double none = 1e-5;
    double square = *real * *real + *imag * *imag;
    if (x->shift == 0.0)
        return true;
    if (!(square * x->shift * x->shift > none * none))
        return false;
    *real = x->shift + *real / square;
    *imag /= square;
    return true;
}

typedef struct found {
    double real, imag;
    int column;
} found;

static int by_speed(const void *a, const void *b)
{
    const found *x = a, *y = b;
    double mx = hypot(x->real, x->imag), my = hypot(y->real, y->imag);
    return mx < my ? -1 : mx > my ? 1 : x->column - y->column;
}

static ifd_status make_room(ifd_arena *arena, ifd__exact *e, int count)
{
    size_t rows = (size_t)(e->n + e->ns), columns = (size_t)count;
    return IFD__TAKE(arena, IFD__ARRAY(e->real, columns), IFD__ARRAY(e->imag, columns),
                     IFD__ARRAY(e->re, rows * columns), IFD__ARRAY(e->im, rows * columns));
}

/* Roots of J; those of rigid-body motion, close to zero, are set to zero. */
static ifd_status roots(finding *x, ifd_arena *arena, ifd__exact *e)
{
    size_t N = (size_t)x->N, n = (size_t)e->n, rows = (size_t)(e->n + e->ns);
    double *real, *imag, *V, up = x->shift == 0.0 ? 1.0 : -1.0;
    found *f;
    bool *kept;
    IFD_TRY(IFD__TAKE(x->scratch, IFD__ARRAY(real, N), IFD__ARRAY(imag, N), IFD__ARRAY(V, N * N), IFD__ARRAY(f, N),
                      IFD__ARRAY(kept, N)));
    IFD_TRY(make_room(arena, e, x->N));
    if (LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', x->N, x->J, x->N, real, imag, NULL, 1, V, x->N) != 0)
        return ifd_note_add(x->note, IFD_INTERNAL, NULL,
                            "the eigenvalues of the linearised structure could not be computed");
    int count = 0;
    for (int k = 0; k < x->N; k++) {
        kept[k] = root_of(x, &real[k], &imag[k]);
        e->highest = kept[k] ? fmax(e->highest, hypot(real[k], imag[k])) : e->highest;
    }
    for (int k = 0; k < x->N; k++) {
        if (!kept[k])
            continue;
        e->zeros += hypot(real[k], imag[k]) < at_zero * e->highest;
        if (imag[k] >= 0.0)
            f[count++] = (found){real[k], imag[k], k};
    }
    qsort(f, (size_t)count, sizeof *f, by_speed);
    for (int k = 0; k < count; k++) {
        bool zero = hypot(f[k].real, f[k].imag) < at_zero * e->highest;
        size_t column = (size_t)f[k].column, to = (size_t)k * rows;
        e->real[k] = zero ? 0.0 : f[k].real;
        e->imag[k] = zero ? 0.0 : f[k].imag;
        for (size_t i = 0; i < rows; i++) {
            size_t from = i < n ? i : i + n;
            e->re[to + i] = V[from + column * N];
            e->im[to + i] = f[k].imag > 0.0 ? up * V[from + (column + 1) * N] : 0.0;
        }
    }
    e->count = count;
    e->complete = true;
    return IFD_OK;
}

static ifd_status whole(finding *x, const ifd__linear_specimens *specimens, ifd_arena *arena, ifd__exact *e)
{
    const ifd_model *m = x->m;
    size_t N = (size_t)x->N;
    IFD_TRY(IFD__TAKE(x->scratch, IFD__ARRAY(x->J, N * N), IFD__ARRAY(x->y, 3 * N),
                      IFD__ARRAY(x->w, ifd__model_work(m))));
    x->f[0] = x->y + N;
    x->f[1] = x->f[0] + N;
    memcpy(x->y + 2 * m->n, m->s0, sizeof(double) * (size_t)m->ns);
    if (m->settled)
        memcpy(x->y, m->u0, sizeof(double) * (size_t)m->n);
    for (int j = 0; j < x->N; j++)
        rates(x, j);
    IFD__HAVE(add_specimens(x, specimens));
    IFD_TRY(m->massless ? shift_and_invert(x) : divide_by_mass(x));
    return roots(x, arena, e);
}

/* Undamped modes, their damping ratio by projection; the highest frequency from the diagonals. */
static ifd_status lowest(finding *x, ifd_arena *arena, ifd__exact *e)
{
    const ifd_model *m = x->m;
    size_t n = (size_t)m->n, rows = (size_t)(e->n + e->ns);
    ifd_modes modes;
    int count = m->n < LOWEST ? m->n : LOWEST;
    double *y, *zero, *w;
    IFD_TRY(IFD__TAKE(x->scratch, IFD__ARRAY(y, n), IFD__ARRAY(zero, n), IFD__ARRAY(w, n)));
    IFD_TRY(make_room(arena, e, count));
    IFD_TRY(ifd_model_modes(m, IFD_DOF_X, count, x->scratch, &modes, x->note));
    for (int k = 0; k < count; k++) {
        const double *shape = modes.shape + (size_t)k * n;
        double omega = fmax(0.0, modes.frequency[k]) * 2.0 * acos(-1.0), c = 0.0;
        memset(y, 0, n * sizeof *y);
        ifd__model_linear(m, 1.0, zero, shape, w, y);
        for (size_t i = 0; i < n; i++)
            c += shape[i] * y[i];
        e->real[k] = -0.5 * c;
        e->imag[k] = sqrt(fmax(0.0, omega * omega - 0.25 * c * c));
        e->zeros += omega == 0.0 ? 2 : 0;
        memcpy(e->re + (size_t)k * rows, shape, n * sizeof *shape);
    }
    for (int i = 0; i < m->n; i++) {
        if (m->massless && m->massless[i])
            continue;
        e->highest = fmax(e->highest, 2.0 * sqrt(fabs(ifd__sparse_get(&m->K, i, i) / ifd__sparse_get(&m->M, i, i))));
    }
    e->count = count;
    return IFD_OK;
}

ifd_status ifd__exact_make(ifd_arena *arena, const ifd_model *at_rest, const ifd__linear_specimens *specimens,
                           ifd__exact *out, ifd_note *note)
{
    *out = (ifd__exact){.n = at_rest->n, .ns = at_rest->ns};
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    finding x = {.m = at_rest, .scratch = scratch, .N = 2 * at_rest->n + at_rest->ns, .note = note};
    IFD__HAVE(scratch);
    return x.N <= LARGEST_WHOLE ? whole(&x, specimens, arena, out) : lowest(&x, arena, out);
}

ifd_status ifd_model_roots(ifd_arena *arena, const ifd_model *m, ifd_state_roots *out, ifd_note *note)
{
    ifd__exact e;
    IFD_TRY(ifd__exact_make(arena, m, NULL, &e, note));
    *out = (ifd_state_roots){.count = e.count, .real = e.real, .imag = e.imag, .complete = e.complete};
    return IFD_OK;
}
