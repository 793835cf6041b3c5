/* SPDX-License-Identifier: MIT */
/* The Newmark family: Newmark, HHT-alpha, generalized-alpha, central difference, Chang.
 *
 *     u1 = u + h v + h^2 [(1/2 - beta) a + beta a1],   v1 = v + h [(1 - gamma) a + gamma a1]
 *     M(u1) z1 + R(u1, v1, s1) = P(t1),                (1 - am) a1 + am a = (1 - af) z1 + af z
 *
 * z is the actual acceleration, a that of the algorithm. With a constant mass this is the weighted balance of Hilber,
 * Hughes, Taylor (am = 0) and of Chung, Hulbert. With m(q) it keeps second order, which M a weighted at two instants
 * would not. Newmark has am = af = 0 and z = a.
 *
 * The unknown of Newton's iteration is a1, with S = (1-am)/(1-af) M + gamma h C + beta h^2 K. Rate-independent
 * elements advance exactly from the start of the step; other element states follow the trapezoidal rule s1 = s + h/2
 * (g + g1) inside the iteration.
 *
 * In central difference (beta = 0, gamma = 1/2) and Chang, u1 is known before any force at t1: the first stage
 * predicts it, the second computes v1 and a1 from the force there. Chang's prediction is stable for any h:
 *
 *     (M + h/2 C0 + h^2/4 K0) (u1 - u) = (M + h/2 C0) h v + h^2/2 M a,    C0, K0 the tangents at the initial state.
 *
 * Newmark (1959); Hilber, Hughes, Taylor (1977); Chung, Hulbert (1993); Chang (2002). */
#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "method/mass.h"
#include "method/tables.h"

typedef struct newmark {
    double am, af, beta, gamma, tolerance;
    int cap;
    int a, z, u1; /* offsets in x; z only if af or am is not zero, u1 only if the step is explicit */
    bool weighted;
    ifd__tangent *T, *mass;               /* mass: for the start */
    ifd__tangent *predictor;              /* Chang's constant operator */
    double *F, *du, *dv;                  /* n */
    double *up, *vp;                      /* n: terms that do not depend on a1 */
    double *u, *v, *acc, *z1;             /* n: the iterate; acc is a1 */
    double *g, *g0, *s1, *sp, *rs, *none; /* ns, the last one max(n, ns) zeros */
    double *q0, *dq;                      /* nq */
    double *w;                            /* scratch of the model */
} newmark;

static ifd_status take_vectors(newmark *d, const ifd_model *m, ifd_arena *arena)
{
    size_t n = (size_t)m->n, ns = (size_t)m->ns, nq = (size_t)m->nq;
    return IFD__TAKE(arena, IFD__ARRAY(d->F, n), IFD__ARRAY(d->du, n), IFD__ARRAY(d->dv, n), IFD__ARRAY(d->up, n),
                     IFD__ARRAY(d->vp, n), IFD__ARRAY(d->u, n), IFD__ARRAY(d->v, n), IFD__ARRAY(d->acc, n),
                     IFD__ARRAY(d->z1, n), IFD__ARRAY(d->g, ns), IFD__ARRAY(d->g0, ns), IFD__ARRAY(d->s1, ns),
                     IFD__ARRAY(d->sp, ns), IFD__ARRAY(d->rs, ns), IFD__ARRAY(d->q0, nq), IFD__ARRAY(d->dq, nq),
                     IFD__ARRAY(d->none, n + ns), IFD__ARRAY(d->w, ifd__model_work(m)));
}

