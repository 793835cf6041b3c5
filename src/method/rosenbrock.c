/* SPDX-License-Identifier: MIT */
/* LSRT1 and LSRT2: linearly implicit, L-stable, real-time compatible Rosenbrock methods.
 *
 *     k1 = W^-1 h f(y_k, t_k)                       W = I - c J,  c = gamma h
 *     LSRT1: y_{k+1} = y_k + k1
 *     LSRT2: y_m = y_k + k1/2,  k2 = W^-1 [h f(y_m, t_k + h/2) - c J k1],  y_{k+1} = y_k + k2
 *
 * with y = (u, v, s) and f = (v, M^-1 (P - R), g). W is never formed: in stage 1 the right sides of the rows are r_u
 * = h v, r_s = h g, r_v = h (P - R), in stage 2
 *
 *     r_u = h w,  w = v_m - gamma k1_v,   r_s = h g_m - c (g_u k1_u + g_v k1_v + g_s k1_s),
 *     r_v = h (P_m - R_m) + c (K k1_u + C k1_v + R_s k1_s)
 *
 * and the tangent (tangent.h) reduces them to one n x n system. For the linear matrices the products are gathered
 * into one with K and one with C per stage: r_v - c K r_u = h [P - C v - K (u + c v)] and h [P_m - C w - K (u_m -
 * gamma k1_u + c w)].
 *
 * b2 (gamma21 + gamma) = 0 (coefficients in stepper.c): order 2 holds with any J, so J may be frozen at the initial
 * state, and df/dt is not needed. An element that advances its states itself (`follow`) is therefore a force on (u,
 * v) alone: its states in the middle and at the end of the step follow the motion from those at its start. With a
 * mass m(q), f contains M(u)^-1, and M of the Jacobian multiplies it: P - R becomes M_J M(u)^-1 (P - R).
 *
 * Bursi, Gonzalez-Buelga, Vulcan, Wagg (2008), Earthquake Engineering and Structural Dynamics 37:339-360. */

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/wide.h"
#include "method/mass.h"
#include "method/stepper.h"
#include "model/element.h"

static const ifd__rosenbrock_table *const table = &ifd__lsrt2_table;

/* Right sides of the rows of a stage; k1 or k2 after the solution. */
typedef struct increment {
    double *u, *v, *s; /* n, n, ns */
} increment;

typedef struct rosenbrock {
    double gamma;
    ifd__jacobian jacobian;
    int active, beyond;     /* offsets in x (bounded): choice of elements, number of steps beyond the budget */
    bool warns;             /* bounded: a step beyond the budget is counted, no fault */
    bool follows;           /* an element advances its states itself */
    int k1u, k1v, k1s;      /* offsets in x (LSRT2) */
    int last;               /* offset in x: last solution (factor in single precision) */
    ifd__tangent *T, *mass; /* mass: only for an inertial model */
    double *F, *g, *w;      /* n, ns, scratch of the model */
    double *um, *vm, *sm;   /* n, n, ns */
    double *ru, *z;         /* n, n */
    double *q0;             /* 2 nq: coordinates and rates at the start of the step */
    double *from;           /* 2 n + ns + 1: u, v, s and t of the present Jacobian */
    increment k;            /* of the last stage */
} rosenbrock;

double ifd__rosenbrock_gamma(const ifd_step_options *opt)
{
    const ifd_value *v = ifd__step_value(opt, "gamma");
    if (!v->given)
        return opt->method->stages == 1 ? 1.0 : IFD__GAMMA_MINUS;
    if (!v->word)
        return v->number;
    return strcmp(v->word, "plus") == 0 ? IFD__GAMMA_PLUS : IFD__GAMMA_MINUS;
}

enum { BEYOND_FAULT, BEYOND_EXACT, BEYOND_WARN };

/* The place of a parameter's word in its list; the first one when it is not given. */
static int choice(const ifd_step_options *opt, const char *name)
{
    const ifd_value *v = ifd__step_value(opt, name);
    return v->given ? (int)v->number : 0;
}

