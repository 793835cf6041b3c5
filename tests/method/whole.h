/* SPDX-License-Identifier: MIT */
/* The system of first order written out whole, y = (u, v, s), with all its derivatives dense: what the reduced steps
 * are compared with. Assembled from the elements' own answers, without the tangent of the library. */
#pragma once

#include "method/fixtures.h"

#include <lapacke.h>

#include "model/model.h"

typedef struct whole {
    const ifd_model *m;
    int n, ns, N;
    double *M, *Ru, *Rv, *Rs; /* n x n, n x n, n x n, n x ns; Ru with (dM/du) a */
    double *gu, *gv, *gs;     /* ns x n, ns x n, ns x ns */
    double *F, *a, *g;        /* P - R; M^-1 F; rates */
} whole;

UNUSED static double *zeros(ifd_arena *arena, int rows, int cols)
{
    double *x = ifd_arena_array(arena, (size_t)rows * (size_t)cols, sizeof *x);
    assert_non_null(x);
    return x;
}

UNUSED static whole whole_make(ifd_arena *arena, const ifd_model *m)
{
    int n = m->n, s = m->ns;
    return (whole){.m = m,
                   .n = n,
                   .ns = s,
                   .N = 2 * n + s,
                   .M = zeros(arena, n, n),
                   .Ru = zeros(arena, n, n),
                   .Rv = zeros(arena, n, n),
                   .Rs = zeros(arena, n, s),
                   .gu = zeros(arena, s, n),
                   .gv = zeros(arena, s, n),
                   .gs = zeros(arena, s, s),
                   .F = zeros(arena, n, 1),
                   .a = zeros(arena, n, 1),
                   .g = zeros(arena, s, 1)};
}

/* Solves A X = B for nrhs columns; A and B are overwritten. */
UNUSED static void solve_whole(int n, double *A, int nrhs, double *B)
{
    int *pivot = malloc(sizeof *pivot * (size_t)n);
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, n, nrhs, A, n, pivot, B, n), 0);
    free(pivot);
}

/* X (rows x n) += Y (rows x nq of element e) B_e^T, from column `first` of the coordinates. */
UNUSED static void to_dofs(const whole *w, int e, int rows, int ld, int row, const double *Y, double *X)
{
    const ifd_model *m = w->m;
    for (int j = 0; j < m->element[e].nq; j++) {
        int c = m->q_of[e] + j;
        for (int k = m->b_start[c]; k < m->b_start[c + 1]; k++)
            for (int i = 0; i < rows; i++)
                X[row + i + ld * m->b_dof[k]] += Y[i + rows * j] * m->b_value[k];
    }
}

/* X (n x n) += sign B_e Y B_e^T. */
UNUSED static void both_sides(const whole *w, int e, double sign, const double *Y, double *X)
{
    const ifd_model *m = w->m;
    int nq = m->element[e].nq, q = m->q_of[e];
    for (int i = 0; i < nq; i++)
        for (int j = 0; j < nq; j++)
            for (int k = m->b_start[q + i]; k < m->b_start[q + i + 1]; k++)
                for (int l = m->b_start[q + j]; l < m->b_start[q + j + 1]; l++)
                    X[m->b_dof[k] + w->n * m->b_dof[l]] += sign * m->b_value[k] * Y[i + nq * j] * m->b_value[l];
}

/* Adds element e. a: accelerations of its coordinates; first pass (without derivatives) adds its mass and force
 * only. */
UNUSED static void add_one(whole *w, int e, const ifd_element_in *in, bool first)
{
    const ifd_model *m = w->m;
    const ifd_element *el = &m->element[e];
    int nq = el->nq, ns = el->ns, s = m->s_of[e];
    double r[8] = {0}, g[8] = {0}, r_q[64] = {0}, r_v[64] = {0}, r_s[64] = {0}, g_q[64] = {0}, g_v[64] = {0},
           g_s[64] = {0}, mm[64] = {0}, m_q[64] = {0};
    bool inertial = el->ops->flags & IFD_ELEMENT_INERTIAL;
    ifd_element_out out = {r, g, r_q, r_v, r_s, g_q, g_v, g_s, inertial ? mm : NULL, inertial ? m_q : NULL};
    el->ops->eval(el, in, &out);
    if (first) {
        if (inertial) {
            both_sides(w, e, 1, mm, w->M);
            both_sides(w, e, -1, m->m0 + m->mm_of[e], w->M);
        }
        for (int i = 0; i < nq; i++) {
            double force = r[i];
            for (int j = 0; inertial && j < nq; j++)
                force += mm[i + nq * j] * in->qdd[j]; /* of the ground, in this pass */
            for (int k = m->b_start[m->q_of[e] + i]; k < m->b_start[m->q_of[e] + i + 1]; k++)
                w->F[m->b_dof[k]] -= m->b_value[k] * force;
        }
        memcpy(w->g + s, g, sizeof(double) * (size_t)ns);
        return;
    }
    both_sides(w, e, 1, r_q, w->Ru);
    both_sides(w, e, 1, m_q, w->Ru);
    both_sides(w, e, 1, r_v, w->Rv);
    to_dofs(w, e, ns, w->ns, s, g_q, w->gu);
    to_dofs(w, e, ns, w->ns, s, g_v, w->gv);
    for (int j = 0; j < ns; j++) {
        memcpy(w->gs + s + w->ns * (s + j), g_s + ns * j, sizeof(double) * (size_t)ns);
        for (int i = 0; i < nq; i++)
            for (int k = m->b_start[m->q_of[e] + i]; k < m->b_start[m->q_of[e] + i + 1]; k++)
                w->Rs[m->b_dof[k] + w->n * (s + j)] += m->b_value[k] * r_s[i + nq * j];
    }
}