static void set_weights(newmark *d, const ifd_step_options *opt)
{
    d->gamma = 0.5; /* the explicit methods have beta = 0 */
    if (opt->method == &ifd__method_newmark) {
        d->beta = ifd__step_value(opt, "beta")->number;
        d->gamma = ifd__step_value(opt, "gamma")->number;
    } else if (opt->method == &ifd__method_hht) {
        d->af = ifd__step_value(opt, "alpha")->number;
        d->beta = 0.25 * (1.0 + d->af) * (1.0 + d->af);
        d->gamma = 0.5 + d->af;
    } else if (opt->method == &ifd__method_generalized_alpha) {
        double rho = ifd__step_value(opt, "rho")->number;
        d->am = (2.0 * rho - 1.0) / (rho + 1.0);
        d->af = rho / (rho + 1.0);
        d->beta = 0.25 * (1.0 - d->am + d->af) * (1.0 - d->am + d->af);
        d->gamma = 0.5 - d->am + d->af;
    }
}

static ifd_status make(ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd_note *note)
{
    const ifd_model *m = s->model;
    newmark *d = s->data = ifd_arena_take(arena, sizeof *d);
    if (!d)
        return IFD_NO_MEMORY;
    set_weights(d, opt);
    d->tolerance = ifd__step_value(opt, "tolerance")->number;
    d->cap = (int)ifd__step_value(opt, "iterations")->number;
    d->weighted = d->am > 0.0 || d->am < 0.0 || d->af > 0.0;
    d->a = ifd__stepper_row(s, "a", m->n, IFD_STATE_HISTORY);
    d->z = d->weighted ? ifd__stepper_row(s, "z", m->n, IFD_STATE_HISTORY) : d->a;
    if (s->method->stages == 2)
        d->u1 = ifd__stepper_row(s, "u1", m->n, IFD_STATE_STAGE);
    ifd__tangent_options to = {
        .cm = (1.0 - d->am) / (1.0 - d->af), .cv = d->gamma * s->h, .cu = d->beta * s->h * s->h, .cs = 0.5 * s->h};
    IFD_TRY(ifd__tangent_make(arena, m, &to, &d->T, note));
    IFD_TRY(ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &d->mass, note));
    return take_vectors(d, m, arena);
}

/* dq = 0: the tangent of a slider at rest is a stiffness, not a damping over h/2. */
static ifd_status make_chang(ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd_note *note)
{
    const ifd_model *m = s->model;
    IFD_TRY(make(s, arena, opt, note));
    newmark *d = s->data;
    ifd__tangent_options to = {.cm = 1.0,
                               .cv = 0.5 * s->h,
                               .cu = 0.25 * s->h * s->h,
                               .cs = 0.5 * s->h,
                               .estimates = opt->estimates,
                               .estimate = opt->estimate};
    IFD_TRY(ifd__tangent_make(arena, m, &to, &d->predictor, note));
    const ifd__point rest = {.u = m->u0, .v = m->v0, .s = m->s0, .a = d->none, .dq = d->dq};
    if (!ifd__tangent_update(d->predictor, &rest))
        return ifd_note_add(note, IFD_SINGULAR, NULL, "the matrix of the prediction of Chang's method is singular");
    return IFD_OK;
}

static void start(const ifd_stepper *s, double t, const double *load, double *x)
{
    const newmark *d = s->data;
    const ifd_model *m = s->model;
    const ifd__point at = {.t = t, .u = ifd__x_u(s, x), .v = ifd__x_v(s, x), .s = ifd__x_s(s, x)};
    double *a = x + d->a;
    ifd__model_balance(m, &at, a, d->g, d->w);
    for (int i = 0; load && i < m->n; i++)
        a[i] += load[i];
    ifd__mass_solve(s, d->mass, t, x, a);
    if (d->weighted)
        memcpy(x + d->z, a, sizeof(double) * (size_t)m->n);
}

/* a and z are both accelerations under the load of the last step. */
static void jump(const ifd_stepper *s, double t, const double *change, double *x)
{
    const newmark *d = s->data;
    int n = s->model->n;
    memcpy(d->F, change, sizeof(double) * (size_t)n);
    ifd__mass_solve(s, d->mass, t, x, d->F);
    for (int i = 0; i < n; i++)
        x[d->a + i] += d->F[i];
    for (int i = 0; i < n && d->weighted; i++)
        x[d->z + i] += d->F[i];
}

