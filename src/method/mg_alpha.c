/* SPDX-License-Identifier: MIT */
/* MG-alpha: generalized-alpha in state space, with one solution per step or Newton's iteration.
 *
 *     M Y' + R(Y) = F(t),   Y = (u, v, s),  M = diag(I, m, I),  R = (-v, r, -g)
 *
 * Equilibrium holds at the end of the step; a pseudo-rate V contains the weighting (Bruls, Arnold 2007):
 *
 *     alpha_m V1 + (1 - alpha_m) V = alpha_f Yd1 + (1 - alpha_f) Yd,    Y1 = Y + h (1 - gamma) V + h gamma V1
 *     alpha_m = (3 - rho) / (2 (1 + rho)),  alpha_f = 1 / (1 + rho),  gamma = 1/2 + alpha_m - alpha_f
 *
 *     Yt = Y + h (1 - gamma) V + (h gamma / alpha_m) [(1 - alpha_f) Yd - (1 - alpha_m) V],
 *     b = h gamma alpha_f / alpha_m
 *     x = Yd,  Y* = Yt + b x,   (M + b K(Y*)) dx = F(t1) - M x - R(Y*),   x += dx,   Yd1 = x,  Y1 = Yt + b x
 *
 * By rows, with r_u = v* - x_u and r_s = g* - x_s, this is the stage system of tangent.h with c = b. A force measured
 * at Y* is the load of stage 1; Newton's iteration uses the same load. With m(q) the mass is that of Y*.
 *
 * Abbiati, Lanese, Pavese, Bursi (2019), Coupled Problems VIII. */

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "method/mass.h"
#include "method/stepper.h"

enum { NEWTON_CAP = 20 };
static const double converged = 1e-12, round_off = 1e-8;

typedef struct mg_alpha {
    double am, af, gamma, b;
    bool newton;
    int Yd, V, Yt;          /* offsets in x of 2 n + ns numbers each */
    ifd__tangent *T, *mass; /* mass: for the start */
    double *F, *g, *w;      /* n, ns, scratch of the model */
    double *ys, *z;         /* Y*: 2 n + ns; n */
    double *ru, *rv, *rs, *ku;
} mg_alpha;

static ifd_status make(ifd_stepper *s, ifd_arena *arena, const ifd_step_options *opt, ifd_note *note)
{
    const ifd_model *m = s->model;
    mg_alpha *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    s->data = d;
    double rho = ifd__step_value(opt, "rho")->number;
    d->am = (3.0 - rho) / (2.0 * (1.0 + rho));
    d->af = 1.0 / (1.0 + rho);
    d->gamma = 0.5 + d->am - d->af;
    d->b = s->h * d->gamma * d->af / d->am;
    d->newton = ifd__step_value(opt, "solve")->number > 0.0;
    int size = 2 * m->n + m->ns;
    d->Yd = ifd__stepper_row(s, "Yd", size, IFD_STATE_HISTORY);
    d->V = ifd__stepper_row(s, "V", size, IFD_STATE_HISTORY);
    d->Yt = ifd__stepper_row(s, "Yt", size, IFD_STATE_STAGE);
    ifd__tangent_options to = {
        .cm = 1.0, .cv = d->b, .cu = d->b * d->b, .cs = d->b, .estimates = opt->estimates, .estimate = opt->estimate};
    IFD_TRY(ifd__tangent_make(arena, m, &to, &d->T, note));
    IFD_TRY(ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &d->mass, note));
    size_t n = (size_t)m->n, ns = (size_t)m->ns;
    return IFD__TAKE(arena, IFD__ARRAY(d->F, n), IFD__ARRAY(d->z, n), IFD__ARRAY(d->ru, n), IFD__ARRAY(d->rv, n),
                     IFD__ARRAY(d->ku, n), IFD__ARRAY(d->ys, size), IFD__ARRAY(d->g, ns), IFD__ARRAY(d->rs, ns),
                     IFD__ARRAY(d->w, ifd__model_work(m)));
}

static void start(const ifd_stepper *s, double t, const double *load, double *x)
{
    const mg_alpha *d = s->data;
    const ifd_model *m = s->model;
    double *v = ifd__x_v(s, x), *yd = x + d->Yd, *a = yd + m->n;
    const ifd__point at = {.t = t, .u = ifd__x_u(s, x), .v = v, .s = ifd__x_s(s, x)};
    ifd__model_balance(m, &at, a, yd + 2 * m->n, d->w);
    for (int i = 0; i < m->n; i++) {
        yd[i] = v[i];
        a[i] += load ? load[i] : 0.0;
    }
    ifd__mass_solve(s, d->mass, t, x, a);
    memcpy(x + d->V, yd, sizeof(double) * (size_t)(2 * m->n + m->ns));
}

