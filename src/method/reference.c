/* SPDX-License-Identifier: MIT */
/* The method `reference`: a solution for comparison with others. Linear models are propagated exactly, with loads
 * integrated to round-off; other models use CVODE at a tolerance, restarted at every kink. */
#include "method/reference.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "method/stepper.h"
#include "model/equilibrium/relax.h"
#include "model/signal/wave.h"

/* Exact solution of M u'' + C u' + K u = P(t), with first-order states y' = f(t) - rate y - B^T u, which exert the
 * force B y, where dofs without mass have them (model/equilibrium/relax.h). A step is divided at the corners of the
 * loads, and further where a polynomial of degree 7 does not reproduce them to round-off; each interval is propagated
 * exactly. Propagators depend on the length of an interval only and are stored.
 *
 * Velocities and displacements are made comparable by a rate w, y = (w u, v), so that doubling starts from w h
 * instead of w^2 h. With symmetric matrices and classical damping the modes are propagated individually, otherwise
 * all dofs together. */

enum { N = IFD__NODES, KEPT = 24, DEPTH = 8, MODAL_MATRICES = 6 };

struct ifd__linear {
    const ifd_model *m;
    double h;
    ifd__gauss gauss;
    bool modal;
    int ns;                   /* first-order states */
    int blocks, dim, inputs;  /* modal: n blocks of 2 with one input; dense: one of 2 n + ns with n + ns inputs */
    double *A, *B, *rate;     /* per block; rate: w of each block */
    double *shape, *to_modal; /* n x n: u = shape q, q = to_modal u = shape^T M u */
    int kept, oldest;
    ifd__propagator kept_one[KEPT];
    double *P, *input;  /* NODES + 2 load vectors; NODES inputs in coordinates of the blocks */
    double *y, *z, *w;  /* 2 n + ns each */
    double *q, *qd, *r; /* nq each: coordinates of the states */
    double peak;        /* largest load so far */
    bool failed;
};

static void close_linear(void *what)
{
    ifd__linear *r = what;
    for (int k = 0; k < r->kept; k++)
        free(r->kept_one[k].E);
    free(r->A);
    free(r->shape);
    free(r->P);
}

/* Adds factor times S to the dense column-major matrix A. */
static void add_dense(const ifd_sparse *S, double factor, double *A)
{
    size_t n = (size_t)S->n;
    for (int j = 0; j < S->n; j++)
        for (int k = S->p[j]; k < S->p[j + 1]; k++) {
            A[(size_t)S->i[k] + (size_t)j * n] += factor * S->x[k];
            if (S->symmetric && S->i[k] != j)
                A[(size_t)j + (size_t)S->i[k] * n] += factor * S->x[k];
        }
    if (S->rank)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, S->n, S->n, S->rank, factor * S->weight, S->Z, S->n,
                    S->Z, S->n, 1.0, A, S->n);
}

static void dense_damping(const ifd_model *m, double *C)
{
    if (m->damped)
        add_dense(&m->C, 1.0, C);
    if (m->ray_m != 0.0)
        add_dense(&m->M, m->ray_m, C);
    if (m->ray_k != 0.0)
        add_dense(&m->K, m->ray_k, C);
}

static void multiply(int n, bool transpose, const double *A, const double *B, double *C)
{
    cblas_dgemm(CblasColMajor, transpose ? CblasTrans : CblasNoTrans, CblasNoTrans, n, n, n, 1.0, A, n, B, n, 0.0, C,
                n);
}

/* One oscillator q'' + c q' + k q = p in (w q, q'). */
static void set_block(ifd__linear *r, int j, double k, double c)
{
    double w = fmax(sqrt(fabs(k)), 1e-3 / r->h), *A = r->A + 4 * j, *B = r->B + 2 * j;
    A[0] = 0.0;
    A[1] = -k / w;
    A[2] = w;
    A[3] = -c;
    B[0] = 0.0;
    B[1] = 1.0;
    r->rate[j] = w;
}