static ifd_status make(ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd_note *note)
{
    const ifd_model *m = s->model;
    rosenbrock *r;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, 1)));
    s->data = r;
    r->gamma = ifd__rosenbrock_gamma(opt);
    r->jacobian = (ifd__jacobian)choice(opt, "jacobian");
    int beyond = choice(opt, "tangent-beyond");
    if (s->method->stages == 2) {
        r->k1u = ifd__stepper_row(s, "k1.u", m->n, IFD_STATE_STAGE);
        r->k1v = ifd__stepper_row(s, "k1.v", m->n, IFD_STATE_STAGE);
        r->k1s = ifd__stepper_row(s, "k1.s", m->ns, IFD_STATE_STAGE);
    }
    double c = r->gamma * s->h;
    ifd__tangent_options to = {
        .cm = 1.0, .cv = c, .cu = c * c, .cs = c, .estimates = opt->estimates, .estimate = opt->estimate};
    to.follow = true;
    to.jacobian = r->jacobian;
    to.step = s->h;
    to.tolerance = ifd__step_value(opt, "tangent-tolerance")->number;
    to.cap = (int)ifd__step_value(opt, "tangent-cap")->number;
    to.all_beyond = beyond == BEYOND_EXACT;
    r->warns = beyond == BEYOND_WARN;
    if (choice(opt, "factor"))
        to.single = ifd__step_value(opt, "factor");
    /* Below, the stability budget of a bounded Jacobian does not hold (scan of the scalar test equation). */
    double least = s->method->stages == 1 ? 1.0 : IFD__GAMMA_MINUS;
    if (r->jacobian == IFD__JACOBIAN_BOUNDED && r->gamma < least)
        return ifd_note_add(note, IFD_RANGE, &ifd__step_value(opt, "gamma")->place,
                            "gamma is %g, expected %.4g or more with 'jacobian: bounded'", r->gamma, least);
    if (r->jacobian == IFD__JACOBIAN_BOUNDED) {
        r->active = ifd__stepper_row(s, "tangent.active", m->ne, IFD_STATE_INTEGER);
        r->beyond = ifd__stepper_row(s, "tangent.beyond", 1, IFD_STATE_INTEGER);
    }
    for (int e = 0; e < m->ne; e++)
        r->follows = r->follows || (m->element[e].ns && m->element[e].ops->follow);
    IFD_TRY(ifd__tangent_make(arena, m, &to, &r->T, note));
    if (to.single) {
        r->last = ifd__stepper_row(s, "factor.x", ifd__tangent_last(r->T, 0), IFD_STATE_STAGE);
        ifd__stepper_row(s, "factor.b", ifd__tangent_last(r->T, 1), IFD_STATE_STAGE);
        ifd__stepper_row(s, IFD__LAST_ROW, ifd__tangent_last(r->T, 2), IFD_STATE_INTEGER);
    }
    if (m->inertial)
        IFD_TRY(ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &r->mass, note));
    size_t n = (size_t)m->n, ns = (size_t)m->ns;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->from, 2 * n + ns + 1)));
    r->from[2 * n + ns] = (double)NAN; /* of no state yet */
    return IFD__TAKE(arena, IFD__ARRAY(r->F, n), IFD__ARRAY(r->um, n), IFD__ARRAY(r->vm, n), IFD__ARRAY(r->ru, n),
                     IFD__ARRAY(r->z, n), IFD__ARRAY(r->k.u, n), IFD__ARRAY(r->k.v, n), IFD__ARRAY(r->g, ns),
                     IFD__ARRAY(r->sm, ns), IFD__ARRAY(r->k.s, ns), IFD__ARRAY(r->q0, 2 * m->nq),
                     IFD__ARRAY(r->w, ifd__model_work(m)));
}

static void start(const ifd_stepper *s, double t, const double *load, double *x)
{
    const rosenbrock *r = s->data;
    for (int part = 0, at = r->last; part < 3; at += ifd__tangent_last(r->T, part++))
        memset(x + at, 0, sizeof *x * (size_t)ifd__tangent_last(r->T, part));
}

