/* SPDX-License-Identifier: MIT */
/* With x = t/h and f = sum_j c_j x^j, every term is a sum of Z_m = (theta h A)^m theta h B:
 *
 *     taylor   W of c_j: E sum_{m<p} (-1)^m Z_m theta^j / (m! (m + j + 1))
 *     alpha    from the Taylor series of the system (y, f, f', ...), whose term of order p is split between the ends.
 *
 * Sajeeb, Roy, Manohar (2007), Int. J. Numer. Meth. Engng, eqs 36, 45 (with M^-1 on every force). */
#include "method/flow.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "base/memory.h"
#include "method/reference.h"

enum { SERIES = 14, MOST_NODES = IFD__FLOW_GRID + 1 };

typedef struct making {
    ifd_arena *scratch;
    const ifd_model *m;
    ifd__flow *f;
    double rate;                                             /* scale of displacements relative to velocities:
                                                              * balances A */
    double *A, *B, *W;                                       /* balanced; of all Gauss points */
    double *power[IFD__FLOW_ORDER + 1], *Z[IFD__FLOW_ORDER]; /* (theta h A)^m, Z_m */
} making;

static double *matrix(ifd_arena *arena, int rows, int columns)
{
    return ifd_arena_array(arena, (size_t)rows * (size_t)columns, sizeof(double));
}

static double factorial(int k)
{
    return tgamma(k + 1.0);
}

/* Column by column: -M^-1 K, -M^-1 C, M^-1. */
static ifd_status make_system(making *k)
{
    const ifd_model *m = k->m;
    ifd__flow *f = k->f;
    size_t n = (size_t)m->n, d = 2 * n;
    double *unit = matrix(k->scratch, m->n, 3), *zero = unit + n, *w = zero + n;
    const ifd_solver *mass;
    IFD_TRY(ifd__model_mass(k->scratch, m, &mass, NULL));
    double *solver = ifd_arena_array(k->scratch, ifd__solver_work(mass), sizeof *solver);
    if (!unit || !solver)
        return IFD_NO_MEMORY;
    for (size_t j = 0; j < n; j++) {
        double *stiff = f->A + n + j * d, *damp = f->A + n + (n + j) * d, *force = f->B + n + j * d;
        unit[j] = 1.0;
        f->A[j + (n + j) * d] = 1.0;
        ifd__model_linear(m, -1.0, unit, zero, w, stiff);
        ifd__model_linear(m, -1.0, zero, unit, w, damp);
        force[j] = 1.0;
        ifd__solver_solve(mass, stiff, solver);
        ifd__solver_solve(mass, damp, solver);
        ifd__solver_solve(mass, force, solver);
        unit[j] = 0.0;
    }
    return IFD_OK;
}

/* Coefficients of the basis polynomials on the nodes 0, 1/grid .. 1, and their integrals. */
static void make_basis(ifd__flow *f)
{
    int nodes = f->grid + 1;
    for (int k = 0; k < nodes; k++) {
        double *c = f->monomial + k * nodes;
        c[0] = 1.0;
        for (int i = 0, degree = 0; i < nodes; i++) {
            if (i == k)
                continue;
            double root = (double)i / f->grid, scale = (double)f->grid / (double)(k - i);
            for (int j = ++degree; j > 0; j--)
                c[j] = scale * (c[j - 1] - root * c[j]);
            c[0] *= -scale * root;
        }
        for (int j = 0; j < f->grid; j++) {
            double x = (j + 1.0) / f->grid, power = x;
            for (int i = 0; i < nodes; i++, power *= x)
                f->integral[j + k * f->grid] += c[i] * power / (i + 1.0);
        }
    }
}

static double basis_at(const ifd__flow *f, int k, double x)
{
    double sum = 0.0;
    for (int j = f->grid; j >= 0; j--)
        sum = sum * x + f->monomial[j + k * (f->grid + 1)];
    return sum;
}

/* A and B in (rate u, v): doubling then starts from the frequency instead of its square. */
static ifd_status make_balanced(making *k)
{
    const ifd__flow *f = k->f;
    size_t n = (size_t)f->n, d = 2 * n;
    if (k->A)
        return IFD_OK;
    k->A = matrix(k->scratch, 2 * f->n, 2 * f->n);
    k->B = matrix(k->scratch, 2 * f->n, f->n);
    k->W = matrix(k->scratch, 2 * f->n, f->n * IFD__NODES);
    if (!k->A || !k->B || !k->W)
        return IFD_NO_MEMORY;
    memcpy(k->B, f->B, sizeof(double) * d * n);
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++)
            k->A[i + j * d] = f->A[i + j * d] * (i < n ? k->rate : 1.0) / (j < n ? k->rate : 1.0);
    return IFD_OK;
}

