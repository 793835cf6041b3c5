/* SPDX-License-Identifier: MIT */
#include "couple/plain.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* b := A^-1 b by Gauss's elimination with row exchange; A is destroyed. */
static void solve(int n, double A[PLAIN_Y][PLAIN_Y], double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        for (int j = 0; j < n; j++) {
            double swap = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        assert(A[k][k] != 0.0);
        for (int i = k + 1; i < n; i++) {
            double f = A[i][k] / A[k][k];
            for (int j = k; j < n; j++)
                A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
}

static void solve_mass(const plain_part *p, double *b)
{
    double A[PLAIN_Y][PLAIN_Y] = {{0}};
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            A[i][j] = p->M[i][j];
    solve(p->n, A, b);
}

/* y' = (v, M^-1 (P - C v - K u + G^T lam)); lam may be NULL. */
static void rate(const plain_part *p, int rows, double t, const double *y, const double *lam, double *f)
{
    int n = p->n;
    double a[PLAIN_N];
    for (int i = 0; i < n; i++) {
        a[i] = p->force[i] * sin(p->omega * t);
        for (int j = 0; j < n; j++)
            a[i] -= p->C[i][j] * y[n + j] + p->K[i][j] * y[j];
        for (int r = 0; lam && r < rows; r++)
            a[i] += p->G[r][i] * lam[r];
        f[i] = y[n + i];
    }
    solve_mass(p, a);
    memcpy(f + n, a, sizeof(double) * (size_t)n);
}

/* J y of the part alone. */
static void jacobian_times(const plain_part *p, const double *y, double *f)
{
    plain_part free = *p;
    memset(free.force, 0, sizeof free.force);
    rate(&free, 0, 0.0, y, NULL, f);
}

/* b := (I - gamma h J)^-1 b */
static void solve_stage(const plain_part *p, double c, double *b)
{
    double W[PLAIN_Y][PLAIN_Y] = {{0}};
    for (int j = 0; j < 2 * p->n; j++) {
        double e[PLAIN_Y] = {0}, Je[PLAIN_Y];
        e[j] = 1.0;
        jacobian_times(p, e, Je);
        for (int i = 0; i < 2 * p->n; i++)
            W[i][j] = (i == j) - c * Je[i];
    }
    solve(2 * p->n, W, b);
}

static void add_side(const plain_pair *s, const plain_part *p, double t, const double *y, double *bracket,
                     double H[PLAIN_Y][PLAIN_Y])
{
    double f[PLAIN_Y];
    rate(p, s->rows, t, y, NULL, f);
    for (int r = 0; r < s->rows; r++) {
        for (int i = 0; i < p->n; i++)
            bracket[r] += p->G[r][i] * f[p->n + i];
        double column[PLAIN_N];
        memcpy(column, p->G[r], sizeof column);
        solve_mass(p, column);
        for (int q = 0; q < s->rows; q++)
            for (int i = 0; i < p->n; i++)
                H[q][r] += p->G[q][i] * column[i];
    }
}

void plain_lambda(const plain_pair *s, double t, const double *yA, const double *yB, double *lam)
{
    double H[PLAIN_Y][PLAIN_Y] = {{0}}, bracket[PLAIN_R] = {0};
    add_side(s, &s->A, t, yA, bracket, H);
    add_side(s, &s->B, t, yB, bracket, H);
    solve(s->rows, H, bracket);
    for (int r = 0; r < s->rows; r++)
        lam[r] = s->bias[r] - bracket[r];
}

/* The pair with the feedback of the gap between yA and yB. */
static plain_pair fed_back(const plain_pair *s, const double *yA, const double *yB)
{
    plain_pair out = *s;
    double H[PLAIN_Y][PLAIN_Y] = {{0}}, unused[PLAIN_R] = {0}, a = s->feedback;
    add_side(s, &s->A, 0.0, yA, unused, H);
    add_side(s, &s->B, 0.0, yB, unused, H);
    for (int r = 0; r < s->rows; r++) {
        out.bias[r] = 0.0;
        for (int i = 0; i < s->A.n; i++)
            out.bias[r] -= s->A.G[r][i] * (2 * a * yA[s->A.n + i] + a * a * yA[i]);
        for (int i = 0; i < s->B.n; i++)
            out.bias[r] -= s->B.G[r][i] * (2 * a * yB[s->B.n + i] + a * a * yB[i]);
    }
    solve(s->rows, H, out.bias);
    return out;
}

/* k1, and the state in the middle. */
static void stage1(const plain_pair *s, const plain_part *p, double h, double t, const double *y, const double *lam,
                   double *k1, double *middle)
{
    rate(p, s->rows, t, y, lam, k1);
    for (int i = 0; i < 2 * p->n; i++)
        k1[i] *= h;
    solve_stage(p, s->gamma * h, k1);
    for (int i = 0; i < 2 * p->n; i++)
        middle[i] = y[i] + 0.5 * k1[i];
}

/* y += k2 */
static void stage2(const plain_pair *s, const plain_part *p, double h, double t, const double *k1,
                   const double *middle, const double *lam, double *y)
{
    double k2[PLAIN_Y], Jk1[PLAIN_Y];
    rate(p, s->rows, t + 0.5 * h, middle, lam, k2);
    jacobian_times(p, k1, Jk1);
    for (int i = 0; i < 2 * p->n; i++)
        k2[i] = h * (k2[i] - s->gamma * Jk1[i]);
    solve_stage(p, s->gamma * h, k2);
    for (int i = 0; i < 2 * p->n; i++)
        y[i] += k2[i];
}

static void between(const double *from, const double *to, double theta, double *y)
{
    for (int i = 0; i < PLAIN_Y; i++)
        y[i] = (1 - theta) * from[i] + theta * to[i];
}

/* `steps` steps of B over the span from t on, A linear from `from` to `to`. */
static void fine(const plain_pair *s, double t, double span, int steps, const double *from, const double *to,
                 double *yB)
{
    double h = span / steps, k1[PLAIN_Y], middle[PLAIN_Y] = {0}, yA[PLAIN_Y], lam[PLAIN_R];
    for (int j = 0; j < steps; j++) {
        between(from, to, (double)j / steps, yA);
        plain_lambda(s, t + j * h, yA, yB, lam);
        stage1(s, &s->B, h, t + j * h, yB, lam, k1, middle);
        between(from, to, (j + 0.5) / steps, yA);
        plain_lambda(s, t + (j + 0.5) * h, yA, middle, lam);
        stage2(s, &s->B, h, t + j * h, k1, middle, lam, yB);
    }
}

static void equal_step(const plain_pair *s, double t, double h, double *yA, double *yB)
{
    double kA[PLAIN_Y], kB[PLAIN_Y], mA[PLAIN_Y] = {0}, mB[PLAIN_Y] = {0}, lam[PLAIN_R];
    plain_lambda(s, t, yA, yB, lam);
    stage1(s, &s->A, h, t, yA, lam, kA, mA);
    stage1(s, &s->B, h, t, yB, lam, kB, mB);
    plain_lambda(s, t + 0.5 * h, mA, mB, lam);
    stage2(s, &s->A, h, t, kA, mA, lam, yA);
    stage2(s, &s->B, h, t, kB, mB, lam, yB);
}

void plain_staggered(const plain_pair *pair, double t, double h, int ss, double *yA, double *yB)
{
    plain_pair fed = fed_back(pair, yA, yB), *s = &fed;
    if (ss == 1) {
        equal_step(s, t, h, yA, yB);
        return;
    }
    double k1[PLAIN_Y], middle[PLAIN_Y] = {0}, lam[PLAIN_R];
    plain_lambda(s, t, yA, yB, lam);
    stage1(s, &s->A, h, t, yA, lam, k1, middle);
    fine(s, t, 0.5 * h, ss / 2, yA, middle, yB);
    plain_lambda(s, t + 0.5 * h, middle, yB, lam);
    stage2(s, &s->A, h, t, k1, middle, lam, yA);
    fine(s, t + 0.5 * h, 0.5 * h, ss / 2, middle, yA, yB);
}

void plain_parallel_start(const plain_pair *s, double dt, const double *yA, const double *yB, plain_history *y)
{
    double a[PLAIN_Y] = {0}, b[PLAIN_Y] = {0};
    memset(y, 0, sizeof *y);
    memcpy(a, yA, sizeof(double) * 2 * (size_t)s->A.n);
    memcpy(b, yB, sizeof(double) * 2 * (size_t)s->B.n);
    for (int i = 0; i < 4; i++) {
        memcpy(y->A[i], a, sizeof a);
        if (i < 3)
            memcpy(y->B[i], b, sizeof b);
        equal_step(s, i * dt, dt, a, b);
    }
}

void plain_parallel(const plain_pair *pair, double t, double dt, int ss, plain_history *y)
{
    plain_pair coarse = fed_back(pair, y->A[0], y->B[0]), now = fed_back(pair, y->A[2], y->B[2]), *s = &coarse;
    double k1[PLAIN_Y], middle[PLAIN_Y] = {0}, lam[PLAIN_R], next[PLAIN_Y], yB[PLAIN_Y], h = 4 * dt;
    memcpy(next, y->A[0], sizeof next);
    plain_lambda(s, t - 2 * dt, y->A[0], y->B[0], lam);
    stage1(s, &s->A, h, t - 2 * dt, y->A[0], lam, k1, middle);
    plain_lambda(s, t, middle, y->B[2], lam);
    stage2(s, &s->A, h, t - 2 * dt, k1, middle, lam, next);
    memcpy(yB, y->B[2], sizeof yB);
    fine(&now, t, dt, ss, y->A[2], y->A[3], yB);
    memmove(y->A[0], y->A[1], 3 * sizeof y->A[0]);
    memcpy(y->A[3], next, sizeof next);
    memmove(y->B[0], y->B[1], 2 * sizeof y->B[0]);
    memcpy(y->B[2], yB, sizeof yB);
}
