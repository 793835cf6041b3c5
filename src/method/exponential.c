/* SPDX-License-Identifier: MIT */
/* Exponential methods: the linear part is advanced exactly (or by its Taylor form), the force is a polynomial over
 * the step.
 *
 *     M u'' + C u' + K u = f(t, u, v, s) := P(t) + load + elements
 *     y_j = E_j y_0 + sum_k W_jk f_k,    s_j = s_0 + h sum_k w_jk g_k       at the instants j h / grid
 *
 * Without elements f is known in advance and the step is one product. With elements this is multi-step transversal
 * linearisation: the terms of f that depend on the state start constant and are corrected a fixed number of times. A
 * mass m(q) enters f too, f = M a + C v + K u with a = m(q)^-1 (P - R), M being the constant base.
 *
 * Sajeeb, Roy, Manohar (2007), Int. J. Numer. Meth. Engng, sections 2, 4 and 5. */
#include "base/arena.h"
#include "method/stepper.h"
#include "method/tangent.h"
#include "model/equilibrium/relax.h"
#include "algebra/dense.h"
#include "base/memory.h"
#include "method/reference.h"
#include "model/model.h"

#include <math.h>
#include <string.h>
#include <assert.h>

/* Flow: advances the linear part of a model by one step with one product.
 *
 *     y' = A y + B f(t),   y = (u, v),   A = [0 I; -M^-1 K, -M^-1 C],   B = [0; M^-1]
 *     y(theta h) = E y(0) + sum_k W_k f_k,       f the polynomial through f_k at k h / grid, k = 0 .. grid
 *
 * E and W are computed once, for the end of the step or for every instant of its grid, in one of three forms:
 *
 *     exact    e^{Ah} by scaling and doubling, f integrated exactly
 *     taylor   e^{Ah} to (Ah)^p, e^{-As} under the integral to s^{p-1}
 *     alpha    the term of order p taken between both ends: [I - a (Ah)^p/p!] y1 = [... + (1 - a) (Ah)^p/p!] y0
 *
 * Matrices are dense: the memory grows with the square of the dofs, the time of set-up with their cube. */

enum { IFD__FLOW_GRID = 8, IFD__FLOW_ORDER = 12 };

typedef enum ifd__flow_kind { IFD__FLOW_EXACT, IFD__FLOW_TAYLOR, IFD__FLOW_ALPHA } ifd__flow_kind;

typedef struct ifd__flow_options {
    ifd__flow_kind kind;
    double h;
    int grid;     /* sub-intervals, 1 to IFD__FLOW_GRID */
    bool inner;   /* E and W for every instant of the grid, not only for the end */
    int order;    /* p; taylor and alpha */
    double alpha; /* a; alpha */
} ifd__flow_options;

typedef struct ifd__flow {
    ifd__flow_options opt;
    int n, grid;
    double *E;        /* per instant: 2n x 2n */
    double *W;        /* per instant: grid + 1 matrices 2n x n */
    double *A, *B;    /* 2n x 2n, 2n x n */
    double *monomial; /* [j + k (grid + 1)]: coefficient of x^j in the basis polynomial of node k, x = t/h */
    double *integral; /* [j + k grid]: its integral from 0 to instant j + 1 */
    int pieces;       /* exact flow between instants: a step is divided until the series below converges */
    double *w;        /* scratch of inside */
} ifd__flow;

/* With x = t/h and f = sum_j c_j x^j, every term is a sum of Z_m = (theta h A)^m theta h B:
 *
 *     taylor   W of c_j: E sum_{m<p} (-1)^m Z_m theta^j / (m! (m + j + 1))
 *     alpha    from the Taylor series of the system (y, f, f', ...), whose term of order p is split between the ends.
 *
 * Sajeeb, Roy, Manohar (2007), Int. J. Numer. Meth. Engng, eqs 36, 45 (with M^-1 on every force). */

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
    double *unit, *zero, *w, *solver;
    const ifd_solver *mass;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(unit, n), IFD__ARRAY(zero, n), IFD__ARRAY(w, n)));
    IFD_TRY(ifd__model_mass(k->scratch, m, &mass, NULL));
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(solver, ifd__solver_work(mass))));
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
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(k->A, d * d), IFD__ARRAY(k->B, d * n),
                      IFD__ARRAY(k->W, d * n * IFD__NODES)));
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
    size_t dd = (size_t)d * (size_t)d;
    double tau = theta * f->opt.h;
    for (int m = 0; m <= f->opt.order; m++) {
        if (!k->power[m])
            IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(k->power[m], dd)));
        if (m < f->opt.order && !k->Z[m])
            IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(k->Z[m], (size_t)d * (size_t)f->n)));
        memset(k->power[m], 0, sizeof(double) * dd);
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
    double *sum;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(sum, dn)));
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
    double a = f->opt.alpha, *left;
    int *pivot;
    IFD_TRY(IFD__TAKE(k->scratch, IFD__ARRAY(left, dd), IFD__ARRAY(pivot, d)));
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

