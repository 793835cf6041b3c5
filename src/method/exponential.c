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
#include "method/exponential.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "method/flow.h"
#include "method/tables.h"
#include "method/tangent.h"
#include "model/equilibrium/relax.h"

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
    IFD_TRY(ifd__flow_make(arena, m, &flow, &e->flow, note));
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
    (void)t, (void)load;
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
        ifd__flow_force(e->flow, j, force, y);
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
        ifd__flow_free(e->flow, k, x, e->free + (k - 1) * 2 * n);
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
    ifd__flow_free(e->flow, e->grid, x + e->y0, x);
    ifd__flow_force(e->flow, e->grid, e->P, x);
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
    (void)i;
    if (!load)
        forget_loads(s, x);
    ifd__exponential_step(s, t, load ? measured(s, load, x) : NULL, x);
}

static void aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v)
{
    (void)i, (void)t;
    ifd__x_motion(s, x, u, v);
}

static void inside(const ifd_stepper *s, double theta, const double *x, double *u, double *v)
{
    const exponential *e = s->data;
    ifd__flow_inside(e->flow, theta, x + e->y0, x, x + e->force, e->y);
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
#define ITERATIONS                                                                                                   \
    WITHIN("iterations", 0, 0, 100, "corrections of the element forces in a step; 0: two more than the grid")
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
        .summary = "The linear part is exact for any step; loads are interpolated; element forces are "
                   "corrected a fixed number of times. Full matrices.");
const ifd_method ifd__method_taylor =
    ROW(.name = "taylor", .title = "matrix exponential by its Taylor series", .at_infinity = HUGE_VAL, .order = 4,
        .explicit_step = true, .params = taylor_params,
        .summary = "The explicit form of order p; stable for low frequencies only. Full matrices.");
const ifd_method ifd__method_exponential_alpha =
    ROW(.name = "exponential-alpha", .title = "Taylor series with its last term implicit", .at_infinity = 0.3 / 0.7,
        .order = 2, .params = alpha_params,
        .summary =
            "The alpha form of order p. With p = 2 and alpha from 1/2 to 1 it is stable for any step and damps "
            "high frequencies; with p = 3 the motion of an undamped oscillator grows. Full matrices.");
const ifd_method ifd__method_mtl =
    ROW(.name = "mtl", .title = "multi-step transversal linearisation", .at_infinity = 1.0, .order = 6,
        .params = mtl_params,
        .summary = "For nonlinear models: the nonlinear vector is interpolated on a sub-grid, the linear part "
                   "is exact. Full matrices.");