/* Modes of K and M into shape; the damping in modal coordinates into D. Returns true if it is diagonal. */
static bool modes(ifd__linear *r, double *D, double *squares, double *work)
{
    int n = r->m->n;
    size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    memset(r->shape, 0, bytes);
    memset(work, 0, bytes);
    add_dense(&r->m->K, 1.0, r->shape);
    add_dense(&r->m->M, 1.0, work);
    if (LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', n, r->shape, n, work, n, squares) != 0)
        return false;
    memset(D, 0, bytes);
    dense_damping(r->m, D);
    multiply(n, false, D, r->shape, work);
    multiply(n, true, r->shape, work, D);
    double on = 0.0, off = 0.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double d = fabs(D[(size_t)i + (size_t)j * (size_t)n]);
            on = i == j ? fmax(on, d) : on;
            off = i != j ? fmax(off, d) : off;
        }
    memset(work, 0, bytes);
    add_dense(&r->m->M, 1.0, work);
    multiply(n, true, r->shape, work, r->to_modal);
    return off <= 1e-11 * on;
}

static ifd_status make_modal(ifd__linear *r, bool *classical)
{
    int n = r->m->n;
    size_t nn = (size_t)n * (size_t)n;
    r->shape = malloc(2 * nn * sizeof *r->shape);
    r->A = malloc((size_t)n * 7 * sizeof *r->A);
    double *scratch = malloc((2 * nn + (size_t)n) * sizeof *scratch);
    *classical = false;
    if (r->shape && r->A && scratch) {
        double *D = scratch + nn, *squares = D + nn;
        r->to_modal = r->shape + nn;
        r->B = r->A + 4 * n;
        r->rate = r->B + 2 * n;
        r->blocks = n;
        r->dim = 2;
        r->inputs = 1;
        r->modal = *classical = modes(r, D, squares, scratch);
        for (int j = 0; j < n && *classical; j++)
            set_block(r, j, squares[j], D[(size_t)j * (size_t)(n + 1)]);
    }
    bool memory = r->shape && r->A && scratch;
    free(scratch);
    if (memory && *classical)
        return IFD_OK;
    free(r->shape);
    free(r->A);
    r->shape = r->A = NULL;
    return memory ? IFD_OK : IFD_NO_MEMORY;
}

/* Rows of the states and their forces: -M^-1 B below, -B^T / w and -rate on the right. */
static void fill_states(ifd__linear *r, int n, double w, const double *Minv)
{
    const ifd_model *m = r->m;
    size_t d = (size_t)r->dim, rows = (size_t)n, at = 2 * rows;
    for (int e = 0; e < r->ns; e++, at++) {
        for (int k = m->b_start[e]; k < m->b_start[e + 1]; k++) {
            size_t dof = (size_t)m->b_dof[k];
            r->A[at + dof * d] -= m->b_value[k] / w;
            for (size_t i = 0; i < rows; i++)
                r->A[i + rows + at * d] -= Minv[i + dof * rows] * m->b_value[k];
        }
        r->A[at + at * d] = -ifd__relaxation_rate(&m->element[e]);
        r->B[at + (rows + (size_t)e) * d] = 1.0;
    }
}

/* A = [0 w; -M^-1 K / w, -M^-1 C], B = [0; M^-1]. */
static void fill_dense(ifd__linear *r, int n, double w, const double *K, const double *C, const double *Minv)
{
    size_t d = (size_t)r->dim, rows = (size_t)n;
    for (size_t j = 0; j < rows; j++) {
        r->A[j + (j + rows) * d] = w;
        for (size_t i = 0; i < rows; i++) {
            r->A[i + rows + j * d] = -K[i + j * rows] / w;
            r->A[i + rows + (j + rows) * d] = -C[i + j * rows];
            r->B[i + rows + j * d] = Minv[i + j * rows];
        }
    }
    fill_states(r, n, w, Minv);
    r->rate[0] = w;
}