/* IFD_NO_MEMORY, with the memory it needs in the note, if the matrices have no room. */
static ifd_status flow_make(ifd_arena *arena, const ifd_model *m, const ifd__flow_options *opt, ifd__flow **out,
                            ifd_note *note)
{
    assert(opt->grid >= 1 && opt->grid <= IFD__FLOW_GRID && opt->order <= IFD__FLOW_ORDER);
    IFD_TRY(check_memory(m, opt, note));
    ifd__flow *f;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(f, 1)));
    size_t n = (size_t)m->n, d = 2 * n, nodes = (size_t)opt->grid + 1, instants = opt->inner ? nodes - 1 : 1;
    *f = (ifd__flow){.opt = *opt, .n = m->n, .grid = opt->grid};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(f->E, d * d * instants), IFD__ARRAY(f->W, d * n * nodes * instants),
                      IFD__ARRAY(f->A, d * d), IFD__ARRAY(f->B, d * n), IFD__ARRAY(f->monomial, nodes * nodes),
                      IFD__ARRAY(f->integral, nodes * nodes), IFD__ARRAY(f->w, n * (2 * nodes + 8))));
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    making k = {.scratch = scratch, .m = m, .f = f, .rate = 1.0};
    ifd_status status = fill(&k);
    if (status == IFD_SINGULAR)
        return ifd_note_add(note, status, NULL, "the step %g s makes I - alpha (Ah)^p/p! singular: use another alpha",
                            opt->h);
    *out = f;
    return status;
}

/* free: y := E y0 at the end of the step, or at instant j = 1 .. grid if `inner`. Then y += sum_k W_k f_k. f: grid +
 * 1 rows of n. */
static IFD_RT void flow_free(const ifd__flow *f, int j, const double *y0, double *y)
{
    size_t d = 2 * (size_t)f->n, at = f->opt.inner ? (size_t)j - 1 : 0;
    memset(y, 0, d * sizeof *y);
    ifd__mul_add(2 * f->n, 2 * f->n, 1.0, f->E + at * d * d, y0, y);
}

static IFD_RT void flow_force(const ifd__flow *f, int j, const double *force, double *y)
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

/* y at theta h inside the step from y0 to y1 under f: exact, or of the order of the flow and continuous at the
 * steps. */
static IFD_RT void flow_inside(const ifd__flow *f, double theta, const double *y0, const double *y1,
                               const double *force, double *y)
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

enum { MOST_PAST = 8 };

typedef struct exponential {
    ifd__flow *flow;
    int grid, iterations, past;
    int y0, force, loads, count; /* offsets in x: start of the last step and its f; measured loads, their number */
    ifd__tangent *mass;          /* for inertial models */
    double *P;                   /* grid + 1 rows of n: loads that do not depend on the state */
    double *free, *y;            /* grid rows of 2n: E_j y_0; y_j */
    double *s, *g;               /* ns; grid + 1 rows of ns */
    double *load;                /* grid + 1 rows of n: the measured load over the step */
    double *a, *w;               /* n; scratch of the model */
    double weight[MOST_PAST * MOST_PAST * (IFD__FLOW_GRID + 1)]; /* weights of measured loads: [(known - 1), node,
                                                                  * value] */
} exponential;

static bool has(const ifd_step_options *opt, const char *name)
{
    return ifd_param_find(opt->method->params, name) >= 0;
}

static ifd_status whole(const ifd_step_options *opt, const char *name, int *out, ifd_note *note)
{
    double number = ifd__step_value(opt, name)->number;
    *out = (int)number;
    if (number == floor(number))
        return IFD_OK;
    return ifd_note_add(note, IFD_RANGE, NULL, "%s of method %s is %g; expected an integer", name, opt->method->name,
                        number);
}

static ifd_status flow_options(const ifd_stepper *s, const ifd_step_options *opt, ifd__flow_options *out,
                               ifd_note *note)
{
    *out = (ifd__flow_options){.kind = IFD__FLOW_EXACT, .h = s->h, .inner = s->model->ne > 0};
    bool transversal = !has(opt, "grid");
    IFD_TRY(whole(opt, transversal ? "order" : "grid", &out->grid, note));
    if (transversal || !has(opt, "order"))
        return IFD_OK;
    out->kind = has(opt, "alpha") ? IFD__FLOW_ALPHA : IFD__FLOW_TAYLOR;
    out->alpha = has(opt, "alpha") ? ifd__step_value(opt, "alpha")->number : 0.0;
    return whole(opt, "order", &out->order, note);
}