/* Rate and pseudo-rate of the velocity both contain the acceleration under the load of the last step. */
static void jump(const ifd_stepper *s, double t, const double *change, double *x)
{
    const mg_alpha *d = s->data;
    const ifd_model *m = s->model;
    memcpy(d->z, change, sizeof(double) * (size_t)m->n);
    ifd__mass_solve(s, d->mass, t, x, d->z);
    for (int i = 0; i < m->n; i++) {
        x[d->Yd + m->n + i] += d->z[i];
        x[d->V + m->n + i] += d->z[i];
    }
}

void ifd__mg_predict(const ifd_stepper *s, double *x)
{
    const mg_alpha *d = s->data;
    const double *yd = x + d->Yd, *V = x + d->V;
    double h = s->h, *yt = x + d->Yt, c = h * d->gamma / d->am;
    for (int i = 0; i < 2 * s->model->n + s->model->ns; i++)
        yt[i] = x[i] + h * (1.0 - d->gamma) * V[i] + c * ((1.0 - d->af) * yd[i] - (1.0 - d->am) * V[i]);
}

/* ys := Yt + b rate */
static void at_rate(const ifd_stepper *s, const double *x, const double *rate, double *ys)
{
    const mg_alpha *d = s->data;
    for (int i = 0; i < 2 * s->model->n + s->model->ns; i++)
        ys[i] = x[d->Yt + i] + d->b * rate[i];
}

/* The largest |dx| relative to max(1, the largest |x|). */
static double beside(int n, const double *dx, const double *x)
{
    double largest_dx = 0.0, largest_x = 1.0;
    for (int i = 0; i < n; i++) {
        largest_dx = fmax(largest_dx, fabs(dx[i]));
        largest_x = fmax(largest_x, fabs(x[i]));
    }
    return largest_dx / largest_x;
}

/* One solution: rate += dx. Returns the size of dx relative to the rate. */
static double correct(const ifd_stepper *s, double t1, const double *load, double *rate, double *x)
{
    const mg_alpha *d = s->data;
    const ifd_model *m = s->model;
    int n = m->n;
    double *us = d->ys, *vs = us + n, *ss = vs + n;
    at_rate(s, x, rate, d->ys);
    const ifd__point at = {.t = t1, .u = us, .v = vs, .s = ss, .a = rate + n};
    ifd__element_balance(m, &at, load, d->w, d->F, d->g);
    if (!ifd__tangent_update(d->T, &at))
        ifd__latch(s, x, IFD_STEP_SINGULAR);
    for (int i = 0; i < n; i++) {
        d->ru[i] = vs[i] - rate[i];
        d->z[i] = us[i] + d->b * d->ru[i];
        d->rv[i] = d->F[i];
    }
    for (int i = 0; i < m->ns; i++)
        d->rs[i] = d->g[i] - rate[2 * n + i];
    ifd__tangent_mass(d->T, -1.0, rate + n, d->rv);
    ifd__model_linear(m, -1.0, d->z, vs, d->w, d->rv);
    ifd__tangent_stage(d->T, d->ru, d->rs, d->rv, d->ku);
    for (int i = 0; i < n; i++) {
        rate[i] += d->ku[i];
        rate[n + i] += d->rv[i];
    }
    for (int i = 0; i < m->ns; i++)
        rate[2 * n + i] += d->rs[i];
    return fmax(beside(n, d->ku, rate), fmax(beside(n, d->rv, rate + n), beside(m->ns, d->rs, rate + 2 * n)));
}

/* Newton's iteration ends if dx is small, or if it no longer decreases because of round-off of the forces of a stiff
 * model. */
static void iterate(const ifd_stepper *s, double t1, const double *load, double *rate, double *x)
{
    double last = HUGE_VAL;
    for (int k = 0; k < NEWTON_CAP; k++) {
        double size = correct(s, t1, load, rate, x);
        if (size <= converged || (size <= round_off && size > 0.5 * last))
            return;
        last = size;
    }
    ifd__latch(s, x, IFD_STEP_ITERATIONS);
}

/* From the prediction to Y1, Yd1, V1. */
void ifd__mg_finish(const ifd_stepper *s, double t, const double *load, double *x)
{
    const mg_alpha *d = s->data;
    const ifd_model *m = s->model;
    int size = 2 * m->n + m->ns;
    /* V first takes the contribution of the old rate, so that the new rate can replace the old one in place. */
    double *yd = x + d->Yd, *V = x + d->V;
    for (int k = 0; k < size; k++)
        V[k] = ((1.0 - d->af) * yd[k] - (1.0 - d->am) * V[k]) / d->am;
    if (d->newton && m->ne)
        iterate(s, t + s->h, load, yd, x);
    else
        (void)correct(s, t + s->h, load, yd, x);
    for (int k = 0; k < size; k++) {
        x[k] = x[d->Yt + k] + d->b * yd[k];
        V[k] += d->af / d->am * yd[k];
    }
}

