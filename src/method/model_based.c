/* SPDX-License-Identifier: MIT */
/* Model-based methods: KR-alpha, MKR-alpha, CR and alpha-OS. The displacement at which a force is measured is known
 * before the force; the matrices are constant, made from M, C, K at the initial state, estimates included.
 *
 * KR-alpha, MKR-alpha and CR are printed as
 *
 *     A = M + g h C + b h^2 K,   A1 = A^-1 M,   A2 = (1/2 + g) A1,   A3 = A^-1 (am M + af g h C + af b h^2 K)
 *     u1 = u + h v + h^2 A2 a,   v1 = v + h A1 a
 *     M (I - A3) a1 = (1 - af) (F1 - C v1 - r1) + af (F - C v - r) - M A3 a
 *
 * Their v lags: v_n is the velocity at t_n - g h, and A1 a_n the acceleration. In z = A1 a, the velocity
 * w = v + g h z, and X = g h C + b h^2 K they are Newmark's rule with beta = 0 and a matrix as the mass:
 *
 *     u1 = u + h w + h^2/2 z,   w1 = w + h [(1 - g) z + g z1],   (1 - am) z1 + am z = (1 - af) y1 + af y
 *     M y = Q - X z,   Q = F - C v - r,   so that [(1 - am) M + (1 - af) X] z1 = (1 - af) Q1 - M (am z - af y),
 *
 * because M (I - A3) a = [(1 - am) M + (1 - af) X] z and M A3 a = (am M + af X) z. They start with
 * A z0 = F - C w0 - r (with v0 itself the printed methods are of first order).
 *
 * Alpha-OS (operator splitting) has the same lines with am = 0 and beta = b: the force is measured at the prediction
 * u~ = u + h w + h^2 (1/2 - b) z, and the matrix corrects it for the rest, u1 = u~ + b h^2 z1. Then z is the weighted
 * and y the actual acceleration, M y = F - C w - r - K (u1 - u~), which start as M z0 = M y0 = F - C w0 - r. For a
 * linear model with its own K it is HHT-alpha.
 *
 * Elements and the specimen receive the best velocity that is known before their force, w + h z; their damping enters
 * C by its change alone: Q contains their force minus g h C z. If the mass depends on the position, the matrices are
 * those of the predicted one. Element states with an exact update, or that follow a motion, start from the beginning
 * of the step; others use the linearised trapezoidal rule. With alpha-OS they end at u1.
 *
 * Chen, Ricles (2008), J. Eng. Mech. 134(8); Kolay, Ricles (2014), Earthquake Engng Struct. Dyn. 43(9); Kolay, Ricles
 * (2019), J. Earthq. Eng. 23(5); Nakashima, Kato, Takaoka (1990), Earthquake Engng Struct. Dyn. 19(3); Combescure,
 * Pegon (1997), Nucl. Eng. Des. 168. */
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "method/mass.h"
#include "method/stepper.h"

typedef struct model_based {
    double am, af, g, b;
    double beta;                /* weight of z1 in u1: b in alpha-OS, otherwise 0 */
    int z, y;                   /* offsets in x */
    ifd__tangent *A, *B, *mass; /* M + X, (1 - am) M + (1 - af) X at the initial state; mass: for the start */
    double *u1, *w1, *F;        /* n */
    double *s1, *g0, *g1;       /* ns */
    double *none;               /* zeros, as many as the longest vector has */
    double *gs;                 /* g_s of one element */
    double *q0, *q1, *r;        /* 2 nq, 2 nq, nq: coordinates and rates at both ends of the step; forces */
    double *w;                  /* scratch of the model */
    int *pivot;
} model_based;

static ifd_status take_vectors(model_based *d, const ifd_model *m, ifd_arena *arena)
{
    size_t n = (size_t)m->n, ns = (size_t)m->ns, nq = (size_t)m->nq, most = 0;
    for (int e = 0; e < m->ne; e++)
        most = (size_t)m->element[e].ns > most ? (size_t)m->element[e].ns : most;
    return IFD__TAKE(arena, IFD__ARRAY(d->u1, n), IFD__ARRAY(d->w1, n), IFD__ARRAY(d->F, n), IFD__ARRAY(d->s1, ns),
                     IFD__ARRAY(d->g0, ns), IFD__ARRAY(d->g1, ns), IFD__ARRAY(d->gs, most * most),
                     IFD__ARRAY(d->q0, 2 * nq), IFD__ARRAY(d->q1, 2 * nq), IFD__ARRAY(d->r, nq),
                     IFD__ARRAY(d->none, n + ns + nq), IFD__ARRAY(d->w, ifd__model_work(m)),
                     IFD__ARRAY(d->pivot, most));
}