/* Lagrange's polynomial through the last `known` measured loads, at every node; the newest load is at the start of
 * the step. */
static void make_weights(exponential *e)
{
    for (int known = 1; known <= e->past; known++)
        for (int node = 0; node <= e->grid; node++)
            for (int i = 0; i < known; i++) {
                double x = (double)node / e->grid + known - 1, product = 1.0;
                for (int k = 0; k < known; k++)
                    product *= k == i ? 1.0 : (x - k) / (double)(i - k);
                e->weight[((known - 1) * (IFD__FLOW_GRID + 1) + node) * MOST_PAST + i] = product;
            }
}

static ifd_status make_scratch(exponential *e, ifd_arena *arena, const ifd_model *m)
{
    size_t n = (size_t)m->n, ns = (size_t)m->ns, grid = (size_t)e->grid, nodes = grid + 1;
    return IFD__TAKE(arena, IFD__ARRAY(e->P, nodes * n), IFD__ARRAY(e->load, nodes * n),
                     IFD__ARRAY(e->free, 2 * grid * n), IFD__ARRAY(e->y, 2 * grid * n), IFD__ARRAY(e->a, n),
                     IFD__ARRAY(e->s, ns), IFD__ARRAY(e->g, nodes * ns), IFD__ARRAY(e->w, ifd__model_work(m)));
}

/* Element states are found by repeated substitution. Each pass reduces the error of a first-order dof by about rate
 * times h: with 1/2, six passes leave less than 2 % of the correction of one step. */
static const double most_rate = 0.5; /* times the step */

static ifd_status check_rates(const ifd_stepper *s, ifd_note *note)
{
    const ifd_model *m = s->model;
    for (int e = 0; e < m->ne; e++) {
        double rate = ifd__relaxation_rate(&m->element[e]);
        if (fabs(rate) * s->h <= most_rate)
            continue;
        ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                     "%s relaxes at %.6g 1/s, which is too fast for a step of %g s with method %s",
                     m->element[e].name, rate, s->h, s->method->name);
        ifd_note_hint(note, "use lsrt2, mg-alpha, newmark or another implicit method, or a step of at most %.3g s",
                      most_rate / fabs(rate));
        return IFD_UNSUPPORTED;
    }
    return IFD_OK;
}

static ifd_status make(ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd_note *note)
{
    const ifd_model *m = s->model;
    exponential *e;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(e, 1)));
    s->data = e;
    ifd__flow_options flow;
    IFD_TRY(check_rates(s, note));
    IFD_TRY(flow_options(s, opt, &flow, note));
    IFD_TRY(whole(opt, "iterations", &e->iterations, note));
    IFD_TRY(whole(opt, "past", &e->past, note));
    e->grid = flow.grid;
    if (e->iterations == 0)
        e->iterations = e->grid + 2;
    IFD_TRY(flow_make(arena, m, &flow, &e->flow, note));
    if (m->inertial)
        IFD_TRY(ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &e->mass, note));
    e->y0 = ifd__stepper_row(s, "y0", 2 * m->n, IFD_STATE_STAGE);
    e->force = ifd__stepper_row(s, "force", (e->grid + 1) * m->n, IFD_STATE_STAGE);
    e->loads = ifd__stepper_row(s, "loads", e->past * m->n, IFD_STATE_HISTORY);
    e->count = ifd__stepper_row(s, "known", 1, IFD_STATE_INTEGER);
    make_weights(e);
    return make_scratch(e, arena, m);
}

static void forget_loads(const ifd_stepper *s, double *x)
{
    const exponential *e = s->data;
    x[e->count] = 0.0;
    memset(x + e->loads, 0, sizeof(double) * (size_t)(e->past * s->model->n));
}

static void start(const ifd_stepper *s, double t, const double *load, double *x)
{
    const exponential *e = s->data;
    forget_loads(s, x);
    memset(x + e->force, 0, sizeof(double) * (size_t)((e->grid + 1) * s->model->n));
    memcpy(x + e->y0, x, sizeof(double) * 2 * (size_t)s->model->n);
}