/* Coordinates and rates at the start of the step, from which elements advance. */
static void begin_elements(const ifd_stepper *s, double t, const double *x)
{
    const newmark *d = s->data;
    const ifd_model *m = s->model;
    if (!m->ne)
        return;
    const double *es = x + 2 * m->n;
    double *qd = d->w, *force = qd + m->nq;
    ifd__model_coordinates(m, t, x, x + m->n, d->q0, qd);
    if (!m->ns)
        return;
    ifd__model_forces(m, &(ifd_element_in){.t = t, .q = d->q0, .qd = qd, .s = es}, force, d->g0);
    memcpy(d->sp, es, sizeof(double) * (size_t)m->ns);
}

/* u, v, z1 and dq for the current a1. */
static void place(const ifd_stepper *s, double t1, const double *x)
{
    const newmark *d = s->data;
    const ifd_model *m = s->model;
    const double *a = x + d->a, *z = x + d->z;
    double cu = d->beta * s->h * s->h, cv = d->gamma * s->h, share = 1.0 / (1.0 - d->af);
    for (int i = 0; i < m->n; i++) {
        d->u[i] = d->up[i] + cu * d->acc[i];
        d->v[i] = d->vp[i] + cv * d->acc[i];
        d->z1[i] = share * ((1.0 - d->am) * d->acc[i] + d->am * a[i] - d->af * z[i]);
    }
    if (!m->ne)
        return;
    ifd__model_coordinates(m, t1, d->u, d->v, d->dq, d->w);
    for (int q = 0; q < m->nq; q++)
        d->dq[q] -= d->q0[q];
}

/* s1: the states at the current iterate. */
static void advance(const newmark *d, const ifd_model *m)
{
    memcpy(d->s1, d->sp, sizeof(double) * (size_t)m->ns);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *el = &m->element[e];
        if (el->ns && el->ops->advance)
            el->ops->advance(el, d->dq + m->q_of[e], d->s1 + m->s_of[e], NULL);
    }
}

/* F -= element forces; rs := residual of the states that follow the trapezoidal rule. */
static void element_residual(const ifd_stepper *s, double t1, const double *x)
{
    const newmark *d = s->data;
    const ifd_model *m = s->model;
    const double *es = x + 2 * m->n;
    double *q = d->w, *qd = q + m->nq, *force = qd + m->nq;
    advance(d, m);
    ifd__model_coordinates(m, t1, d->u, d->v, q, qd);
    ifd__model_forces(m, &(ifd_element_in){.t = t1, .q = q, .qd = qd, .s = d->s1}, force, d->g);
    ifd__model_scatter(m, -1.0, force, d->F);
    for (int e = 0; e < m->ne; e++) {
        bool exact = m->element[e].ops->advance;
        for (int i = m->s_of[e]; i < m->s_of[e + 1]; i++)
            d->rs[i] = exact ? 0.0 : es[i] + 0.5 * s->h * (d->g0[i] + d->g[i]) - d->s1[i];
    }
}

/* One Newton step on a1 (and on the states inside the elements). Returns true if it was small in displacements, which
 * round-off of stiff forces does not affect. */
static bool correct(const ifd_stepper *s, double t1, const double *load, double *x)
{
    const newmark *d = s->data;
    const ifd_model *m = s->model;
    double h = s->h;
    place(s, t1, x);
    const ifd__point at = {.t = t1, .u = d->u, .v = d->v, .s = d->sp, .a = d->z1, .dq = d->dq};
    if (!ifd__tangent_update(d->T, &at))
        ifd__latch(s, x, IFD_STEP_SINGULAR);
    ifd__model_load_with(m, t1, load, d->F);
    if (m->ne)
        element_residual(s, t1, x);
    ifd__tangent_mass(d->T, -1.0, d->z1, d->F);
    ifd__model_linear(m, -1.0, d->u, d->v, d->w, d->F);
    ifd__tangent_reduce(d->T, -1.0, d->rs, d->F);
    ifd__tangent_solve(d->T, d->F);
    for (int i = 0; i < m->n; i++) {
        d->acc[i] += d->F[i];
        d->du[i] = d->beta * h * h * d->F[i];
        d->dv[i] = d->gamma * h * d->F[i];
    }
    ifd__tangent_expand(d->T, d->du, d->dv, d->rs);
    for (int i = 0; i < m->ns; i++)
        d->sp[i] += d->rs[i];
    double scale = ifd__largest(m->n, d->u) + h * ifd__largest(m->n, d->v) + h * h * ifd__largest(m->n, d->acc);
    bool states = !m->ns || ifd__largest(m->ns, d->rs) <= d->tolerance * (ifd__largest(m->ns, d->sp) + scale);
    return states && h * h * ifd__largest(m->n, d->F) <= d->tolerance * scale;
}

