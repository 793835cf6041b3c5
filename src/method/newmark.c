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

#include "method/implicit.h"
#include "method/mass.h"
#include "method/stepper.h"

typedef struct newmark {
    double am, af, beta, gamma;
    int a, z, u1; /* offsets in x; z only if af or am is not zero, u1 only if the step is explicit */
    bool weighted;
    ifd__implicit_rule rule;
    ifd__tangent *mass;      /* for the start */
    ifd__tangent *predictor; /* Chang's constant operator */
    ifd__implicit it;
    double *none; /* n + ns zeros */
} newmark;

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
    d->weighted = d->am > 0.0 || d->am < 0.0 || d->af > 0.0;
    d->a = ifd__stepper_row(s, "a", m->n, IFD_STATE_HISTORY);
    d->z = d->weighted ? ifd__stepper_row(s, "z", m->n, IFD_STATE_HISTORY) : d->a;
    if (s->method->stages == 2)
        d->u1 = ifd__stepper_row(s, "u1", m->n, IFD_STATE_STAGE);
    ifd__tangent_options to = {
        .cm = (1.0 - d->am) / (1.0 - d->af), .cv = d->gamma * s->h, .cu = d->beta * s->h * s->h, .cs = 0.5 * s->h};
    d->rule = (ifd__implicit_rule){.cm = to.cm, .cv = to.cv, .cu = to.cu, .cs = to.cs};
    IFD_TRY(ifd__tangent_make(arena, m, &to, &d->rule.T, note));
    IFD_TRY(ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &d->mass, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d->none, (size_t)m->n + (size_t)m->ns)));
    return ifd__implicit_make(s, arena, opt, &d->it);
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
    const ifd__point rest = {.u = m->u0, .v = m->v0, .s = m->s0, .a = d->none, .dq = d->it.dq};
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
    ifd__model_balance(m, &at, a, d->it.g, d->it.w);
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
    memcpy(d->it.F, change, sizeof(double) * (size_t)n);
    ifd__mass_solve(s, d->mass, t, x, d->it.F);
    for (int i = 0; i < n; i++)
        x[d->a + i] += d->it.F[i];
    for (int i = 0; i < n && d->weighted; i++)
        x[d->z + i] += d->it.F[i];
}

/* a1 from up and vp, then the new state. */
static void finish(const ifd_stepper *s, double t, const double *load, double *x)
{
    const newmark *d = s->data;
    const ifd__implicit *it = &d->it;
    const ifd_model *m = s->model;
    const double *a = x + d->a, *z = x + d->z, *es = ifd__x_s(s, x);
    size_t bytes = sizeof(double) * (size_t)m->n;
    ifd__implicit_begin(s, it, t, x);
    for (int i = 0; i < m->ns; i++)
        it->sb[i] = es[i] + d->rule.cs * it->g0[i];
    for (int i = 0; i < m->n && d->weighted; i++)
        it->zp[i] = (d->am * a[i] - d->af * z[i]) / (1.0 - d->af);
    memcpy(it->acc, a, bytes);
    ifd__implicit_solve(s, it, &d->rule, (ifd__implicit_end){t + s->h, load}, x);
    if (m->ns)
        memcpy(ifd__x_s(s, x), it->s1, sizeof(double) * (size_t)m->ns);
    memcpy(ifd__x_u(s, x), it->u, bytes);
    memcpy(ifd__x_v(s, x), it->v, bytes);
    memcpy(x + d->a, it->acc, bytes);
    if (d->weighted)
        memcpy(x + d->z, it->z1, bytes);
}

static void implicit_stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    const newmark *d = s->data;
    int n = s->model->n;
    double h = s->h;
    for (int k = 0; k < n; k++) {
        double v = x[n + k], a = x[d->a + k];
        d->it.up[k] = x[k] + h * v + h * h * (0.5 - d->beta) * a;
        d->it.vp[k] = v + h * (1.0 - d->gamma) * a;
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
        d->it.du[i] = h * v[i] + 0.5 * h * h * a[i];
    if (d->predictor) {
        memset(d->it.F, 0, sizeof(double) * (size_t)n);
        ifd__tangent_mass(d->predictor, 1.0, d->it.du, d->it.F);
        ifd__model_linear(m, 0.5 * h * h, d->none, v, d->it.w, d->it.F);
        ifd__tangent_force(d->predictor, 0.5 * h * h, d->none, v, d->none, d->it.F);
        ifd__tangent_solve(d->predictor, d->it.F);
        memcpy(d->it.du, d->it.F, sizeof(double) * (size_t)n);
    }
    for (int i = 0; i < n; i++)
        u1[i] = x[i] + d->it.du[i];
}