/* f (n) and g (ns) at one point; P contains the loads, including those of a coupling. */
static void force_at(const ifd_stepper *s, const ifd__point *p, const double *P, double *f, double *g, double *x)
{
    const exponential *e = s->data;
    const ifd_model *m = s->model;
    int n = m->n;
    double *q = e->w + n, *qd = q + m->nq, *r = qd + m->nq;
    memcpy(f, P, sizeof(double) * (size_t)n);
    ifd__model_coordinates(m, p->t, p->u, p->v, q, qd);
    ifd__model_forces(m, &(ifd_element_in){.t = p->t, .q = q, .qd = qd, .s = p->s}, r, g);
    ifd__model_scatter(m, -1.0, r, f);
    if (!m->inertial)
        return;
    memcpy(e->a, f, sizeof(double) * (size_t)n);
    ifd__model_linear(m, -1.0, p->u, p->v, e->w, e->a);
    if (!ifd__tangent_update(e->mass, p))
        ifd__latch(s, x, IFD_STEP_SINGULAR);
    ifd__tangent_solve(e->mass, e->a);
    memset(f, 0, sizeof(double) * (size_t)n);
    ifd__sparse_mul_add(&m->M, 1.0, e->a, f);
    ifd__model_linear(m, 1.0, p->u, p->v, e->w, f);
}

static void states_at(const ifd_stepper *s, int j, const double *s0)
{
    const exponential *e = s->data;
    int ns = s->model->ns;
    for (int i = 0; i < ns; i++) {
        double sum = 0.0;
        for (int k = 0; k <= e->grid; k++)
            sum += e->flow->integral[j - 1 + k * e->grid] * e->g[k * ns + i];
        e->s[i] = s0[i] + s->h * sum;
    }
}

/* y_j for j = from .. grid from the newest f. */
static void carry(const exponential *e, int n, int from, const double *force)
{
    for (int j = from; j <= e->grid; j++) {
        double *y = e->y + (j - 1) * 2 * n;
        memcpy(y, e->free + (j - 1) * 2 * n, sizeof(double) * 2 * (size_t)n);
        flow_force(e->flow, j, force, y);
    }
}

static void transversal(const ifd_stepper *s, double t, double *x)
{
    const exponential *e = s->data;
    const ifd_model *m = s->model;
    int n = m->n, grid = e->grid, ns = m->ns;
    double *f = x + e->force, *es = ifd__x_s(s, x);
    force_at(s, &(ifd__point){.t = t, .u = x, .v = x + n, .s = es}, e->P, f, e->g, x);
    for (int k = 1; k <= grid; k++) {
        for (int i = 0; i < n; i++)
            f[k * n + i] = f[i] + e->P[k * n + i] - e->P[i];
        memcpy(e->g + k * ns, e->g, sizeof(double) * (size_t)ns);
        flow_free(e->flow, k, x, e->free + (k - 1) * 2 * n);
    }
    for (int pass = 0; pass < e->iterations; pass++) {
        carry(e, n, 1, f);
        for (int k = 1; k <= grid; k++) {
            states_at(s, k, es); /* g of the instants before k is already corrected, which speeds up convergence */
            const double *y = e->y + (k - 1) * 2 * n;
            const ifd__point at = {.t = t + s->h * k / grid, .u = y, .v = y + n, .s = e->s};
            force_at(s, &at, e->P + k * n, f + k * n, e->g + k * ns, x);
        }
    }
    carry(e, n, grid, f);
    states_at(s, grid, es);
    memcpy(x, e->y + (grid - 1) * 2 * n, sizeof(double) * 2 * (size_t)n);
    memcpy(es, e->s, sizeof(double) * (size_t)ns);
    ifd__model_settle(m, es, NULL, NULL);
}

void ifd__exponential_step(const ifd_stepper *s, double t, const double *load, double *x)
{
    const exponential *e = s->data;
    const ifd_model *m = s->model;
    int n = m->n, nodes = e->grid + 1;
    for (int k = 0; k < nodes; k++) {
        ifd__model_load(m, t + s->h * k / e->grid, e->P + k * n);
        for (int i = 0; load && i < n; i++)
            e->P[k * n + i] += load[k * n + i];
    }
    memcpy(x + e->y0, x, sizeof(double) * 2 * (size_t)n);
    if (m->ne) {
        transversal(s, t, x);
        return;
    }
    memcpy(x + e->force, e->P, sizeof(double) * (size_t)(nodes * n));
    flow_free(e->flow, e->grid, x + e->y0, x);
    flow_force(e->flow, e->grid, e->P, x);
}