/* Solution of a stage (tangent.h); k contains the right sides of s and v. */
static void solve(const ifd_stepper *s, double *x, increment k)
{
    const rosenbrock *r = s->data;
    ifd__tangent_from(r->T, x + r->last);
    ifd__tangent_stage(r->T, r->ru, k.s, k.v, k.u);
    if (!ifd__tangent_precise(r->T))
        ifd__latch(s, x, IFD_STEP_PRECISION);
}

static bool followed(const ifd_element *e)
{
    return e->ns && e->ops->follow;
}

/* g := 0 of elements that advance their states themselves. */
static void no_rates(const rosenbrock *r, const ifd_model *m)
{
    for (int e = 0; r->follows && e < m->ne; e++)
        if (followed(&m->element[e]))
            memset(r->g + m->s_of[e], 0, sizeof(double) * (size_t)m->element[e].ns);
}

/* q0 := coordinates and rates at the start of a step, kept until follow_states. */
static void follow_from(const rosenbrock *r, const ifd_model *m, double t, const double *u, const double *v)
{
    if (r->follows)
        ifd__model_coordinates(m, t, u, v, r->q0, r->q0 + m->nq);
}

/* es: from the states at the start, t, to those at p with known u and v. */
static void follow_states(const rosenbrock *r, const ifd_model *m, double t, const ifd__point *p, double *es)
{
    if (!r->follows)
        return;
    ifd__model_coordinates(m, p->t, p->u, p->v, r->w, r->w + m->nq);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *el = &m->element[e];
        int q = m->q_of[e];
        const ifd_element_move move = {
            .from = t, .to = p->t, .q0 = r->q0 + q, .v0 = r->q0 + m->nq + q, .q1 = r->w + q, .v1 = r->w + m->nq + q};
        if (followed(el))
            el->ops->follow(el, &move, es + m->s_of[e]);
    }
}

/* z := M(u)^-1 (F - K u - C v), the acceleration. False if M(u) is singular. */
static bool acceleration(const rosenbrock *r, const ifd_model *m, const ifd__point *p)
{
    memcpy(r->z, r->F, sizeof(double) * (size_t)m->n);
    ifd__model_linear(m, -1.0, p->u, p->v, r->w, r->z);
    bool ok = ifd__tangent_update(r->mass, p);
    ifd__tangent_solve(r->mass, r->z);
    return ok;
}

/* rv := h M_J z - c K ru of the linear stiffness: the right side of a stage for an inertial model. */
static void inertial_right_side(const rosenbrock *r, const ifd_stepper *s, double *rv)
{
    const ifd_model *m = s->model;
    memset(rv, 0, sizeof(double) * (size_t)m->n);
    ifd__tangent_mass(r->T, s->h, r->z, rv);
    ifd__sparse_mul_add(&m->K, -r->gamma * s->h, r->ru, rv);
}

/* The Jacobian of this step. False when it could not be factored. */
static bool linearise(const ifd_stepper *s, const ifd__point *at, double *x)
{
    const rosenbrock *r = s->data;
    if (r->jacobian == IFD__JACOBIAN_FROZEN || !s->model->ne)
        return true;
    size_t count = (size_t)(2 * s->model->n + s->model->ns);
    memcpy(r->from, x, count * sizeof *x);
    r->from[count] = at->t;
    if (r->jacobian != IFD__JACOBIAN_BOUNDED)
        return ifd__tangent_update(r->T, at);
    ifd__choice chosen = ifd__tangent_choose(r->T, at, x + r->active);
    if (chosen == IFD__CHOICE_BEYOND || chosen == IFD__CHOICE_ALL)
        x[r->beyond] += 1.0;
    if (chosen == IFD__CHOICE_BEYOND && !r->warns)
        ifd__latch(s, x, IFD_STEP_TANGENT);
    return chosen != IFD__CHOICE_SINGULAR;
}

static inline void scale(int n, double factor, const double *x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = factor * x[i];
}