static void stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    if (i == 0) {
        ifd__mg_predict(s, x);
        return;
    }
    ifd__mg_finish(s, t, load, x);
    ifd__mg_settle(s, x);
}

static void aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v)
{
    const mg_alpha *d = s->data;
    if (i == 1)
        at_rate(s, x, x + d->Yd, d->ys);
    ifd__x_motion(s, i == 1 ? d->ys : x, u, v);
}

int ifd__mg_link_size(const ifd_stepper *s)
{
    return 3 * (2 * s->model->n + s->model->ns);
}

void ifd__mg_link_step(const ifd_stepper *s, const double *force, double *link)
{
    const mg_alpha *d = s->data;
    const ifd_model *m = s->model;
    int n = m->n, size = 2 * n + m->ns;
    double h = s->h, c = h * d->gamma / d->am, *Y = link, *yd = link + size, *V = link + 2 * size, *yt = d->ys;
    for (int i = 0; i < size; i++) {
        double known = (1.0 - d->af) * yd[i] - (1.0 - d->am) * V[i];
        yt[i] = Y[i] + h * (1.0 - d->gamma) * V[i] + c * known;
        V[i] = known / d->am;
    }
    /* -K Yt by rows: (v, -(k u + c v + r_s s), g); the linear part includes b K r_u. */
    memset(d->rs, 0, sizeof(double) * (size_t)m->ns);
    for (int i = 0; i < n; i++) {
        d->ru[i] = yt[n + i];
        d->z[i] = yt[i] + d->b * d->ru[i];
        d->rv[i] = force[i];
    }
    ifd__tangent_rate(d->T, 1.0, yt, yt + n, yt + 2 * n, d->rs);
    ifd__tangent_force(d->T, -1.0, yt, yt + n, yt + 2 * n, d->rv);
    ifd__model_linear(m, -1.0, d->z, yt + n, d->w, d->rv);
    ifd__tangent_stage(d->T, d->ru, d->rs, d->rv, d->ku);
    memcpy(yd, d->ku, sizeof(double) * (size_t)n);
    memcpy(yd + n, d->rv, sizeof(double) * (size_t)n);
    memcpy(yd + 2 * n, d->rs, sizeof(double) * (size_t)m->ns);
    for (int i = 0; i < size; i++) {
        Y[i] = yt[i] + d->b * yd[i];
        V[i] += d->af / d->am * yd[i];
    }
}

void ifd__mg_link_add(const ifd_stepper *s, double factor, const double *link, double *x)
{
    const mg_alpha *d = s->data;
    int size = 2 * s->model->n + s->model->ns;
    for (int i = 0; i < size; i++) {
        x[i] += factor * link[i];
        x[d->Yd + i] += factor * link[size + i];
        x[d->V + i] += factor * link[2 * size + i];
    }
}

/* From zeros: Yd = (b z, z), Y = b Yd, V = (alpha_f / alpha_m) Yd. */
void ifd__mg_link_add_rate(const ifd_stepper *s, const double *z, double *x)
{
    const mg_alpha *d = s->data;
    int n = s->model->n;
    double b = d->b, r = d->af / d->am, *Yd = x + d->Yd, *V = x + d->V;
    for (int i = 0; i < n; i++) {
        x[i] += b * b * z[i];
        x[n + i] += b * z[i];
        Yd[i] += b * z[i];
        Yd[n + i] += z[i];
        V[i] += r * b * z[i];
        V[n + i] += r * z[i];
    }
}

void ifd__mg_settle(const ifd_stepper *s, double *x)
{
    const mg_alpha *d = s->data;
    int n = s->model->n;
    if (s->model->ns)
        ifd__model_settle(s->model, ifd__x_s(s, x), x + d->Yd + 2 * n, x + d->V + 2 * n);
}

static const ifd_param params[] = {
    {.name = "rho",
     .preset = 0.8,
     IFD_WITHIN(0, 1),
     .doc = "spectral radius at infinite frequency; 1: no damping, 0: most damping"},
    IFD_WORD("solve", "one-shot|newton", "one linear solution per step (fixed cost), or Newton iteration"),
    {0}};

const ifd_method ifd__method_mg_alpha = {
    .name = "mg-alpha",
    .title = "Monolithic generalized-alpha method in state space",
    .citation = "Abbiati, Lanese, Pavese, Bursi (2019)",
    .summary = "The damping of high frequencies is adjustable. The method measures one force per step, at a "
               "predicted state.",
    .order = 2,
    .at_infinity = 0.8,
    .stages = 2,
    .measures = 2,
    .at = {0.0, 1.0},
    IFD__METHOD_OWN,
    .jump = jump,
};