/* a1 from up and vp, then the new state. */
static void finish(const ifd_stepper *s, double t, const double *load, double *x)
{
    const newmark *d = s->data;
    const ifd_model *m = s->model;
    size_t bytes = sizeof(double) * (size_t)m->n;
    double t1 = t + s->h;
    begin_elements(s, t, x);
    memcpy(d->acc, x + d->a, bytes);
    bool converged = false;
    int cap = m->ne ? d->cap : 1; /* a linear model needs one iteration */
    for (int k = 0; k < cap && !converged; k++)
        converged = correct(s, t1, load, x);
    if (m->ne && !converged)
        ifd__latch(s, x, IFD_STEP_ITERATIONS);
    place(s, t1, x);
    if (m->ns) {
        advance(d, m);
        ifd__model_settle(m, d->s1, NULL, NULL);
        memcpy(ifd__x_s(s, x), d->s1, sizeof(double) * (size_t)m->ns);
    }
    memcpy(ifd__x_u(s, x), d->u, bytes);
    memcpy(ifd__x_v(s, x), d->v, bytes);
    memcpy(x + d->a, d->acc, bytes);
    if (d->weighted)
        memcpy(x + d->z, d->z1, bytes);
}

static void implicit_stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    const newmark *d = s->data;
    int n = s->model->n;
    double h = s->h;
    (void)i;
    for (int k = 0; k < n; k++) {
        double v = x[n + k], a = x[d->a + k];
        d->up[k] = x[k] + h * v + h * h * (0.5 - d->beta) * a;
        d->vp[k] = v + h * (1.0 - d->gamma) * a;
    }
    finish(s, t, load, x);
}

static void predict(const ifd_stepper *s, double *x)
{
    const newmark *d = s->data;
    const ifd_model *m = s->model;
    int n = m->n;
    double h = s->h, *v = ifd__x_v(s, x), *u1 = x + d->u1;
    const double *a = x + d->a;
    for (int i = 0; i < n; i++)
        d->du[i] = h * v[i] + 0.5 * h * h * a[i];
    if (d->predictor) {
        memset(d->F, 0, sizeof(double) * (size_t)n);
        ifd__tangent_mass(d->predictor, 1.0, d->du, d->F);
        ifd__model_linear(m, 0.5 * h * h, d->none, v, d->w, d->F);
        ifd__tangent_force(d->predictor, 0.5 * h * h, d->none, v, d->none, d->F);
        ifd__tangent_solve(d->predictor, d->F);
        memcpy(d->du, d->F, sizeof(double) * (size_t)n);
    }
    for (int i = 0; i < n; i++)
        u1[i] = x[i] + d->du[i];
}

static void explicit_stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    const newmark *d = s->data;
    int n = s->model->n;
    if (i == 0) {
        predict(s, x);
        return;
    }
    memcpy(d->up, x + d->u1, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++)
        d->vp[k] = x[n + k] + 0.5 * s->h * x[d->a + k];
    finish(s, t, load, x);
}

static void aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v)
{
    const newmark *d = s->data;
    int n = s->model->n;
    (void)t;
    memcpy(u, i == 1 ? x + d->u1 : x, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++)
        v[k] = x[n + k] + (i == 1 ? s->h * x[d->a + k] : 0.0);
}