static IFD__WIDE void stage1(const ifd_stepper *s, double t, const double *load, double *x, increment k)
{
    const rosenbrock *r = s->data;
    const ifd_model *m = s->model;
    double *u = ifd__x_u(s, x), *v = ifd__x_v(s, x), *es = ifd__x_s(s, x);
    double h = s->h, c = r->gamma * h;
    const ifd__point at = {.t = t, .u = u, .v = v, .s = es, .a = r->z};
    bool ok = true;
    ifd__element_balance(m, &at, load, r->w, r->F, r->g);
    no_rates(r, m);
    if (m->inertial)
        ok = acceleration(r, m, &at);
    ok = linearise(s, &at, x) && ok;
    for (int i = 0; i < m->n; i++)
        r->um[i] = u[i] + c * v[i];
    scale(m->n, h, r->F, k.v);
    scale(m->n, h, v, r->ru); /* meanwhile um reaches the cache, before the product */
    scale(m->ns, h, r->g, k.s);
    if (m->inertial)
        inertial_right_side(r, s, k.v);
    else
        ifd__model_linear(m, -h, r->um, v, r->w, k.v);
    solve(s, x, k);
    if (!ok)
        ifd__latch(s, x, IFD_STEP_SINGULAR);
}

/* The last increment of a step, and the states of elements that follow. */
static IFD__WIDE void finish(const ifd_stepper *s, double t, double *x)
{
    const rosenbrock *r = s->data;
    const ifd_model *m = s->model;
    double *u = ifd__x_u(s, x), *v = ifd__x_v(s, x), *es = ifd__x_s(s, x);
    double weight = s->method->stages == 2 ? table->b2 : 1.0;
    follow_from(r, m, t, u, v);
    for (int i = 0; i < m->n; i++) {
        u[i] += weight * r->k.u[i];
        v[i] += weight * r->k.v[i];
    }
    for (int i = 0; i < m->ns; i++)
        es[i] += weight * r->k.s[i];
    follow_states(r, m, t, &(ifd__point){.t = t + s->h, .u = u, .v = v}, es);
    if (m->ns)
        ifd__model_settle(m, es, NULL, NULL);
}

static void lsrt1_stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    const rosenbrock *r = s->data;
    stage1(s, t, load, x, r->k);
    finish(s, t, x);
}

void ifd__rosenbrock_middle(const ifd_stepper *s, const double *x, double *um, double *vm, double *sm)
{
    const rosenbrock *r = s->data;
    const ifd_model *m = s->model;
    for (int i = 0; i < m->n; i++) {
        um[i] = x[i] + table->alpha21 * x[r->k1u + i];
        vm[i] = x[m->n + i] + table->alpha21 * x[r->k1v + i];
    }
    for (int i = 0; i < m->ns; i++)
        sm[i] = x[2 * m->n + i] + table->alpha21 * x[r->k1s + i];
    if (m->ns)
        ifd__model_settle(m, sm, NULL, NULL);
}

/* The state at the start of a step (and the velocity in its middle) decides if a slider sticks or slips in this step.
 * The slider then passes its limit and is set to it at the end. A decision in the middle, where the limit may already
 * be reached, would stop the slider short of its limit in every step. */
static void rates_from_start(const rosenbrock *r, const ifd_model *m, double t, const double *es)
{
    const double *q = r->w, *qd = q + m->nq;
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *el = &m->element[e];
        if (!ifd__element_stops(el))
            continue;
        int c = m->q_of[e];
        const ifd_element_in in = {.t = t, .q = q + c, .qd = qd + c, .qdd = qd + c, .s = es + m->s_of[e]};
        memset(r->g + m->s_of[e], 0, sizeof(double) * (size_t)el->ns);
        el->ops->eval(el, &in, &(ifd_element_out){.g = r->g + m->s_of[e]});
    }
}