/* Appends the newest measured load; the polynomial through the last ones is the load over the step. */
static const double *measured(const ifd_stepper *s, const double *load, double *x)
{
    const exponential *e = s->data;
    int n = s->model->n;
    double *past = x + e->loads;
    memmove(past, past + n, sizeof(double) * (size_t)((e->past - 1) * n));
    memcpy(past + (e->past - 1) * n, load, sizeof(double) * (size_t)n);
    x[e->count] = fmin(x[e->count] + 1.0, e->past);
    int known = (int)x[e->count];
    past += (e->past - known) * n;
    memset(e->load, 0, sizeof(double) * (size_t)((e->grid + 1) * n));
    for (int node = 0; node <= e->grid; node++) {
        const double *weight = e->weight + ((known - 1) * (IFD__FLOW_GRID + 1) + node) * MOST_PAST;
        for (int k = 0; k < known; k++)
            for (int i = 0; i < n; i++)
                e->load[node * n + i] += weight[k] * past[k * n + i];
    }
    return e->load;
}

static void stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    if (!load)
        forget_loads(s, x);
    ifd__exponential_step(s, t, load ? measured(s, load, x) : NULL, x);
}

static void aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v)
{
    ifd__x_motion(s, x, u, v);
}

static void inside(const ifd_stepper *s, double theta, const double *x, double *u, double *v)
{
    const exponential *e = s->data;
    flow_inside(e->flow, theta, x + e->y0, x, x + e->force, e->y);
    ifd__x_motion(s, e->y, u, v);
}

int ifd__exponential_grid(const ifd_stepper *s)
{
    const exponential *e = s->data;
    return e->grid;
}

#define WITHIN(name_, preset_, min_, max_, doc_)                                                                     \
    {                                                                                                                \
        .name = name_, .preset = preset_, IFD_WITHIN(min_, max_), .doc = doc_                                        \
    }
#define GRID WITHIN("grid", 4, 1, IFD__FLOW_GRID, "sub-intervals on which the force of a step is interpolated")
#define ITERATIONS WITHIN("iterations", 0, 0, 100, "corrections of the element forces in a step; 0: grid + 2")
#define PAST WITHIN("past", 2, 1, MOST_PAST, "number of measured forces for the extrapolation over a step")
#define ORDER(preset_, doc_) WITHIN("order", preset_, 1, IFD__FLOW_ORDER, doc_)

static const ifd_param exponential_params[] = {GRID, ITERATIONS, PAST, {0}};
static const ifd_param taylor_params[] = {ORDER(4, "p, highest power of A h"), GRID, ITERATIONS, PAST, {0}};
static const ifd_param alpha_params[] = {
    ORDER(2, "p, highest power of A h"),
    IFD_OPTION("alpha", NONE, -10, 10, 0.7, "fraction of the last power that is evaluated at the end of the step"),
    GRID,
    ITERATIONS,
    PAST,
    {0}};
static const ifd_param mtl_params[] = {
    WITHIN("order", 4, 1, IFD__FLOW_GRID, "s, sub-intervals on which the nonlinear vector is interpolated"),
    ITERATIONS,
    PAST,
    {0}};

#define ROW(...)                                                                                                     \
    {                                                                                                                \
        .citation = "Sajeeb, Roy, Manohar (2007)", .stages = 1, .measures = 1, .make = make, .start = start,         \
        .stage = stage, .aim = aim, .inside = inside, __VA_ARGS__                                                    \
    }

const ifd_method ifd__method_exponential =
    ROW(.name = "exponential", .title = "matrix exponential with polynomial forces", .at_infinity = 1.0, .order = 6,
        .params = exponential_params,
        .summary =
            "The linear part is exact for any step. The method interpolates the loads, and corrects element forces a "
            "fixed number of times. The method uses full matrices.");
const ifd_method ifd__method_taylor =
    ROW(.name = "taylor", .title = "matrix exponential by its Taylor series", .at_infinity = HUGE_VAL, .order = 4,
        .explicit_step = true, .params = taylor_params,
        .summary = "The series ends with the term of order p. The method is therefore explicit, and stable for low "
                   "frequencies only. The method uses full matrices.");
const ifd_method ifd__method_exponential_alpha =
    ROW(.name = "exponential-alpha", .title = "Taylor series with its last term implicit", .at_infinity = 0.3 / 0.7,
        .order = 2, .params = alpha_params,
        .summary =
            "The order of this term is p. With p = 2 and alpha from 1/2 to 1, the method is stable for any step and "
            "damps high frequencies. With p = 3 the motion of an undamped oscillator grows. The method uses full "
            "matrices.");
const ifd_method ifd__method_mtl =
    ROW(.name = "mtl", .title = "multi-step transversal linearisation", .at_infinity = 1.0, .order = 6,
        .params = mtl_params,
        .summary =
            "The method is for nonlinear models. The nonlinear forces are interpolated on a sub-grid of the step; "
            "the linear part is exact. The method uses full matrices.");