/* y(theta h) from the propagator, with Gauss points of (0, theta h) as nodes. */
static ifd_status make_exact(making *k, double theta, double *E, double *W)
{
    ifd__flow *f = k->f;
    size_t n = (size_t)f->n, d = 2 * n;
    IFD_TRY(make_balanced(k));
    ifd__gauss gauss;
    ifd__gauss_make(&gauss);
    ifd__propagator p = {.tau = theta * f->opt.h, .E = E, .W = k->W};
    if (!ifd__propagate_make(&gauss, 2 * f->n, f->n, k->A, k->B, &p))
        return IFD_NO_MEMORY;
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++)
            E[i + j * d] *= (j < n ? k->rate : 1.0) / (i < n ? k->rate : 1.0);
    for (int node = 0; node <= f->grid; node++)
        for (int g = 0; g < IFD__NODES; g++) {
            double l = basis_at(f, node, gauss.x[g] * theta);
            const double *from = p.W + (size_t)g * d * n;
            double *to = W + (size_t)node * d * n;
            for (size_t j = 0; j < n; j++)
                for (size_t i = 0; i < d; i++)
                    to[i + j * d] += l * from[i + j * d] / (i < n ? k->rate : 1.0);
        }
    return IFD_OK;
}

/* Powers of theta h A, and Z. */
static ifd_status make_powers(making *k, double theta)
{
    const ifd__flow *f = k->f;
    int d = 2 * f->n;
    double tau = theta * f->opt.h;
    for (int m = 0; m <= f->opt.order; m++) {
        if (!k->power[m])
            k->power[m] = matrix(k->scratch, d, d);
        if (m < f->opt.order && !k->Z[m])
            k->Z[m] = matrix(k->scratch, d, f->n);
        if (!k->power[m] || (m < f->opt.order && !k->Z[m]))
            return IFD_NO_MEMORY;
        memset(k->power[m], 0, sizeof(double) * (size_t)d * (size_t)d);
        for (int i = 0; m == 0 && i < d; i++)
            k->power[0][(size_t)i * (size_t)(d + 1)] = 1.0;
        if (m > 0)
            ifd__matmul_add(d, d, d, tau, f->A, k->power[m - 1], k->power[m]);
        if (m == f->opt.order)
            break;
        memset(k->Z[m], 0, sizeof(double) * (size_t)d * (size_t)f->n);
        ifd__matmul_add(d, f->n, d, tau, k->power[m], f->B, k->Z[m]);
    }
    return IFD_OK;
}

static void add_scaled(size_t count, double factor, const double *from, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] += factor * from[i];
}

static ifd_status make_taylor(making *k, double theta, double *E, double *W)
{
    const ifd__flow *f = k->f;
    int d = 2 * f->n, p = f->opt.order, nodes = f->grid + 1;
    size_t dn = (size_t)d * (size_t)f->n;
    double *sum = matrix(k->scratch, d, f->n);
    if (!sum)
        return IFD_NO_MEMORY;
    for (int m = 0; m <= p; m++)
        add_scaled((size_t)d * (size_t)d, 1.0 / factorial(m), k->power[m], E);
    for (int node = 0; node < nodes; node++) {
        memset(sum, 0, dn * sizeof *sum);
        for (int m = 0; m < p; m++) {
            double weight = 0.0, power = 1.0;
            for (int j = 0; j < nodes; j++, power *= theta)
                weight += f->monomial[j + node * nodes] * power / (m + j + 1.0);
            add_scaled(dn, (m % 2 ? -weight : weight) / factorial(m), k->Z[m], sum);
        }
        ifd__matmul_add(d, f->n, d, 1.0, E, sum, W + (size_t)node * dn);
    }
    return IFD_OK;
}

/* Weight of Z_m in the response to c x^j, before the left side is inverted: all Taylor terms k <= p - 1; the term of
 * order p with 1 - a from the start and a from the end, where x^j has all derivatives up to the j-th. */
static double alpha_weight(int p, double a, int m, int j)
{
    double weight = 0.0;
    int k = m + 1 + j; /* (A h)^k of the extended system contains Z_{k-1-j} of the j-th derivative */
    if (k <= p)
        weight += factorial(j) / factorial(k) * (k == p ? 1.0 - a : 1.0);
    int i = p - 1 - m; /* at the end Z_m multiplies the i-th derivative, j!/(j - i)! */
    if (i >= 0 && i <= j)
        weight += a / factorial(p) * factorial(j) / factorial(j - i);
    return weight;
}