static IFD__WIDE void stage2(const ifd_stepper *s, double t, const double *load, double *x)
{
    const rosenbrock *r = s->data;
    const ifd_model *m = s->model;
    const double *u = ifd__x_u(s, x), *v = ifd__x_v(s, x), *k1u = x + r->k1u, *k1v = x + r->k1v, *k1s = x + r->k1s;
    double h = s->h, gamma = r->gamma, c = gamma * h, tm = t + table->alpha21 * h;
    double share = table->alpha21 + table->gamma21 * gamma, c21 = table->gamma21 * c;
    bool ok = true;
    if (m->ne)
        ifd__rosenbrock_middle(s, x, r->um, r->vm, r->sm);
    const ifd__point middle = {.t = tm, .u = r->um, .v = r->vm, .s = r->sm};
    ifd__element_balance(m, &middle, load, r->w, r->F, r->g);
    rates_from_start(r, m, tm, ifd__x_s(s, x));
    no_rates(r, m);
    if (m->inertial)
        ok = acceleration(r, m, &middle);
    double *restrict um = r->um, *restrict vm = r->vm; /* for the compiler, which else leaves the loop scalar */
    for (int i = 0; i < m->n; i++) {
        vm[i] = v[i] + share * k1v[i];
        um[i] = u[i] + share * k1u[i] + c * vm[i];
    }
    scale(m->n, h, r->F, r->k.v);
    scale(m->n, h, vm, r->ru);
    scale(m->ns, h, r->g, r->k.s);
    ifd__tangent_rate(r->T, c21, k1u, k1v, k1s, r->k.s);
    if (m->inertial) {
        inertial_right_side(r, s, r->k.v);
        ifd__model_linear(m, -c21, k1u, k1v, r->w, r->k.v);
    } else {
        ifd__model_linear(m, -h, r->um, r->vm, r->w, r->k.v);
    }
    ifd__tangent_force(r->T, -c21, k1u, k1v, k1s, r->k.v);
    solve(s, x, r->k);
    finish(s, t, x);
    if (!ok)
        ifd__latch(s, x, IFD_STEP_SINGULAR);
}

/* The second stage uses the Jacobian of the first, which is not part of the state. Where the state comes from
 * elsewhere (a checkpoint in the middle of a step) it is computed again at the start of the step. With a mass m(q) it
 * also depends on the load of the first stage: the present one takes its place. */
static bool relinearise(const ifd_stepper *s, double t, const double *load, const double *x)
{
    const rosenbrock *r = s->data;
    const ifd_model *m = s->model;
    size_t count = (size_t)(2 * m->n + m->ns);
    const ifd__point at = {.t = t, .u = x, .v = x + m->n, .s = x + 2 * m->n, .a = r->z};
    if (r->jacobian == IFD__JACOBIAN_FROZEN || !m->ne ||
        (r->from[count] == t && memcmp(r->from, x, count * sizeof *x) == 0))
        return true;
    bool ok = true;
    if (m->inertial) {
        ifd__element_balance(m, &at, load, r->w, r->F, r->g);
        ok = acceleration(r, m, &at);
    }
    return ifd__tangent_resume(r->T, &at, x + r->active) && ok;
}

/* k1.s of elements that follow: twice the path to the middle of the step. */
static void follow_to_middle(const ifd_stepper *s, double t, double *x)
{
    const rosenbrock *r = s->data;
    const ifd_model *m = s->model;
    const double *es = ifd__x_s(s, x);
    if (!r->follows)
        return;
    follow_from(r, m, t, ifd__x_u(s, x), ifd__x_v(s, x));
    for (int i = 0; i < m->n; i++) {
        r->um[i] = x[i] + table->alpha21 * x[r->k1u + i];
        r->vm[i] = x[m->n + i] + table->alpha21 * x[r->k1v + i];
    }
    memcpy(r->sm, es, sizeof(double) * (size_t)m->ns);
    follow_states(r, m, t, &(ifd__point){.t = t + table->alpha21 * s->h, .u = r->um, .v = r->vm}, r->sm);
    for (int e = 0; e < m->ne; e++)
        for (int i = m->s_of[e]; followed(&m->element[e]) && i < m->s_of[e + 1]; i++)
            x[r->k1s + i] = (r->sm[i] - es[i]) / table->alpha21;
}

static void lsrt2_stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    const rosenbrock *r = s->data;
    if (i == 1) {
        if (!relinearise(s, t, load, x))
            ifd__latch(s, x, IFD_STEP_SINGULAR);
        stage2(s, t, load, x);
    } else {
        stage1(s, t, load, x, (increment){.u = x + r->k1u, .v = x + r->k1v, .s = x + r->k1s});
        follow_to_middle(s, t, x);
    }
}