static ifd_status make_dense(ifd__linear *r)
{
    int n = r->m->n;
    size_t nn = (size_t)n * (size_t)n, d = 2 * (size_t)n + (size_t)r->ns;
    r->A = calloc(d * d + d * (size_t)(n + r->ns) + 1, sizeof *r->A);
    double *work = calloc(4 * nn, sizeof *work);
    int *pivot = malloc((size_t)n * sizeof *pivot);
    ifd_status status = r->A && work && pivot ? IFD_OK : IFD_NO_MEMORY;
    if (status == IFD_OK) {
        double *M = work, *K = M + nn, *C = K + nn, *Minv = C + nn, size = 0.0;
        r->B = r->A + d * d;
        r->rate = r->B + d * (size_t)(n + r->ns);
        r->blocks = 1;
        r->dim = (int)d;
        r->inputs = n + r->ns;
        add_dense(&r->m->M, 1.0, M);
        add_dense(&r->m->K, 1.0, K);
        dense_damping(r->m, C);
        for (int i = 0; i < n; i++)
            Minv[(size_t)i * (size_t)(n + 1)] = 1.0;
        /* K, C and Minv are adjacent: 3 n right sides. */
        if (LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 3 * n, M, n, pivot, K, n) != 0)
            status = IFD_SINGULAR;
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += fabs(K[(size_t)i + (size_t)j * (size_t)n]);
            size = fmax(size, sum);
        }
        fill_dense(r, n, fmax(sqrt(size), 1e-3 / r->h), K, C, Minv);
    }
    free(work);
    free(pivot);
    return status;
}

/* Bytes of the propagators that are kept. */
static double dense_memory(const ifd_model *m)
{
    double d = 2.0 * m->n + m->ns;
    return 8.0 * KEPT * d * (d + (double)N * (m->n + m->ns));
}

ifd_status ifd__linear_make(ifd_arena *arena, const ifd_model *m, double h, ifd__linear_kind kind, ifd__linear **out,
                            ifd_note *note)
{
    ifd__linear *r;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, 1)));
    r->m = m;
    r->h = h;
    r->ns = m->ns;
    ifd__gauss_make(&r->gauss);
    if (!ifd_arena_on_close(arena, close_linear, r))
        return IFD_NO_MEMORY;
    bool classical = false;
    if (m->symmetric && kind != IFD__LINEAR_DENSE && !m->ns) {
        IFD_TRY(ifd__memory_check(MODAL_MATRICES * 8.0 * m->n * m->n, "a reference solution by all modes", note));
        IFD_TRY(make_modal(r, &classical));
    }
    if (!classical && kind == IFD__LINEAR_MODAL)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "a solution by modes needs symmetric matrices and classical damping");
    if (!classical) {
        IFD_TRY(ifd__memory_check(dense_memory(m), "a reference solution without classical damping", note));
        IFD_TRY(make_dense(r));
    }
    size_t n = (size_t)(m->n + m->ns), nq = (size_t)m->nq; /* loads of dofs, then of states */
    r->P = calloc((2 * N + 2) * n + 6 * n + 3 * nq, sizeof *r->P);
    if (!r->P)
        return IFD_NO_MEMORY;
    r->input = r->P + (N + 2) * n;
    r->y = r->input + N * n;
    r->z = r->y + 2 * n;
    r->w = r->z + 2 * n;
    r->q = r->w + 2 * n;
    r->qd = r->q + nq;
    r->r = r->qd + nq;
    *out = r;
    return IFD_OK;
}

/* The propagator for an interval of length tau, stored or new. Intervals between multiples of a sampling interval
 * differ by round-off only. */
static const ifd__propagator *propagator(ifd__linear *r, double tau)
{
    for (int k = 0; k < r->kept; k++)
        if (fabs(r->kept_one[k].tau - tau) <= 1e-11 * r->h)
            return &r->kept_one[k];
    size_t d = (size_t)r->dim, e = d * d, w = N * d * (size_t)r->inputs;
    ifd__propagator *p = &r->kept_one[r->kept < KEPT ? r->kept : r->oldest];
    if (r->kept < KEPT) {
        p->E = malloc((size_t)r->blocks * (e + w) * sizeof *p->E);
        if (!p->E)
            return NULL;
        p->W = p->E + (size_t)r->blocks * e;
        r->kept++;
    } else {
        r->oldest = (r->oldest + 1) % KEPT;
    }
    p->tau = tau;
    for (size_t b = 0; b < (size_t)r->blocks; b++) {
        ifd__propagator one = {.tau = tau, .E = p->E + b * e, .W = p->W + b * w};
        if (!ifd__propagate_make(&r->gauss, r->dim, r->inputs, r->A + b * e, r->B + b * d * (size_t)r->inputs, &one))
            return NULL;
    }
    return p;
}

