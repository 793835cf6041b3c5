/* SPDX-License-Identifier: MIT */
/* An unscented Kalman filter for the parameters of a specimen. */
#include "rig/identify.h"

#include <math.h>
#include <string.h>

enum { MOST = IFD__IDENTIFIED, POINTS = 2 * MOST };

/* Points of a distribution; a column is a point. */
typedef struct points {
    int n;
    double x[POINTS][MOST];
    double L[MOST][MOST]; /* of the covariance */
} points;

/* Most of the covariance that a measurement explains in any direction. */
static const double explained = 1.0 - 1e-10;

void ifd__identify_begin(const ifd__identifier *c, ifd__estimate *s)
{
    int n = 1 + c->law->params;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < n; i++) {
        s->x[i] = i ? 1.0 : 0.0;
        s->P[i * n + i] = c->start[i];
    }
}

static IFD_RT double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static IFD_RT void clip(const ifd__identifier *c, double *x)
{
    for (int i = 0; i < c->law->params && c->constrained; i++)
        x[1 + i] = within(x[1 + i], c->low[i], c->high[i]);
}

/* L with L L' = P, lower; false: P is not positive definite. */
static IFD_RT bool cholesky(int n, const double *P, double L[MOST][MOST])
{
    for (int j = 0; j < n; j++) {
        double d = P[j * n + j];
        for (int k = 0; k < j; k++)
            d -= L[j][k] * L[j][k];
        if (!(d > 0.0) || !isfinite(d))
            return false;
        L[j][j] = sqrt(d);
        for (int i = j + 1; i < n; i++) {
            double sum = P[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= L[i][k] * L[j][k];
            L[i][j] = sum / L[j][j];
        }
    }
    return true;
}

static IFD_RT bool spread(const ifd__identifier *c, const ifd__estimate *s, points *out)
{
    int n = out->n = 1 + c->law->params;
    double width = sqrt((double)n), (*L)[MOST] = out->L;
    memset(out->L, 0, sizeof out->L);
    if (!cholesky(n, s->P, L))
        return false;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            out->x[j][i] = s->x[i] + width * L[i][j];
            out->x[n + j][i] = s->x[i] - width * L[i][j];
        }
        clip(c, out->x[j]);
        clip(c, out->x[n + j]);
    }
    return true;
}

static IFD_RT void parameters(const ifd__identifier *c, const double *x, double *p)
{
    memcpy(p, c->p0, sizeof c->p0);
    for (int i = 0; i < c->law->params; i++)
        p[i] *= x[1 + i];
}

/* Prediction: z of every point moves, the parameters remain. */
static IFD_RT bool predict(const ifd__identifier *c, double dq, ifd__estimate *s)
{
    points w;
    if (!spread(c, s, &w))
        return false;
    int n = w.n;
    double p[IFD__LAW_NUMBERS];
    memset(s->x, 0, sizeof s->x);
    for (int j = 0; j < 2 * n; j++) {
        parameters(c, w.x[j], p);
        w.x[j][0] = ifd__law_move(c->law, p, dq, w.x[j][0]);
        for (int i = 0; i < n; i++)
            s->x[i] += w.x[j][i] / (2.0 * n);
    }
    memset(s->P, 0, sizeof s->P);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double sum = 0.0;
            for (int j = 0; j < 2 * n; j++)
                sum += (w.x[j][a] - s->x[a]) * (w.x[j][b] - s->x[b]);
            s->P[a * n + b] = sum / (2.0 * n) + (a == b ? c->drift[a] : 0.0);
        }
    return true;
}

/* Predicted force, its variance and its covariance with x, all over the scale. */
typedef struct prediction {
    double y, variance, with[MOST];
    double part; /* of the correction of P: 1, or less so that P remains positive definite */
} prediction;

/* P - K K' variance is positive definite if |L^-1 with|^2 < variance, which holds for points as they were drawn.
 * Points that are clipped may break it. */