static ifd_status make_alpha(making *k, double theta, double *E, double *W)
{
    const ifd__flow *f = k->f;
    int d = 2 * f->n, p = f->opt.order, nodes = f->grid + 1;
    size_t dd = (size_t)d * (size_t)d, dn = (size_t)d * (size_t)f->n;
    double a = f->opt.alpha, *left = matrix(k->scratch, d, d);
    int *pivot = ifd_arena_array(k->scratch, (size_t)d, sizeof *pivot);
    if (!left || !pivot)
        return IFD_NO_MEMORY;
    add_scaled(dd, 1.0, k->power[0], left);
    add_scaled(dd, -a / factorial(p), k->power[p], left);
    if (!ifd__lu_factor(d, left, pivot))
        return IFD_SINGULAR;
    for (int m = 0; m <= p; m++)
        add_scaled(dd, (m == p ? 1.0 - a : 1.0) / factorial(m), k->power[m], E);
    ifd__lu_solve(d, left, pivot, d, E);
    for (int node = 0; node < nodes; node++) {
        for (int m = 0; m < p; m++) {
            double weight = 0.0, power = 1.0;
            for (int j = 0; j < nodes; j++, power *= theta)
                weight += f->monomial[j + node * nodes] * power * alpha_weight(p, a, m, j);
            add_scaled(dn, weight, k->Z[m], W + (size_t)node * dn);
        }
        ifd__lu_solve(d, left, pivot, f->n, W + (size_t)node * dn);
    }
    return IFD_OK;
}

/* Square root of the largest row sum of M^-1 K, and the row sums of the damping: a scale for short times. */
static double fastest(const ifd__flow *f, double *rate)
{
    size_t n = (size_t)f->n, d = 2 * n;
    double stiff = 0.0, damp = 0.0;
    for (size_t i = n; i < d; i++) {
        double sum[2] = {0.0, 0.0};
        for (size_t j = 0; j < d; j++)
            sum[j >= n] += fabs(f->A[i + j * d]);
        stiff = fmax(stiff, sum[0]);
        damp = fmax(damp, sum[1]);
    }
    *rate = fmax(sqrt(stiff), 1e-3 / f->opt.h);
    return *rate + damp;
}

static ifd_status make_instant(making *k, int at, double theta)
{
    ifd__flow *f = k->f;
    size_t n = (size_t)f->n, d = 2 * n;
    double *E = f->E + (size_t)at * d * d, *W = f->W + (size_t)at * (size_t)(f->grid + 1) * d * n;
    if (f->opt.kind == IFD__FLOW_EXACT)
        return make_exact(k, theta, E, W);
    IFD_TRY(make_powers(k, theta));
    return f->opt.kind == IFD__FLOW_TAYLOR ? make_taylor(k, theta, E, W) : make_alpha(k, theta, E, W);
}

static ifd_status fill(making *k)
{
    ifd__flow *f = k->f;
    IFD_TRY(make_system(k));
    make_basis(f);
    f->pieces = f->opt.kind == IFD__FLOW_EXACT ? (int)fmin(ceil(2.0 * fastest(f, &k->rate) * f->opt.h), 1e6) : 1;
    f->pieces = f->pieces > 1 ? f->pieces : 1;
    int instants = f->opt.inner ? f->grid : 1;
    for (int at = 0; at < instants; at++)
        IFD_TRY(make_instant(k, at, (at + 1.0) / instants));
    return IFD_OK;
}

/* Numbers over n^2 of the matrices that stay, and of those during the set-up. */
static double size_of(const ifd__flow_options *o)
{
    double instants = o->inner ? o->grid : 1.0, stay = instants * (4.0 + 2.0 * (o->grid + 1)) + 6.0;
    return stay + (o->kind == IFD__FLOW_EXACT ? 6.0 + 6.0 * IFD__NODES + 8.0 : 6.0 * o->order + 4.0 + 4.0 * instants);
}

static ifd_status check_memory(const ifd_model *m, const ifd__flow_options *opt, ifd_note *note)
{
    ifd_status status = ifd__memory_check(8.0 * m->n * m->n * size_of(opt), "an exponential method", note);
    if (status != IFD_OK)
        ifd_note_hint(note,
                      "its matrices are full, and this model has %d dofs; use another method, or reduce the "
                      "model (interfield help reduce)",
                      m->n);
    return status;
}

