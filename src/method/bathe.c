/* SPDX-License-Identifier: MIT */
/* The composite method of Bathe and Baig (2005): the trapezoidal rule over c h, then the backward difference of
 * second order through t, t + c h and t + h,
 *
 *     v1 = c1 u + c2 u_c + c3 u1,   a1 = c1 v + c2 v_c + c3 v1,   s1' = c1 s + c2 s_c + c3 s1
 *     c1 = (1 - c)/(c h),   c2 = -1/((1 - c) c h),   c3 = (2 - c)/((1 - c) h),   c1 + c2 + c3 = 0
 *
 * Both parts are Newton iterations (method/implicit.h). With a1 as the unknown the second one is
 *     v1 = v_c + (c1/c3) (v_c - v) + a1/c3,   u1 = u_c + (c1/c3) (u_c - u) + v1/c3,
 * which gives back a constant exactly, so that states without a rate do not change. A load from outside is known at
 * the ends of the step; at t + c h it is interpolated.
 *
 * Bathe, Baig (2005), Computers and Structures 83. */
#include "method/implicit.h"
#include "method/mass.h"
#include "method/stepper.h"

typedef struct bathe {
    double c, back; /* back: c1/c3 */
    int a, load;    /* offsets in x; load: that of the last step */
    ifd__implicit_rule first, second;
    ifd__tangent *mass; /* for the start */
    ifd__implicit it;
    double *middle; /* u, v, s at t + c h */
    double *mean;   /* n: the load there */
} bathe;

static ifd_status rule_make(const ifd_stepper *s, ifd_arena *arena, double c, ifd__implicit_rule *out, ifd_note *note)
{
    *out = (ifd__implicit_rule){.cm = 1.0, .cv = c, .cu = c * c, .cs = c};
    ifd__tangent_options to = {.cm = 1.0, .cv = c, .cu = c * c, .cs = c};
    return ifd__tangent_make(arena, s->model, &to, &out->T, note);
}

static ifd_status make(ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd_note *note)
{
    const ifd_model *m = s->model;
    size_t n = (size_t)m->n, ns = (size_t)m->ns;
    bathe *d = s->data = ifd_arena_take(arena, sizeof *d);
    if (!d)
        return IFD_NO_MEMORY;
    d->c = ifd__step_value(opt, "split")->number;
    d->back = (1.0 - d->c) * (1.0 - d->c) / (d->c * (2.0 - d->c));
    d->a = ifd__stepper_row(s, "a", m->n, IFD_STATE_HISTORY);
    d->load = ifd__stepper_row(s, "load", m->n, IFD_STATE_HISTORY);
    IFD_TRY(rule_make(s, arena, 0.5 * d->c * s->h, &d->first, note));
    IFD_TRY(rule_make(s, arena, (1.0 - d->c) / (2.0 - d->c) * s->h, &d->second, note));
    IFD_TRY(ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &d->mass, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d->middle, 2 * n + ns), IFD__ARRAY(d->mean, n)));
    return ifd__implicit_make(s, arena, opt, &d->it);
}

static void start(const ifd_stepper *s, double t, const double *load, double *x)
{
    const bathe *d = s->data;
    const ifd_model *m = s->model;
    const ifd__point at = {.t = t, .u = ifd__x_u(s, x), .v = ifd__x_v(s, x), .s = ifd__x_s(s, x)};
    double *a = x + d->a;
    ifd__model_balance(m, &at, a, d->it.g, d->it.w);
    for (int i = 0; i < m->n; i++) {
        x[d->load + i] = load ? load[i] : 0.0;
        a[i] += x[d->load + i];
    }
    ifd__mass_solve(s, d->mass, t, x, a);
}

static void jump(const ifd_stepper *s, double t, const double *change, double *x)
{
    const bathe *d = s->data;
    int n = s->model->n;
    memcpy(d->it.F, change, sizeof(double) * (size_t)n);
    ifd__mass_solve(s, d->mass, t, x, d->it.F);
    for (int i = 0; i < n; i++) {
        x[d->a + i] += d->it.F[i];
        x[d->load + i] += change[i];
    }
}

/* u, v, s of a solution. */
static IFD_RT void keep(const ifd_model *m, const ifd__implicit *it, double *y)
{
    size_t n = (size_t)m->n;
    memcpy(y, it->u, sizeof *y * n);
    memcpy(y + n, it->v, sizeof *y * n);
    if (m->ns)
        memcpy(y + 2 * n, it->s1, sizeof *y * (size_t)m->ns);
}

/* The trapezoidal rule from t to t + c h. */
static IFD_RT void trapezoid(const ifd_stepper *s, double t, const double *load, double *x)
{
    const bathe *d = s->data;
    const ifd__implicit *it = &d->it;
    const ifd_model *m = s->model;
    int n = m->n;
    double part = d->first.cs;
    for (int i = 0; i < n; i++) {
        double v = x[n + i], a = x[d->a + i], before = x[d->load + i];
        it->up[i] = x[i] + 2.0 * part * v + part * part * a;
        it->vp[i] = v + part * a;
        d->mean[i] = before + d->c * ((load ? load[i] : 0.0) - before);
    }
    ifd__implicit_begin(s, it, t, x);
    for (int i = 0; i < m->ns; i++)
        it->sb[i] = x[2 * n + i] + part * it->g0[i];
    memcpy(it->acc, x + d->a, sizeof(double) * (size_t)n);
    ifd__implicit_solve(s, it, &d->first, (ifd__implicit_end){t + d->c * s->h, d->mean}, x);
    keep(m, it, d->middle);
}

static void stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    const bathe *d = s->data;
    const ifd__implicit *it = &d->it;
    const ifd_model *m = s->model;
    const double *y = d->middle;
    int n = m->n;
    double part = d->second.cv;
    trapezoid(s, t, load, x);
    for (int k = 0; k < n; k++) {
        it->vp[k] = y[n + k] + d->back * (y[n + k] - x[n + k]);
        it->up[k] = y[k] + d->back * (y[k] - x[k]) + part * it->vp[k];
    }
    ifd__implicit_begin(s, it, t + d->c * s->h, y);
    for (int k = 2 * n; k < 2 * n + m->ns; k++)
        it->sb[k - 2 * n] = y[k] + d->back * (y[k] - x[k]);
    ifd__implicit_solve(s, it, &d->second, (ifd__implicit_end){t + s->h, load}, x);
    keep(m, it, x);
    memcpy(x + d->a, it->acc, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++)
        x[d->load + k] = load ? load[k] : 0.0;
}

static void aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v)
{
    ifd__x_motion(s, x, u, v);
}

static const ifd_param params[] = {
    IFD_OPTION("split", NONE, 0.01, 0.99, 0.5,
               "c, part of the step with the trapezoidal rule; at 0.5858 both parts have the same matrix"),
    IFD__ITERATION_PARAMS,
    {0}};

const ifd_method ifd__method_bathe = {
    .name = "bathe",
    .title = "Composite method of Bathe",
    .citation = "Bathe, Baig (2005)",
    .summary = "The method is L-stable and hardly damps the modes that the step resolves. Use this method for "
               "comparison, not for hybrid tests: each step of a nonlinear model needs two Newton iterations.",
    .order = 2,
    .at_infinity = 0.0,
    .stages = 1,
    .at = {1.0},
    IFD__METHOD_OWN,
    .jump = jump,
};