/* Rates of the states at zero displacement: forces on them, and moved supports. z is unused here. */
static void state_loads(ifd__linear *r, double t, double *P)
{
    if (!r->ns)
        return;
    memset(r->q, 0, 2 * (size_t)r->m->nq * sizeof *r->q); /* qd follows */
    memset(r->z, 0, (size_t)r->ns * sizeof *r->z);
    ifd__model_add_supports(r->m, t, r->q, r->qd);
    ifd__model_forces(r->m, &(ifd_element_in){.t = t, .q = r->q, .qd = r->qd, .s = r->z}, r->r, P);
}

/* Loads at the nodes of (t, t + tau) and at two instants between. Returns true if the polynomial through the nodes
 * agrees with the latter. */
static bool sample(ifd__linear *r, double t, double tau, const double *load)
{
    size_t n = (size_t)(r->m->n + r->ns);
    for (size_t k = 0; k < N + 2; k++) {
        double x = k < N ? r->gauss.x[k] : ifd__check[k - N], *P = r->P + k * n;
        ifd__model_load_with(r->m, t + x * tau, load, P);
        state_loads(r, t + x * tau, P + r->m->n);
        for (size_t i = 0; i < n; i++)
            r->peak = fmax(r->peak, fabs(P[i]));
    }
    for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < n; i++) {
            double sum = -r->P[(N + c) * n + i];
            for (size_t k = 0; k < N; k++)
                sum += r->gauss.check[c + 2 * k] * r->P[k * n + i];
            if (fabs(sum) > 1e-13 * r->peak)
                return false;
        }
    return true;
}

/* y := E y + sum W_k P_k in coordinates of the blocks. */
static void apply(ifd__linear *r, const ifd__propagator *p)
{
    size_t n = (size_t)(r->m->n + r->ns), d = (size_t)r->dim, in = (size_t)r->inputs;
    const double *input = r->P;
    if (r->modal) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)n, N, (int)n, 1.0, r->shape, (int)n, r->P, (int)n,
                    0.0, r->input, (int)n);
        input = r->input;
    }
    for (size_t b = 0; b < (size_t)r->blocks; b++) {
        double *z = r->z + b * d;
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)d, (int)d, 1.0, p->E + b * d * d, (int)d, r->y + b * d, 1, 0.0,
                    z, 1);
        for (size_t k = 0; k < N; k++)
            cblas_dgemv(CblasColMajor, CblasNoTrans, (int)d, (int)in, 1.0, p->W + (b * N + k) * d * in, (int)d,
                        input + k * n + b * in, 1, 1.0, z, 1);
    }
    memcpy(r->y, r->z, (size_t)(2 * r->m->n + r->ns) * sizeof(double));
}

/* One interval without corners, halved until the loads are polynomials to round-off. */
static bool piece(ifd__linear *r, double t, double tau, const double *load)
{
    int done = 0, depth = 0; /* in units of tau / 2^depth */
    while (done < 1 << depth) {
        double part = ldexp(tau, -depth), at = t + done * part;
        if (!sample(r, at, part, load) && depth < DEPTH) {
            depth++;
            done *= 2;
            continue;
        }
        const ifd__propagator *p = propagator(r, part);
        if (!p)
            return false;
        apply(r, p);
        done++;
        while (depth > 0 && done % 2 == 0) {
            depth--;
            done /= 2;
        }
    }
    return true;
}

/* Converts between (u, v) and coordinates of the blocks. */
static void enter(ifd__linear *r, const double *y)
{
    int n = r->m->n;
    if (!r->modal) {
        for (int i = 0; i < n; i++) {
            r->y[i] = r->rate[0] * y[i];
            r->y[n + i] = y[n + i];
        }
        for (int i = 0; i < r->ns; i++)
            r->y[2 * n + i] = y[2 * n + i];
        return;
    }
    for (int half = 0; half < 2; half++) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, 1.0, r->to_modal, n, y + half * n, 1, 0.0, r->w, 1);
        for (int j = 0; j < n; j++)
            r->y[2 * j + half] = r->w[j] * (half ? 1.0 : r->rate[j]);
    }
}

static void leave(ifd__linear *r, double *y)
{
    int n = r->m->n;
    if (!r->modal) {
        for (int i = 0; i < n; i++) {
            y[i] = r->y[i] / r->rate[0];
            y[n + i] = r->y[n + i];
        }
        for (int i = 0; i < r->ns; i++)
            y[2 * n + i] = r->y[2 * n + i];
        return;
    }
    for (int half = 0; half < 2; half++) {
        for (int j = 0; j < n; j++)
            r->w[j] = r->y[2 * j + half] / (half ? 1.0 : r->rate[j]);
        cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, 1.0, r->shape, n, r->w, 1, 0.0, y + half * n, 1);
    }
}