ifd_status ifd__flow_make(ifd_arena *arena, const ifd_model *m, const ifd__flow_options *opt, ifd__flow **out,
                          ifd_note *note)
{
    assert(opt->grid >= 1 && opt->grid <= IFD__FLOW_GRID && opt->order <= IFD__FLOW_ORDER);
    IFD_TRY(check_memory(m, opt, note));
    ifd__flow *f;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(f, 1)));
    int n = m->n, d = 2 * n, nodes = opt->grid + 1, instants = opt->inner ? opt->grid : 1;
    *f = (ifd__flow){.opt = *opt,
                     .n = n,
                     .grid = opt->grid,
                     .E = matrix(arena, d, d * instants),
                     .W = matrix(arena, d, n * nodes * instants),
                     .A = matrix(arena, d, d),
                     .B = matrix(arena, d, n),
                     .monomial = matrix(arena, nodes, nodes),
                     .integral = matrix(arena, nodes, nodes),
                     .w = matrix(arena, n, 2 * nodes + 8)};
    if (!f->E || !f->W || !f->A || !f->B || !f->monomial || !f->integral || !f->w)
        return IFD_NO_MEMORY;
    ifd_arena *scratch = ifd_arena_open();
    making k = {.scratch = scratch, .m = m, .f = f, .rate = 1.0};
    ifd_status status = scratch ? fill(&k) : IFD_NO_MEMORY;
    ifd_arena_close(scratch);
    if (status == IFD_SINGULAR)
        return ifd_note_add(note, status, NULL, "the step %g s makes I - alpha (Ah)^p/p! singular: use another alpha",
                            opt->h);
    *out = f;
    return status;
}

void ifd__flow_free(const ifd__flow *f, int j, const double *y0, double *y)
{
    size_t d = 2 * (size_t)f->n, at = f->opt.inner ? (size_t)j - 1 : 0;
    memset(y, 0, d * sizeof *y);
    ifd__mul_add(2 * f->n, 2 * f->n, 1.0, f->E + at * d * d, y0, y);
}

void ifd__flow_force(const ifd__flow *f, int j, const double *force, double *y)
{
    size_t n = (size_t)f->n, d = 2 * n, at = f->opt.inner ? (size_t)j - 1 : 0, nodes = (size_t)f->grid + 1;
    /* The matrices of one instant are adjacent, as the rows of force are: one product. */
    ifd__mul_add((int)d, (int)(nodes * n), 1.0, f->W + at * nodes * d * n, force, y);
}

/* Coefficients of f in the interval of given length that begins at x: Taylor's shift of sum_j c_j x^j. */
static IFD_RT void shift(int nodes, int n, double x, double length, const double *c, double *out)
{
    for (int i = 0; i < n; i++) {
        double a[MOST_NODES], scale = 1.0;
        for (int j = 0; j < nodes; j++)
            a[j] = c[j * n + i];
        for (int k = 0; k < nodes; k++)
            for (int j = nodes - 2; j >= k; j--)
                a[j] += x * a[j + 1];
        for (int j = 0; j < nodes; j++, scale *= length)
            out[j * n + i] = scale * a[j];
    }
}

/* y := its series to (A tau)^terms over one interval: d_{k+1} = tau (A d_k + B c_k)/(k + 1), y = sum d_k. */
static IFD_RT void series(const ifd__flow *f, double tau, int terms, const double *c, double *y)
{
    int n = f->n, d = 2 * n;
    double *now = f->w + 2 * (f->grid + 1) * n, *next = now + d;
    memcpy(now, y, sizeof(double) * (size_t)d);
    for (int k = 0; k < terms; k++) {
        memset(next, 0, sizeof(double) * (size_t)d);
        ifd__mul_add(d, d, tau / (k + 1.0), f->A, now, next);
        if (k <= f->grid)
            ifd__mul_add(d, n, tau / (k + 1.0), f->B, c + k * n, next);
        for (int i = 0; i < d; i++)
            y[i] += next[i];
        memcpy(now, next, sizeof(double) * (size_t)d);
    }
}

void ifd__flow_inside(const ifd__flow *f, double theta, const double *y0, const double *y1, const double *force,
                      double *y)
{
    int n = f->n, nodes = f->grid + 1, d = 2 * n, p = f->opt.order;
    double *c = f->w, *shifted = c + nodes * n, *end = shifted + nodes * n + 2 * d;
    memset(c, 0, sizeof(double) * (size_t)(nodes * n));
    for (int k = 0; k < nodes; k++)
        for (int j = 0; j < nodes; j++)
            for (int i = 0; i < n; i++)
                c[j * n + i] += f->monomial[j + k * nodes] * force[k * n + i];
    memcpy(y, y0, sizeof(double) * (size_t)d);
    double length = theta / f->pieces;
    if (f->opt.kind == IFD__FLOW_EXACT) {
        for (int k = 0; k < f->pieces; k++) {
            shift(nodes, n, k * length, length, c, shifted);
            series(f, length * f->opt.h, SERIES, shifted, y);
        }
        return;
    }
    /* The series to order p, corrected by theta^(p+1) so that it ends at y1. */
    shift(nodes, n, 0.0, theta, c, shifted);
    series(f, theta * f->opt.h, p, shifted, y);
    memcpy(end, y0, sizeof(double) * (size_t)d);
    series(f, f->opt.h, p, c, end);
    for (int i = 0; i < d; i++)
        y[i] += pow(theta, p + 1.0) * (y1[i] - end[i]);
}