/* dq = 0: the tangent of a slider at rest is a stiffness, not a damping. */
static bool linearise(const ifd_stepper *s, ifd__tangent *T, double t, const double *u, const double *v,
                      const double *es)
{
    const model_based *d = s->data;
    return ifd__tangent_update(T, &(ifd__point){.t = t, .u = u, .v = v, .s = es, .a = d->none, .dq = d->none});
}

/* The matrix of `to` at the initial state. */
static ifd_status matrix(const ifd_stepper *s, ifd_arena *arena, const ifd__tangent_options *to, ifd__tangent **out,
                         ifd_note *note)
{
    const ifd_model *m = s->model;
    IFD_TRY(ifd__tangent_make(arena, m, to, out, note));
    if (!linearise(s, *out, 0.0, m->u0, m->v0, m->s0))
        return ifd_note_add(note, IFD_SINGULAR, NULL, "a matrix of method %s is singular at the initial state",
                            s->method->name);
    return IFD_OK;
}

static void set_weights(model_based *d, const ifd_step_options *opt)
{
    if (opt->method == &ifd__method_alpha_os) {
        d->af = ifd__step_value(opt, "alpha")->number;
    } else if (opt->method != &ifd__method_cr) {
        double rho = ifd__step_value(opt, "rho")->number, rho3 = rho * rho * rho;
        d->am = opt->method == &ifd__method_kr_alpha
                    ? (2.0 * rho - 1.0) / (rho + 1.0)
                    : (2.0 * rho3 + rho * rho - 1.0) / (rho3 + rho * rho + rho + 1.0);
        d->af = rho / (rho + 1.0);
    }
    d->g = 0.5 - d->am + d->af;
    d->b = opt->method == &ifd__method_mkr_alpha ? 0.5 * (0.5 + d->g) : 0.25 * (0.5 + d->g) * (0.5 + d->g);
    d->beta = opt->method == &ifd__method_alpha_os ? d->b : 0.0;
}

static ifd_status make(ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd_note *note)
{
    const ifd_model *m = s->model;
    model_based *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    s->data = d;
    set_weights(d, opt);
    d->z = ifd__stepper_row(s, "a", m->n, IFD_STATE_HISTORY);
    d->y = ifd__stepper_row(s, "z", m->n, IFD_STATE_HISTORY);
    IFD_TRY(take_vectors(d, m, arena));
    double cv = d->g * s->h, cu = d->b * s->h * s->h, new = 1.0 - d->af;
    ifd__tangent_options to = {.cm = 1.0, .cv = cv, .cu = cu, .estimates = opt->estimates, .estimate = opt->estimate};
    if (d->beta == 0.0)
        IFD_TRY(matrix(s, arena, &to, &d->A, note));
    IFD_TRY(ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &d->mass, note));
    to.cm = 1.0 - d->am;
    to.cv = new *cv;
    to.cu = new *cu;
    return matrix(s, arena, &to, &d->B, note);
}

/* f += alpha C z, with the damping of elements and estimates. */
static void add_damping(const ifd_stepper *s, double alpha, const double *z, double *f)
{
    const model_based *d = s->data;
    ifd__model_linear(s->model, alpha, d->none, z, d->w, f);
    ifd__tangent_force(d->B, alpha, d->none, z, d->none, f);
}

/* Applies a sudden force F at the state x: z += A^-1 F, and M y = Q - X z = M z + g h C z; with alpha-OS z += M^-1 F
 * and y the same. */
static void take_force(const ifd_stepper *s, double t, double *F, double *x)
{
    const model_based *d = s->data;
    const ifd_model *m = s->model;
    double *dy = d->w1;
    memset(dy, 0, sizeof(double) * (size_t)m->n);
    if (d->A) {
        for (int i = 0; i < 2 && m->inertial; i++)
            if (!linearise(s, i ? d->B : d->A, t, ifd__x_u(s, x), ifd__x_v(s, x), ifd__x_s(s, x)))
                ifd__latch(s, x, IFD_STEP_SINGULAR);
        ifd__tangent_solve(d->A, F);
        add_damping(s, d->g * s->h, F, dy);
        ifd__mass_solve(s, d->mass, t, x, dy);
    } else {
        ifd__mass_solve(s, d->mass, t, x, F);
    }
    for (int i = 0; i < m->n; i++) {
        x[d->z + i] += F[i];
        x[d->y + i] += F[i] + dy[i];
    }
}

static void start(const ifd_stepper *s, double t, const double *load, double *x)
{
    const model_based *d = s->data;
    const ifd_model *m = s->model;
    ifd__model_balance(m, &(ifd__point){.t = t, .u = ifd__x_u(s, x), .v = ifd__x_v(s, x), .s = ifd__x_s(s, x)}, d->F,
                       d->g0, d->w);
    for (int i = 0; i < m->n; i++) {
        d->F[i] += load ? load[i] : 0.0;
        x[d->z + i] = x[d->y + i] = 0.0;
    }
    take_force(s, t, d->F, x);
}