bool ifd__linear_step(ifd__linear *r, double t, const double *load, double *y)
{
    double at = t, end = t + r->h, near = 1e-10 * r->h;
    bool ok = true;
    enter(r, y);
    while (ok && at < end - near) {
        double corner = ifd__next_corner(r->m, at + near);
        double stop = corner < end - near ? corner : end;
        ok = piece(r, at, at > t || stop < end ? stop - at : r->h, load);
        at = stop;
    }
    leave(r, y);
    return ok;
}

typedef struct reference {
    ifd__linear *linear; /* exactly one is set */
    ifd__cvode *cvode;
} reference;

/* Corners of a wave in its own time: its start, its samples or multiples of its interval, its middle (of a triangle)
 * and its end. A corner within round-off of t counts as past. */
static double wave_corner(const ifd__wave *w, double t)
{
    double s = t - w->start, near = 1e-12 * (1.0 + fabs(t));
    if (s < -near)
        return w->start;
    double next = w->knot ? w->knot(w->data, s + near) : HUGE_VAL;
    if (next == HUGE_VAL && w->interval > 0.0 && s + near < w->length)
        next = w->interval * (floor((s + near) / w->interval) + 1.0);
    if (isfinite(w->length)) {
        if (s + near < 0.5 * w->length)
            next = fmin(next, 0.5 * w->length);
        if (s + near < w->length)
            next = fmin(next, w->length);
    }
    return w->start + next;
}

static double signal_corner(const ifd_signal *s, double t)
{
    double next = HUGE_VAL;
    for (int i = 0; s && i < s->count; i++)
        next = fmin(next, wave_corner(&s->wave[i], t));
    return next;
}

double ifd__next_corner(const ifd_model *m, double t)
{
    double next = HUGE_VAL;
    for (int d = 0; d < 3; d++)
        next = fmin(next, signal_corner(m->ground[d].signal, t));
    for (int k = 0; k < m->nload; k++)
        next = fmin(next, signal_corner(m->load[k].signal, t));
    for (int k = 0; k < m->nsupport; k++)
        next = fmin(next, signal_corner(m->support[k], t));
    for (int e = 0; e < m->ne; e++)
        if (m->element[e].ops->jump)
            next = fmin(next, m->element[e].ops->jump(&m->element[e], t + 1e-12 * (1.0 + fabs(t))));
    return next;
}

static ifd_status make(ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd_note *note)
{
    reference *r;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, 1)));
    s->data = r;
    if (ifd_model_linear(s->model))
        return ifd__linear_make(arena, s->model, s->h, IFD__LINEAR_AUTO, &r->linear, note);
    return ifd__cvode_make(arena, s->model, s->h, ifd__step_value(opt, "tolerance")->number, &r->cvode, note);
}

static void start(const ifd_stepper *s, double t, const double *load, double *x)
{
    if (s->model->ns)
        ifd__model_settle(s->model, ifd__x_s(s, x), NULL, NULL);
}

static void stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    const reference *r = s->data;
    ifd_step_fault fault = IFD_STEP_OK;
    if (r->cvode)
        fault = ifd__cvode_step(r->cvode, t, load, x);
    else if (!ifd__linear_step(r->linear, t, load, x))
        fault = IFD_STEP_SOLVER;
    if (fault != IFD_STEP_OK)
        ifd__latch(s, x, fault);
}

static void aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v)
{
    ifd__x_motion(s, x, u, v);
}

static const ifd_param params[] = {
    IFD_OPTION("tolerance", NONE, 1e-13, 1e-2, 1e-10, "relative error of one internal step of a nonlinear model"),
    {0}};

const ifd_method ifd__method_reference = {
    .name = "reference",
    .title = "Reference solution",
    .citation = "matrix exponential; Hindmarsh et al. (2005), SUNDIALS: CVODE",
    .summary =
        "The method is for comparison only. The solution of linear models is exact; for nonlinear models the method "
        "uses CVODE with root-finding at kinks.",
    .order = 0,
    .at_infinity = 1.0,
    .stages = 1,
    .at = {1.0},
    .offline = true,
    IFD__METHOD_OWN,
};