UNUSED static void elements_at(whole *w, double t, const double *y, bool first)
{
    const ifd_model *m = w->m;
    double q[128], qd[128], qg[128], qa[128];
    assert_true(m->nq <= 128);
    ifd__model_coordinates(m, t, y, y + w->n, q, qd);
    ifd__model_ground_q(m, t, qg);
    ifd__model_gather(m, w->a, qa);
    for (int c = 0; !first && c < m->nq; c++)
        qg[c] += qa[c];
    for (int e = 0; e < m->ne; e++) {
        ifd_element_in in = {t, q + m->q_of[e], qd + m->q_of[e], qg + m->q_of[e], y + 2 * w->n + m->s_of[e]};
        add_one(w, e, &in, first);
    }
}

/* Everything at y, t. given: the acceleration in (dM/du) a, or NULL for M^-1 F. */
UNUSED static void whole_at(whole *w, double t, const double *y, const double *load, const double *given)
{
    const ifd_model *m = w->m;
    int n = w->n, ns = w->ns;
    size_t nn = sizeof(double) * (size_t)n * (size_t)n, ms = sizeof(double) * (size_t)n * (size_t)ns;
    memset(w->Ru, 0, nn);
    memset(w->Rv, 0, nn);
    memset(w->Rs, 0, ms);
    memset(w->gu, 0, ms);
    memset(w->gv, 0, ms);
    memset(w->gs, 0, sizeof(double) * (size_t)ns * (size_t)ns);
    double *unit = calloc((size_t)(3 * n) + ifd__model_work(m), sizeof *unit), *none = unit + n, *work = none + n;
    for (int j = 0; j < n; j++) {
        unit[j] = 1;
        ifd__model_linear(m, 1, unit, none, work, w->Ru + n * j);
        ifd__model_linear(m, 1, none, unit, work, w->Rv + n * j);
        unit[j] = 0;
        for (int i = 0; i < n; i++)
            w->M[i + n * j] =
                ifd__sparse_get(&m->M, i > j || !m->M.symmetric ? i : j, i > j || !m->M.symmetric ? j : i);
    }
    free(unit);
    ifd__model_load(m, t, w->F);
    for (int i = 0; i < n; i++) {
        w->F[i] += load ? load[i] : 0;
        for (int j = 0; j < n; j++)
            w->F[i] -= w->Ru[i + n * j] * y[j] + w->Rv[i + n * j] * y[n + j];
    }
    elements_at(w, t, y, true);
    double *M = malloc(nn);
    memcpy(M, w->M, nn);
    memcpy(w->a, w->F, sizeof(double) * (size_t)n);
    solve_whole(n, M, 1, w->a);
    free(M);
    double *true_a = malloc(sizeof(double) * (size_t)n);
    memcpy(true_a, w->a, sizeof(double) * (size_t)n);
    if (given)
        memcpy(w->a, given, sizeof(double) * (size_t)n);
    elements_at(w, t, y, false);
    memcpy(w->a, true_a, sizeof(double) * (size_t)n);
    free(true_a);
}

/* K = dR/dY of M Y' + R(Y) = F, R = (-v, r, -g): N x N. */
UNUSED static void whole_stiffness(const whole *w, double *K)
{
    int n = w->n, ns = w->ns, N = w->N;
    memset(K, 0, sizeof(double) * (size_t)N * (size_t)N);
    for (int j = 0; j < n; j++) {
        K[j + N * (n + j)] = -1;
        for (int i = 0; i < n; i++) {
            K[n + i + N * j] = w->Ru[i + n * j];
            K[n + i + N * (n + j)] = w->Rv[i + n * j];
        }
        for (int i = 0; i < ns; i++) {
            K[2 * n + i + N * j] = -w->gu[i + ns * j];
            K[2 * n + i + N * (n + j)] = -w->gv[i + ns * j];
        }
    }
    for (int j = 0; j < ns; j++) {
        for (int i = 0; i < n; i++)
            K[n + i + N * (2 * n + j)] = w->Rs[i + n * j];
        for (int i = 0; i < ns; i++)
            K[2 * n + i + N * (2 * n + j)] = -w->gs[i + ns * j];
    }
}