static void jump(const ifd_stepper *s, double t, const double *change, double *x)
{
    const model_based *d = s->data;
    memcpy(d->F, change, sizeof(double) * (size_t)s->model->n);
    take_force(s, t, d->F, x);
}

/* The displacement at which the force is evaluated, u1 or u~, and the velocity there. */
static void aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v)
{
    const model_based *d = s->data;
    int n = s->model->n;
    double h = i == 1 ? s->h : 0.0;
    for (int k = 0; k < n; k++) {
        double w = x[n + k], z = x[d->z + k];
        u[k] = x[k] + h * w + (0.5 - d->beta) * h * h * z;
        v[k] = w + h * z;
    }
}

/* s1 of an element with rates only: (I - h/2 g_s) (s1 - s) = h/2 (g0 + g1), g1 and g_s at q1 with the old states. */
static void trapezoidal(const ifd_stepper *s, int e, double t1, const double *es)
{
    const model_based *d = s->data;
    const ifd_model *m = s->model;
    const ifd_element *el = &m->element[e];
    int q = m->q_of[e], at = m->s_of[e], ns = el->ns;
    double *v1 = d->q1 + m->nq, half = 0.5 * s->h, *ds = d->g1 + at;
    const ifd_element_in in = {.t = t1, .q = d->q1 + q, .qd = v1 + q, .qdd = d->none, .s = es + at};
    memset(d->gs, 0, sizeof(double) * (size_t)(ns * ns));
    memset(ds, 0, sizeof(double) * (size_t)ns);
    el->ops->eval(el, &in, &(ifd_element_out){.g = ds, .g_s = d->gs});
    for (int i = 0; i < ns; i++)
        ds[i] = half * (d->g0[at + i] + ds[i]);
    for (int i = 0; i < ns * ns; i++)
        d->gs[i] = (i % (ns + 1) == 0) - half * d->gs[i];
    if (ifd__lu_factor(ns, d->gs, d->pivot))
        ifd__lu_solve(ns, d->gs, d->pivot, 1, ds);
    for (int i = 0; i < ns; i++)
        d->s1[at + i] += ds[i];
}

/* s1: element states at q1. */
static void states(const ifd_stepper *s, double t, const double *x)
{
    const model_based *d = s->data;
    const ifd_model *m = s->model;
    const double *es = x + 2 * m->n;
    double t1 = t + s->h;
    ifd__model_coordinates(m, t, x, x + m->n, d->q0, d->q0 + m->nq);
    ifd__model_forces(m, &(ifd_element_in){.t = t, .q = d->q0, .qd = d->q0 + m->nq, .s = es}, d->r, d->g0);
    memcpy(d->s1, es, sizeof(double) * (size_t)m->ns);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *el = &m->element[e];
        int q = m->q_of[e], at = m->s_of[e];
        const ifd_element_move move = {
            .from = t, .to = t1, .q0 = d->q0 + q, .v0 = d->q0 + m->nq + q, .q1 = d->q1 + q, .v1 = d->q1 + m->nq + q};
        for (int c = 0; c < el->nq; c++)
            d->r[q + c] = d->q1[q + c] - d->q0[q + c];
        if (!el->ns || el->ops->accept)
            continue;
        if (el->ops->advance)
            el->ops->advance(el, d->r + q, d->s1 + at, NULL);
        else if (el->ops->follow)
            el->ops->follow(el, &move, d->s1 + at);
        else
            trapezoidal(s, e, t1, es);
    }
    ifd__model_settle(m, d->s1, NULL, NULL);
}

/* F := Q1, at the displacement u1 of the prediction. */
static void balance(const ifd_stepper *s, double t, const double *load, double *x)
{
    const model_based *d = s->data;
    const ifd_model *m = s->model;
    double t1 = t + s->h;
    aim(s, 1, t, x, d->u1, d->w1);
    if (m->inertial && !linearise(s, d->B, t1, d->u1, d->w1, ifd__x_s(s, x)))
        ifd__latch(s, x, IFD_STEP_SINGULAR);
    ifd__model_load_with(m, t1, load, d->F);
    ifd__model_linear(m, -1.0, d->u1, d->w1, d->w, d->F);
    add_damping(s, d->g * s->h, x + d->z, d->F);
    if (!m->ne)
        return;
    ifd__model_coordinates(m, t1, d->u1, d->w1, d->q1, d->q1 + m->nq);
    if (m->ns)
        states(s, t, x);
    ifd__model_forces(m, &(ifd_element_in){.t = t1, .q = d->q1, .qd = d->q1 + m->nq, .s = d->s1}, d->r, d->g1);
    ifd__model_scatter(m, -1.0, d->r, d->F);
}

