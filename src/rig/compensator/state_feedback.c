/* SPDX-License-Identifier: MIT */
/* Compensators with a model of the plant and an estimate of its state. The plant is of second order,
 *
 *     u = a0 x + a1 x' + a2 x'',   exactly discretised for a held command:  z_{k+1} = A z_k + B u_k,   z = (x, x')
 *
 * and a stationary Kalman filter estimates z from x_m:  z^ = z- + L (x_m - z-_1),  z-_{k+1} = A z^_k + B u_k, with
 * the command that was sent.
 *
 *     lqg:           u = a0 x + a1 x' + a2 x'' - K (z^ - (x, x'))           K: linear-quadratic regulator
 *     predictive:    u = Kr ref - Kx z^ + Ku u_{k-1}                        the first of N commands that minimise
 *                    sum (ref_i - x_i)^2 + effort sum (u_j - u_{j-1})^2;  ref_i = x + i D x' + (i D)^2/2 x''
 *
 * All gains are computed at set-up. With a target of the next tick (`next`), z^ and ref count from the instant of the
 * measurement, one tick before it; and a, with which a command held from the measurement on arrives in time, is the
 * actuator without the half tick by which that command is early.
 *
 * Phillips, Spencer (2013), J. Eng. Mech. 139. */
#include "rig/compensator/compensator.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "algebra/discretisation.h"

enum { HORIZON_MOST = 128 };

typedef struct model {
    double E[4], B[2], L[2]; /* column-major */
    double K[2];             /* lqg; Kx of predictive */
    double ahead[3], last;   /* predictive: weights of x, x', x'' and of the last command */
} model;

typedef struct feedback {
    double a[3];
    model now, next; /* of the actuator: a, and with `next` a e^{D s/2} */
    int z;
} feedback;

#define ESTIMATOR_PARAMS                                                                                             \
    IFD__COEFFICIENT_PARAMS("benchmark|bare"),                                                                       \
        IFD_OPTION("noise", LENGTH, 1e-12, 1, 1.6e-5, "standard deviation of the noise in x_m"),                     \
        IFD_OPTION("displacement-error", LENGTH, 1e-12, 1, 1e-6,                                                     \
                   "standard deviation of the model error in a tick: displacement"),                                 \
        IFD_OPTION("velocity-error", VELOCITY, 1e-9, 1e3, 1e-3,                                                      \
                   "standard deviation of the model error in a tick: velocity")