#define ITERATION                                                                                                    \
    {.name = "iterations",                                                                                           \
     .preset = 20,                                                                                                   \
     IFD_WITHIN(1, 100),                                                                                             \
     .doc = "maximum number of Newton iterations in a step of a nonlinear model"},                                   \
    {                                                                                                                \
        .name = "tolerance", .preset = 1e-10, IFD_WITHIN(1e-15, 1),                                                  \
        .doc = "relative change of the displacements at which the iteration ends"                                    \
    }

static const ifd_param newmark_params[] = {
    {.name = "beta",
     .preset = 0.25,
     IFD_WITHIN(0, 1),
     .doc = "weight of the new acceleration in the displacement; 1/4 is average acceleration"},
    {.name = "gamma",
     .preset = 0.5,
     IFD_WITHIN(1e-3, 10),
     .doc = "weight of the new acceleration in the velocity; second order at 1/2 only"},
    ITERATION,
    {0}};

static const ifd_param hht_params[] = {
    {.name = "alpha",
     .preset = 0.1,
     IFD_WITHIN(0, 1.0 / 3.0),
     .doc = "weight of the old forces, 0 to 1/3; beta = (1 + alpha)^2/4, gamma = 1/2 + alpha"},
    ITERATION,
    {0}};

static const ifd_param generalized_params[] = {
    {.name = "rho", .preset = 0.8, IFD_WITHIN(0, 1), .doc = "spectral radius at infinite frequency"}, ITERATION, {0}};

static const ifd_param explicit_params[] = {ITERATION, {0}};

#define FAMILY .order = 2, .start = start, .aim = aim, .jump = jump
#define IMPLICIT FAMILY, .stages = 1, .at = {1.0}, .make = make, .stage = implicit_stage
#define EXPLICIT                                                                                                     \
    FAMILY, .stages = 2, .measures = 2, .at = {0.0, 1.0}, .params = explicit_params, .stage = explicit_stage

const ifd_method ifd__method_newmark = {
    IMPLICIT,
    .name = "newmark",
    .title = "Newmark's method, by default with average acceleration",
    .citation = "Newmark (1959)",
    .summary = "Second order, no numerical damping, unconditionally stable for linear models; iterates for nonlinear "
               "models.",
    .at_infinity = 1.0,
    .params = newmark_params,
};

const ifd_method ifd__method_hht = {
    IMPLICIT,
    .name = "hht",
    .title = "HHT-alpha method",
    .citation = "Hilber, Hughes, Taylor (1977)",
    .summary = "Newmark with damping of high frequencies by one parameter; iterates for nonlinear models.",
    .at_infinity = 0.9 / 1.1,
    .params = hht_params,
};

const ifd_method ifd__method_generalized_alpha = {
    IMPLICIT,
    .name = "generalized-alpha",
    .title = "Generalized-alpha method",
    .citation = "Chung, Hulbert (1993)",
    .summary = "Second order with adjustable damping at infinite frequency and little at low frequencies; iterates "
               "for nonlinear models.",
    .at_infinity = 0.8,
    .params = generalized_params,
};

const ifd_method ifd__method_central_difference = {
    EXPLICIT,
    .name = "central-difference",
    .title = "Central difference method",
    .citation = "Newmark (1959) with beta = 0, gamma = 1/2",
    .summary = "Second order; the displacement is known before the force is needed; stable only if the step is below "
               "2/omega.",
    .at_infinity = HUGE_VAL,
    .explicit_step = true,
    .make = make,
};

const ifd_method ifd__method_chang = {
    EXPLICIT,
    .name = "chang",
    .title = "Chang's explicit method with unconditional stability",
    .citation = "Chang (2002)",
    .summary = "Second order; the displacement is known before the force is needed; stable for any step if the "
               "structure does not become stiffer than at the start; no numerical damping.",
    .at_infinity = 1.0,
    .make = make_chang,
};