static IFD_RT double part_of(const points *w, const prediction *y)
{
    double z[MOST], sum = 0.0;
    for (int i = 0; i < w->n; i++) {
        z[i] = y->with[i];
        for (int k = 0; k < i; k++)
            z[i] -= w->L[i][k] * z[k];
        z[i] /= w->L[i][i];
        sum += z[i] * z[i];
    }
    return sum > explained * y->variance ? explained * y->variance / sum : 1.0;
}

static IFD_RT bool forces(const ifd__identifier *c, double q, const ifd__estimate *s, prediction *out)
{
    points w;
    double y[POINTS], p[IFD__LAW_NUMBERS];
    if (!spread(c, s, &w))
        return false;
    int n = w.n;
    *out = (prediction){.variance = c->noise};
    for (int j = 0; j < 2 * n; j++) {
        parameters(c, w.x[j], p);
        y[j] = ifd__law_force(c->law, p, q, w.x[j][0]) / c->scale;
        out->y += y[j] / (2.0 * n);
    }
    for (int j = 0; j < 2 * n; j++) {
        out->variance += (y[j] - out->y) * (y[j] - out->y) / (2.0 * n);
        for (int i = 0; i < n; i++)
            out->with[i] += (w.x[j][i] - s->x[i]) * (y[j] - out->y) / (2.0 * n);
    }
    out->part = part_of(&w, out);
    return true;
}

static IFD_RT void correct(const ifd__identifier *c, const prediction *w, double innovation, ifd__estimate *s)
{
    int n = 1 + c->law->params;
    double K[MOST];
    for (int i = 0; i < n; i++) {
        K[i] = w->with[i] / w->variance;
        s->x[i] += K[i] * innovation;
    }
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++) {
            double both = 0.5 * (s->P[a * n + b] + s->P[b * n + a]) - w->part * K[a] * K[b] * w->variance;
            s->P[a * n + b] = s->P[b * n + a] = both;
        }
    clip(c, s->x);
}

static IFD_RT bool all_finite(const ifd__identifier *c, const ifd__estimate *s)
{
    int n = 1 + c->law->params;
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += fabs(s->x[i]);
    for (int i = 0; i < n * n; i++)
        sum += fabs(s->P[i]);
    return isfinite(sum);
}

static IFD_RT void reset(const ifd__identifier *c, const double *x, ifd__estimate *s)
{
    ifd__identify_begin(c, s);
    memcpy(s->x, x, sizeof s->x);
}

ifd__identify_out ifd__identify_step(const ifd__identifier *c, double q, double dq, double f, ifd__estimate *s)
{
    const ifd__estimate before = *s;
    ifd__identify_out out = {.result = IFD__IDENTIFY_UNUSABLE};
    prediction w;
    if (!isfinite(q) || !isfinite(dq) || !isfinite(f))
        return out;
    if (!predict(c, dq, s) || !forces(c, q, s, &w)) {
        reset(c, before.x, s);
        out.result = IFD__IDENTIFY_RESET;
        return out;
    }
    double innovation = f / c->scale - w.y;
    out.innovation = innovation * c->scale;
    out.normalised = innovation / sqrt(w.variance);
    bool taken = !(c->outlier > 0.0 && fabs(out.normalised) > c->outlier);
    if (taken)
        correct(c, &w, innovation, s);
    out.result = taken ? IFD__IDENTIFY_TAKEN : IFD__IDENTIFY_OUTLIER;
    if (!all_finite(c, s) || !isfinite(out.normalised)) {
        *s = before;
        out = (ifd__identify_out){.result = IFD__IDENTIFY_UNUSABLE};
    }
    return out;
}

void ifd__identify_follow(const ifd__identifier *c, double dq, ifd__estimate *s)
{
    double p[IFD__LAW_NUMBERS];
    parameters(c, s->x, p);
    double z = ifd__law_move(c->law, p, dq, s->x[0]);
    if (isfinite(z))
        s->x[0] = z;
}