static const ifd_param lqg_params[] = {
    ESTIMATOR_PARAMS,
    IFD_OPTION("effort", NONE, 1e-12, 1e12, 1, "weight of the command, relative to the displacement"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static const ifd_param predictive_params[] = {
    ESTIMATOR_PARAMS,
    IFD_OPTION("effort", NONE, 1e-12, 1e12, 10, "weight of changes of the command"),
    IFD_OPTION("horizon", TIME, 1e-6, 1, 0.016, "predicted time, at most 128 ticks"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

/* X := F X F' + Q (F: E, or E' if transposed), 2 x 2. */
static void congruence(const double *E, bool transposed, double *X, const double *Q)
{
    const double F[4] = {E[0], transposed ? E[2] : E[1], transposed ? E[1] : E[2], E[3]},
                 G[4] = {F[0], F[2], F[1], F[3]};
    double Y[4] = {0.0};
    ifd__matmul_add(2, 2, 2, 1.0, F, X, Y);
    memcpy(X, Q, sizeof Y);
    ifd__matmul_add(2, 2, 2, 1.0, Y, G, X);
}

/* The stationary gain of the filter with output C z and input errors Q; as a regulator, of the dual system: the same
 * equations with E' and B in place of E and C. out: X C / (C' X C + R). */
static bool stationary(const double *E, bool transposed, const double C[2], const double *Q, double R, double out[2])
{
    enum { MOST = 1000000 };
    double X[4], last[2] = {HUGE_VAL, HUGE_VAL};
    memcpy(X, Q, sizeof X);
    for (int i = 0; i < MOST; i++) {
        double g[2] = {X[0] * C[0] + X[2] * C[1], X[1] * C[0] + X[3] * C[1]};
        double of = C[0] * g[0] + C[1] * g[1] + R;
        for (int k = 0; k < 2; k++)
            out[k] = g[k] / of;
        if (fabs(out[0] - last[0]) <= 1e-14 * fabs(out[0]) && fabs(out[1] - last[1]) <= 1e-14 * fabs(out[1]))
            return isfinite(out[0]) && isfinite(out[1]);
        memcpy(last, out, sizeof last);
        for (int k = 0; k < 4; k++)
            X[k] -= g[k % 2] * g[k / 2] / of;
        congruence(E, transposed, X, Q);
    }
    return false;
}

static ifd_status inverse(const ifd_compensator *c, const ifd_value *values, double *a, ifd_note *note)
{
    IFD_TRY(ifd__compensator_plant(c, values, 3, a, note));
    if (!(a[2] > 0.0 && a[1] > 0.0 && a[0] > 0.0))
        return ifd_note_add(note, IFD_RANGE, &ifd_param_get(c->kind->params, values, "coefficients")->place,
                            "compensation '%s' needs an actuator of second order: its coefficients are %g, %g, %g, "
                            "expected three numbers above 0",
                            c->kind->name, a[0], a[1], a[2]);
    return IFD_OK;
}

static ifd_status refuse(const ifd_compensator *c, const ifd_value *values, ifd_note *note)
{
    double a[3];
    return inverse(c, values, a, note);
}

static ifd_status plant(const ifd_compensator *c, const ifd_value *values, ifd_arena *arena, const double a[3],
                        model *d, ifd_note *note)
{
    const double A[4] = {0.0, -a[0] / a[2], 1.0, -a[1] / a[2]}, B[2] = {0.0, 1.0 / a[2]};
    ifd__discretisation exact;
    IFD_TRY(ifd__discretisation_make(arena, &(ifd__continuous){2, 1, A, B}, c->h, &exact));
    memcpy(d->E, exact.E, sizeof d->E);
    for (int i = 0; i < 2; i++)
        d->B[i] = exact.G0[i] + exact.G1[i];
    double x = ifd__compensator_number(c, values, "displacement-error");
    double v = ifd__compensator_number(c, values, "velocity-error"),
           noise = ifd__compensator_number(c, values, "noise");
    if (!stationary(d->E, false, (const double[]){1.0, 0.0}, (const double[]){x * x, 0.0, 0.0, v * v}, noise * noise,
                    d->L))
        return ifd_note_add(note, IFD_SINGULAR, NULL,
                            "compensation '%s': the gains of the estimator do not converge; use a larger "
                            "velocity-error or less noise",
                            c->kind->name);
    return IFD_OK;
}

/* K = (R + B'XB)^-1 B'X E: the gain of the dual filter times E. */
static ifd_status regulator(const ifd_compensator *c, const ifd_value *values, model *d, ifd_note *note)
{
    const double Q[4] = {1.0, 0.0, 0.0, 0.0};
    double g[2];
    if (!stationary(d->E, true, d->B, Q, ifd__compensator_number(c, values, "effort"), g))
        return ifd_note_add(note, IFD_SINGULAR, NULL,
                            "compensation '%s': the gains of the regulator do not converge; use a larger effort",
                            c->kind->name);
    d->K[0] = g[0] * d->E[0] + g[1] * d->E[1];
    d->K[1] = g[0] * d->E[2] + g[1] * d->E[3];
    return IFD_OK;
}

/* [G'G + effort T'T] u = G' (ref - Phi z^) + effort T' e1 u_{k-1}; G: response to a command of one tick, T:
 * differences. Only the first row of the solution is kept. */
static ifd_status horizon(const ifd_compensator *c, const ifd_value *values, ifd_arena *arena, model *d,
                          ifd_note *note)
{
    double effort = ifd__compensator_number(c, values, "effort");
    int n = (int)fmin(fmax(round(ifd__compensator_number(c, values, "horizon") / c->h), 1.0), HORIZON_MOST);
    double g[HORIZON_MOST], row[HORIZON_MOST] = {1.0}, *H;
    int pivot[HORIZON_MOST];
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(H, (size_t)(n * n))));
    double z[2] = {d->B[0], d->B[1]};
    for (int i = 0; i < n; i++) {
        double next[2] = {d->E[0] * z[0] + d->E[2] * z[1], d->E[1] * z[0] + d->E[3] * z[1]};
        g[i] = z[0];
        memcpy(z, next, sizeof z);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int later = i > j ? i : j, apart = i > j ? i - j : j - i;
            for (int k = later; k < n; k++)
                H[i + j * n] += g[k - i] * g[k - j];
            H[i + j * n] += apart == 0 ? effort * (i + 1 < n ? 2.0 : 1.0) : apart == 1 ? -effort : 0.0;
        }
    if (!ifd__lu_factor(n, H, pivot))
        return ifd_note_add(note, IFD_SINGULAR, NULL,
                            "compensation '%s': its equations are singular; use a larger effort", c->kind->name);
    ifd__lu_solve(n, H, pivot, 1, row); /* H is symmetric: the first row of its inverse */
    double phi[2] = {1.0, 0.0};
    for (int i = 0; i < n; i++) {
        double weight = 0.0, t = (i + 1) * c->h; /* of ref_{i+1} */
        double next[2] = {phi[0] * d->E[0] + phi[1] * d->E[1], phi[0] * d->E[2] + phi[1] * d->E[3]};
        memcpy(phi, next, sizeof phi);
        for (int j = 0; j <= i; j++)
            weight += row[j] * g[i - j];
        d->ahead[0] += weight;
        d->ahead[1] += weight * t;
        d->ahead[2] += weight * 0.5 * t * t;
        d->K[0] += weight * phi[0];
        d->K[1] += weight * phi[1];
    }
    d->last = effort * row[0];
    return IFD_OK;
}

static ifd_status make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    feedback *d;
    double b[3];
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    IFD_TRY(inverse(c, values, d->a, note));
    ifd__ahead(3, d->a, 0.5 * c->h, b);
    for (int i = 0; i < 2; i++) {
        model *m = i ? &d->next : &d->now;
        IFD_TRY(plant(c, values, arena, i ? b : d->a, m, note));
        if (c->kind == &ifd__compensator_lqg)
            IFD_TRY(regulator(c, values, m, note));
        if (c->kind == &ifd__compensator_predictive)
            IFD_TRY(horizon(c, values, arena, m, note));
    }
    d->z = ifd__compensator_states(c, "plant", 2, IFD_STATE_REAL);
    c->data = d;
    return IFD_OK;
}

static void begin(const ifd_compensator *c, double x, double *s)
{
    const feedback *d = c->data;
    s[d->z] = x;
}

/* The command sent in the last tick; in a probe limits have no effect, and the own state is part of the loop. */
static double sent(const ifd_compensator_in *in, const double *s)
{
    return in->next && !in->frozen ? in->now_u : s[IFD_COMPENSATOR_U];
}

/* z := the estimate at this tick. */
static const model *estimate(const feedback *d, const ifd_compensator_in *in, const double *s, double *z)
{
    const model *m = in->next ? &d->next : &d->now;
    if (s[IFD_COMPENSATOR_TICKS] > 1.0) {
        double u = sent(in, s);
        const double next[2] = {m->E[0] * z[0] + m->E[2] * z[1] + m->B[0] * u,
                                m->E[1] * z[0] + m->E[3] * z[1] + m->B[1] * u};
        memcpy(z, next, sizeof next);
    }
    double innovation = in->xm - z[0];
    z[0] += m->L[0] * innovation;
    z[1] += m->L[1] * innovation;
    return m;
}

/* The target and two derivatives a time T ahead. */
static void ahead(const double target[4], double T, double x[3])
{
    x[0] = ifd__target_ahead(target, T);
    x[1] = target[1] + T * (target[2] + T / 2 * target[3]);
    x[2] = target[2] + T * target[3];
}

/* The look-ahead from the instant of the measurement. */
static double from_now(const ifd_compensator *c, const ifd_compensator_in *in)
{
    return in->next ? c->look_ahead - c->h : c->look_ahead;
}

static double lqg_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    const feedback *d = c->data;
    double x[3], now[3], *z = s + d->z;
    const model *m = estimate(d, in, s, z);
    ahead(target, c->look_ahead, x);
    ahead(target, from_now(c, in), now);
    return d->a[0] * x[0] + d->a[1] * x[1] + d->a[2] * x[2] - m->K[0] * (z[0] - now[0]) - m->K[1] * (z[1] - now[1]);
}