static void explicit_stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    const newmark *d = s->data;
    int n = s->model->n;
    if (i == 0) {
        predict(s, x);
        return;
    }
    memcpy(d->it.up, x + d->u1, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++)
        d->it.vp[k] = x[n + k] + 0.5 * s->h * x[d->a + k];
    finish(s, t, load, x);
}

static void aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v)
{
    const newmark *d = s->data;
    int n = s->model->n;
    memcpy(u, i == 1 ? x + d->u1 : x, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++)
        v[k] = x[n + k] + (i == 1 ? s->h * x[d->a + k] : 0.0);
}

static const ifd_param newmark_params[] = {
    IFD_OPTION("beta", NONE, 0, 1, 0.25,
               "weight of the new acceleration in the displacement; 1/4: average acceleration"),
    IFD_OPTION("gamma", NONE, 1e-3, 10, 0.5,
               "weight of the new acceleration in the velocity; the order is 2 only at 1/2"),
    IFD__ITERATION_PARAMS,
    {0}};

static const ifd_param hht_params[] = {
    IFD_OPTION("alpha", NONE, 0, 1.0 / 3.0, 0.1,
               "weight of the old forces; beta = (1 + alpha)^2/4, gamma = 1/2 + alpha"),
    IFD__ITERATION_PARAMS,
    {0}};

static const ifd_param generalized_params[] = {
    IFD_OPTION("rho", NONE, 0, 1, 0.8, "spectral radius at infinite frequency"), IFD__ITERATION_PARAMS, {0}};

static const ifd_param explicit_params[] = {IFD__ITERATION_PARAMS, {0}};

#define FAMILY .order = 2, .start = start, .aim = aim, .jump = jump
#define IMPLICIT FAMILY, .stages = 1, .at = {1.0}, .make = make, .stage = implicit_stage
#define EXPLICIT                                                                                                     \
    FAMILY, .stages = 2, .measures = 2, .at = {0.0, 1.0}, .params = explicit_params, .stage = explicit_stage

const ifd_method ifd__method_newmark = {
    IMPLICIT,
    .name = "newmark",
    .title = "Newmark's method, by default with average acceleration",
    .citation = "Newmark (1959)",
    .summary =
        "The method has no numerical damping and is unconditionally stable for linear models. The method iterates "
        "for nonlinear models.",
    .at_infinity = 1.0,
    .params = newmark_params,
};

const ifd_method ifd__method_hht = {
    IMPLICIT,
    .name = "hht",
    .title = "HHT-alpha method",
    .citation = "Hilber, Hughes, Taylor (1977)",
    .summary = "This is Newmark's method with damping of high frequencies. Nonlinear models need iterations.",
    .at_infinity = 0.9 / 1.1,
    .params = hht_params,
};

const ifd_method ifd__method_generalized_alpha = {
    IMPLICIT,
    .name = "generalized-alpha",
    .title = "Generalized-alpha method",
    .citation = "Chung, Hulbert (1993)",
    .summary =
        "The damping of high frequencies is adjustable; low frequencies are hardly damped. The method iterates for "
        "nonlinear models.",
    .at_infinity = 0.8,
    .params = generalized_params,
};

const ifd_method ifd__method_central_difference = {
    EXPLICIT,
    .name = "central-difference",
    .title = "Central difference method",
    .citation = "Newmark (1959) with beta = 0, gamma = 1/2",
    .summary = "The method computes the displacement before it needs the force. The method is stable only if "
               "the step is below 2/omega for the highest frequency omega.",
    .at_infinity = HUGE_VAL,
    .explicit_step = true,
    .make = make,
};

const ifd_method ifd__method_chang = {
    EXPLICIT,
    .name = "chang",
    .title = "Chang's explicit method with unconditional stability",
    .citation = "Chang (2002)",
    .summary =
        "The method has no numerical damping. The method computes the displacement before it needs the force. The "
        "method is stable for any step if the structure does not become stiffer than at the start.",
    .at_infinity = 1.0,
    .initial = true,
    .make = make_chang,
};