static void aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v)
{
    const rosenbrock *r = s->data;
    if (i == 1)
        ifd__rosenbrock_middle(s, x, u, v, r->sm);
    else
        ifd__x_motion(s, x, u, v);
}

const ifd__tangent *ifd__rosenbrock_constant(const ifd_stepper *s, double *gamma)
{
    const rosenbrock *r = s->data;
    if (s->method != &ifd__method_lsrt2 || (s->model->ne && r->jacobian != IFD__JACOBIAN_FROZEN))
        return NULL;
    *gamma = r->gamma;
    return r->T;
}

/* clang-format off */
#define JACOBIAN                                                                                                     \
    {.name = "jacobian",                                                                                             \
     .shape = IFD_SHAPE_WORD,                                                                                        \
     .words = "exact|frozen|bounded|refactor",                                                                       \
     .doc = "exact: updated at every step; frozen: computed once at the start (faster); bounded: at most "           \
            "tangent-cap coordinates of elements are updated, the others keep their stiffest tangent; refactor: "    \
            "exact by factorising the whole matrix at every step (for thousands of elements)"},                      \
    {.name = "tangent-cap",                                                                                          \
     .preset = 64,                                                                                                   \
     IFD_WITHIN(0, 1e6),                                                                                             \
     .doc = "bounded: largest number of updated coordinates"},                                                       \
    {.name = "tangent-tolerance",                                                                                    \
     .preset = 1e-2,                                                                                                 \
     IFD_WITHIN(0, 1),                                                                                               \
     .doc = "bounded: relative change of the system matrix from which an element is updated"},                       \
    {.name = "tangent-beyond",                                                                                       \
     .shape = IFD_SHAPE_WORD,                                                                                        \
     .words = "fault|exact|warn",                                                                                    \
     .doc = "bounded, if the other elements endanger stability: stop with a fault, update all elements (no fixed "   \
            "cost), or continue with a caution; a test requires fault"},                                             \
    {.name = "factor",                                                                                               \
     .shape = IFD_SHAPE_WORD,                                                                                        \
     .words = "double|single",                                                                                       \
     .doc = "precision of the stored factor: single is faster from about 5,000 dofs, and its error is checked in "   \
            "each step"}
/* clang-format on */

static const ifd_param lsrt1_params[] = {
    IFD_OPTION("gamma", NONE, 1e-3, 1e3, 1.0, "implicitness; L-stable at 1"), JACOBIAN, {0}};

static const ifd_param lsrt2_params[] = {
    {.name = "gamma",
     .shape = IFD_SHAPE_CHOICE,
     .words = "minus|plus",
     .preset = IFD__GAMMA_MINUS,
     IFD_WITHIN(1e-3, 1e3),
     .doc = "minus: 1 - sqrt2/2 (accurate); plus: 1 + sqrt2/2 (strongly damped)"},
    JACOBIAN,
    {0}};

const ifd_method ifd__method_lsrt1 = {
    .name = "lsrt1",
    .title = "L-stable real-time Rosenbrock method, one stage",
    .citation = "Bursi, Gonzalez-Buelga, Vulcan, Wagg (2008)",
    .summary = "The method damps strongly and measures one force per step.",
    .order = 1,
    .at_infinity = 0.0,
    .stages = 1,
    .measures = 1,
    .follows = true,
    .constraints = true,
    .params = lsrt1_params,
    .make = make,
    .start = start,
    .stage = lsrt1_stage,
    .aim = aim,
};

const ifd_method ifd__method_lsrt2 = {
    .name = "lsrt2",
    .title = "L-stable real-time Rosenbrock method, two stages",
    .citation = "Bursi, Gonzalez-Buelga, Vulcan, Wagg (2008)",
    .summary =
        "The method solves one linear system per stage (linearly implicit). The method measures forces at the start "
        "and in the middle of a step.",
    .order = 2,
    .at_infinity = 0.0,
    .stages = 2,
    .measures = 3,
    .at = {0.0, 0.5},
    .follows = true,
    .constraints = true,
    .params = lsrt2_params,
    .make = make,
    .start = start,
    .stage = lsrt2_stage,
    .aim = aim,
};