static double predictive_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4],
                              double *s)
{
    const feedback *d = c->data;
    double x[3], *z = s + d->z;
    const model *m = estimate(d, in, s, z);
    double u = m->last * sent(in, s);
    ahead(target, from_now(c, in), x);
    for (int i = 0; i < 3; i++)
        u += m->ahead[i] * x[i];
    return u - m->K[0] * z[0] - m->K[1] * z[1];
}

#define FEEDBACK .make = make, .begin = begin

const ifd_compensator_kind ifd__compensator_lqg = {
    FEEDBACK,
    .name = "lqg",
    .summary = "a second-order inverse of the actuator computes the command; a linear-quadratic regulator with a "
               "Kalman filter corrects this command (Phillips and Spencer)",
    .equation = "u = a0 x + a1 x' + a2 x'' - K (z^ - (x, x'))",
    .params = lqg_params,
    .refuse = refuse,
    .step = lqg_step,
};

const ifd_compensator_kind ifd__compensator_predictive = {
    FEEDBACK,
    .name = "predictive",
    .summary = "the compensator is a model-predictive controller without constraints; its gains are computed "
               "once, before the test",
    .equation = "u = Kr ref - Kx z^ + Ku u_{k-1}, ref_i = x + i D x' + (i D)^2/2 x''",
    .params = predictive_params,
    .refuse = refuse,
    .step = predictive_step,
};
