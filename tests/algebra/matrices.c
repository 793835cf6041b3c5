/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "algebra/matrices.h"

#include <stdlib.h>

double matrix_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

void matrix_random_vector(uint64_t *state, int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = matrix_random(state);
}

static ifd_sparse finish(ifd_arena *arena, const ifd__triplets *t, int n, bool symmetric)
{
    ifd_sparse A;
    assert_int_equal(ifd__sparse_make(arena, n, t, symmetric, &A), IFD_OK);
    return A;
}

ifd_sparse matrix_of(ifd_arena *arena, int n, int count, const int *row, const int *column, const double *value,
                     bool symmetric)
{
    ifd__triplets t = {.arena = arena};
    for (int k = 0; k < count; k++)
        ifd__triplet(&t, row[k], column[k], value[k]);
    return finish(arena, &t, n, symmetric);
}

static int any(uint64_t *state, int n)
{
    int k = (int)((matrix_random(state) + 1.0) * 0.5 * n);
    return k < n ? k : n - 1;
}

/* Sums of (e_i - c e_j)(e_i - c e_j)^T are positive semi-definite. */
ifd_sparse matrix_spd(ifd_arena *arena, uint64_t *state, int n, int links)
{
    ifd__triplets l = {.arena = arena};
    for (int i = 0; i < n; i++)
        ifd__triplet(&l, i, i, 0.05 * links + 0.01);
    for (int k = 0; k < n * links; k++) {
        int i = any(state, n), j = any(state, n);
        double c = matrix_random(state);
        if (i == j)
            continue;
        ifd__triplet(&l, i, i, 1.0);
        ifd__triplet(&l, j, j, c * c);
        ifd__triplet(&l, i > j ? i : j, i > j ? j : i, -c);
    }
    return finish(arena, &l, n, true);
}

ifd_sparse matrix_arrow(ifd_arena *arena, uint64_t *state, int n, int border, bool coupled)
{
    ifd__triplets l = {.arena = arena};
    for (int i = 0; i < n; i++)
        ifd__triplet(&l, i, i, i < border ? n : border + 0.1 + fabs(matrix_random(state)));
    for (int j = 0; j < border; j++)
        for (int i = j + 1; i < (coupled ? n : border); i++)
            ifd__triplet(&l, i, j, matrix_random(state));
    return finish(arena, &l, n, true);
}

ifd_sparse matrix_unsymmetric(ifd_arena *arena, uint64_t *state, int n, int links)
{
    ifd__triplets l = {.arena = arena};
    for (int i = 0; i < n; i++)
        ifd__triplet(&l, i, i, 1.0 + 0.1 * matrix_random(state));
    for (int k = 0; k < n * links; k++)
        ifd__triplet(&l, any(state, n), any(state, n), matrix_random(state));
    return finish(arena, &l, n, false);
}

ifd_sparse matrix_skewed(ifd_arena *arena, uint64_t *state, const ifd_sparse *S, double size)
{
    ifd__triplets l = {.arena = arena};
    for (int j = 0; j < S->n; j++)
        for (int k = S->p[j]; k < S->p[j + 1]; k++) {
            double skew = S->i[k] == j ? 0.0 : size * matrix_random(state);
            ifd__triplet(&l, S->i[k], j, S->x[k] + skew);
            if (S->i[k] != j)
                ifd__triplet(&l, j, S->i[k], S->x[k] - skew);
        }
    return finish(arena, &l, S->n, false);
}

/* One member: G G^T with G = [I; -I] plus noise, 2 dofs x dofs. */
static void member(ifd__triplets *l, uint64_t *state, int a, int b, int dofs)
{
    double G[12][6];
    for (int i = 0; i < 2 * dofs; i++)
        for (int j = 0; j < dofs; j++)
            G[i][j] = (i % dofs == j ? (i < dofs ? 1.0 : -1.0) : 0.0) + 0.15 * matrix_random(state);
    for (int i = 0; i < 2 * dofs; i++)
        for (int j = 0; j < 2 * dofs; j++) {
            int row = i < dofs ? a * dofs + i : b * dofs + i - dofs;
            int column = j < dofs ? a * dofs + j : b * dofs + j - dofs;
            double sum = 0.0;
            for (int q = 0; q < dofs; q++)
                sum += G[i][q] * G[j][q];
            ifd__triplet(l, row, column, sum);
        }
}

ifd_sparse matrix_frame(ifd_arena *arena, uint64_t *state, const int grid[3], int dofs)
{
    int nodes = grid[0] * grid[1] * grid[2], n = nodes * dofs;
    ifd__triplets l = {.arena = arena};
    for (int k = 0; k < nodes; k++) {
        int x = k % grid[0], y = k / grid[0] % grid[1], z = k / (grid[0] * grid[1]);
        for (int i = 0; i < dofs; i++)
            ifd__triplet(&l, k * dofs + i, k * dofs + i, z == 0 ? 1.01 : 0.01);
        if (x + 1 < grid[0])
            member(&l, state, k, k + 1, dofs);
        if (y + 1 < grid[1])
            member(&l, state, k, k + grid[0], dofs);
        if (z + 1 < grid[2])
            member(&l, state, k, k + grid[0] * grid[1], dofs);
    }
    return finish(arena, &l, n, true);
}

ifd_sparse matrix_cantilever(ifd_arena *arena, uint64_t *state, int elements)
{
    ifd__triplets l = {.arena = arena};
    for (int e = 0; e < elements; e++) {
        double L = 0.1 + 0.02 * matrix_random(state), EI = 2e6 * pow(10.0, 2.0 * matrix_random(state));
        double k[4][4] = {{12, 6 * L, -12, 6 * L},
                          {6 * L, 4 * L * L, -6 * L, 2 * L * L},
                          {-12, -6 * L, 12, -6 * L},
                          {6 * L, 2 * L * L, -6 * L, 4 * L * L}};
        for (int i = e ? 0 : 2; i < 4; i++)
            for (int j = e ? 0 : 2; j < 4; j++)
                ifd__triplet(&l, 2 * e - 2 + i, 2 * e - 2 + j, EI / (L * L * L) * k[i][j]);
    }
    return finish(arena, &l, 2 * elements, true);
}

double *matrix_full(ifd_arena *arena, const ifd_sparse *A)
{
    size_t n = (size_t)A->n;
    double *full = ifd_arena_array(arena, n * n, sizeof *full);
    for (size_t j = 0; j < n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            full[(size_t)A->i[k] + j * n] = A->x[k];
            if (A->symmetric)
                full[j + (size_t)A->i[k] * n] = A->x[k];
        }
    return full;
}

double matrix_backward_error(const ifd_sparse *A, const double *x, const double *b)
{
    long double *r = calloc((size_t)A->n + 1, sizeof *r), *size = calloc((size_t)A->n + 1, sizeof *size);
    double worst = 0.0;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            int i = A->i[k];
            r[i] += (long double)A->x[k] * (long double)x[j];
            size[i] += fabsl((long double)A->x[k] * (long double)x[j]);
            if (A->symmetric && i != j) {
                r[j] += (long double)A->x[k] * (long double)x[i];
                size[j] += fabsl((long double)A->x[k] * (long double)x[i]);
            }
        }
    for (int i = 0; i < A->n; i++) {
        double error = (double)(fabsl((long double)b[i] - r[i]) / (size[i] + fabsl((long double)b[i]) + 1e-300L));
        worst = error > worst || isnan(error) ? error : worst;
    }
    free(r);
    free(size);
    return worst;
}