/* Alpha-OS: u1 from its prediction, and the states there; x holds the start of the step. */
static void correct(const ifd_stepper *s, double t, double *x)
{
    const model_based *d = s->data;
    const ifd_model *m = s->model;
    double h = s->h;
    for (int k = 0; k < m->n; k++) {
        d->u1[k] += d->beta * h * h * d->F[k];
        d->w1[k] = x[m->n + k] + h * ((1.0 - d->g) * x[d->z + k] + d->g * d->F[k]);
    }
    if (!m->ns)
        return;
    ifd__model_coordinates(m, t + h, d->u1, d->w1, d->q1, d->q1 + m->nq);
    states(s, t, x);
}

static void stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    const model_based *d = s->data;
    const ifd_model *m = s->model;
    double *w = ifd__x_v(s, x), *z = x + d->z, *y = x + d->y, new = 1.0 - d->af;
    if (i == 0)
        return;
    balance(s, t, load, x);
    for (int k = 0; k < m->n; k++) {
        d->F[k] *= new;
        d->w1[k] = d->am * z[k] - d->af * y[k];
    }
    ifd__tangent_mass(d->B, -1.0, d->w1, d->F);
    ifd__tangent_solve(d->B, d->F);
    for (int k = 0; k < m->n; k++)
        y[k] = ((1.0 - d->am) * d->F[k] + d->w1[k]) / new;
    if (d->beta > 0.0)
        correct(s, t, x);
    memcpy(x, d->u1, sizeof(double) * (size_t)m->n);
    memcpy(ifd__x_s(s, x), d->s1, sizeof(double) * (size_t)m->ns);
    for (int k = 0; k < m->n; k++) {
        double z1 = d->F[k];
        w[k] += s->h * ((1.0 - d->g) * z[k] + d->g * z1);
        z[k] = z1;
    }
}

static const ifd_param rho_params[] = {IFD_OPTION("rho", NONE, 0, 1, 0.75, "spectral radius at infinite frequency"),
                                       {0}};

static const ifd_param alpha_params[] = {
    IFD_OPTION("alpha", NONE, 0, 1.0 / 3.0, 0.05,
               "weight of the old forces; beta = (1 + alpha)^2/4, gamma = 1/2 + alpha"),
    {0}};

static const ifd_param no_params[] = {{0}};

#define FAMILY                                                                                                       \
    .order = 2, .stages = 2, .measures = 2, .at = {0.0, 1.0}, .follows = true, .initial = true, .make = make,        \
    .start = start, .stage = stage, .aim = aim, .jump = jump

const ifd_method ifd__method_kr_alpha = {
    FAMILY,
    .name = "kr-alpha",
    .title = "KR-alpha explicit method, unconditionally stable, with adjustable damping",
    .citation = "Kolay, Ricles (2014)",
    .summary = "The method computes the displacement before it needs the force. Each step needs one solution "
               "with a constant matrix. The method is stable for any step if the structure does not become "
               "stiffer than at the start.",
    .at_infinity = 0.75,
    .params = rho_params,
};

const ifd_method ifd__method_mkr_alpha = {
    FAMILY,
    .name = "mkr-alpha",
    .title = "MKR-alpha explicit method, without the overshoot of KR-alpha",
    .citation = "Kolay, Ricles (2019)",
    .summary = "A stiff mode does not overshoot after an initial displacement or a jump of the load. Choose "
               "this method if the first steps excite stiff modes. The error of the period is larger than with "
               "kr-alpha.",
    .at_infinity = 0.75,
    .params = rho_params,
};

const ifd_method ifd__method_cr = {
    FAMILY,
    .name = "cr",
    .title = "CR explicit method, unconditionally stable, without numerical damping",
    .citation = "Chen, Ricles (2008)",
    .params = no_params,
    .summary = "The method equals kr-alpha with rho = 1. In the first steps a stiff mode overshoots by a "
               "factor of up to 30. Choose this method for comparison with published tests.",
    .at_infinity = 1.0,
};

const ifd_method ifd__method_alpha_os = {
    FAMILY,
    .name = "alpha-os",
    .title = "Operator splitting with HHT-alpha damping",
    .citation = "Nakashima, Kato, Takaoka (1990); Combescure, Pegon (1997)",
    .summary =
        "The method measures the force at a predicted displacement and corrects it with the initial stiffness, "
        "without iteration. The method is stable for any step if the structure does not become stiffer than at the "
        "start. Choose this method for pseudodynamic tests of softening specimens with a good `estimate`.",
    .at_infinity = 0.95 / 1.05,
    .params = alpha_params,
};
