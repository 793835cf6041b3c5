/* SPDX-License-Identifier: MIT */
#include "algebra/sparse.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct triplets {
    int count, *row, *column;
    double *value;
} triplets;

static bool triplets_open(triplets *t, size_t room)
{
    t->count = 0;
    t->row = malloc((room + 1) * sizeof *t->row);
    t->column = malloc((room + 1) * sizeof *t->column);
    t->value = malloc((room + 1) * sizeof *t->value);
    return t->row && t->column && t->value;
}

static void triplets_close(triplets *t)
{
    free(t->row);
    free(t->column);
    free(t->value);
}

static void triplets_put(triplets *t, int row, int column, double value)
{
    t->row[t->count] = row;
    t->column[t->count] = column;
    t->value[t->count++] = value;
}

/* Stable counting sort of the indices order[0..count) by key. */
static void sort_by(const int *key, int n, int count, const int *order, int *start, int *sorted)
{
    memset(start, 0, ((size_t)n + 1) * sizeof *start);
    for (int k = 0; k < count; k++)
        start[key[k] + 1]++;
    for (int j = 0; j < n; j++)
        start[j + 1] += start[j];
    for (int k = 0; k < count; k++) {
        int t = order ? order[k] : k;
        sorted[start[key[t]]++] = t;
    }
}

/* Sums repeated entries in the order given (so that the result does not depend on the sort) and drops zeros. Writes
 * the columns into p, i, x and returns the number of entries. i and x may be NULL: then it only counts. */
static int squeeze(const triplets *t, const int *sorted, int n, int *p, int *i, double *x)
{
    int k = 0, used = 0;
    for (int j = 0; j < n; j++) {
        if (p)
            p[j] = used;
        while (k < t->count && t->column[sorted[k]] == j) {
            int row = t->row[sorted[k]];
            double sum = 0.0;
            for (; k < t->count && t->column[sorted[k]] == j && t->row[sorted[k]] == row; k++)
                sum += t->value[sorted[k]];
            if (sum == 0.0 && row != j)
                continue;
            if (i) {
                i[used] = row;
                x[used] = sum;
            }
            used++;
        }
    }
    if (p)
        p[n] = used;
    return used;
}

static ifd_status compress(ifd_arena *arena, int n, const triplets *t, bool symmetric, ifd_sparse *out)
{
    int *start = malloc(((size_t)n + 2) * sizeof *start);
    int *by_row = malloc(((size_t)t->count + 1) * sizeof *by_row);
    int *sorted = malloc(((size_t)t->count + 1) * sizeof *sorted);
    ifd_status status = IFD_NO_MEMORY;
    if (start && by_row && sorted) {
        sort_by(t->row, n, t->count, NULL, start, by_row);
        sort_by(t->column, n, t->count, by_row, start, sorted);
        size_t entries = (size_t)squeeze(t, sorted, n, NULL, NULL, NULL);
        *out = (ifd_sparse){.n = n, .symmetric = symmetric};
        out->p = ifd_arena_array(arena, (size_t)n + 1, sizeof *out->p);
        out->i = ifd_arena_array(arena, entries, sizeof *out->i);
        out->x = ifd_arena_array(arena, entries, sizeof *out->x);
        if (out->p && out->i && out->x) {
            squeeze(t, sorted, n, out->p, out->i, out->x);
            status = IFD_OK;
        }
    }
    free(start);
    free(by_row);
    free(sorted);
    return status;
}

ifd_status ifd__sparse_make(ifd_arena *arena, int n, int count, const int *row, const int *column,
                            const double *value, bool symmetric, ifd_sparse *out)
{
    assert(n >= 0 && count >= 0);
    triplets t;
    ifd_status status = IFD_NO_MEMORY;
    if (triplets_open(&t, (size_t)n + (size_t)count)) {
        for (int j = 0; j < n; j++)
            triplets_put(&t, j, j, 0.0);
        for (int k = 0; k < count; k++) {
            assert(row[k] >= 0 && row[k] < n && column[k] >= 0 && column[k] < n);
            if (!symmetric || row[k] >= column[k])
                triplets_put(&t, row[k], column[k], value[k]);
        }
        status = compress(arena, n, &t, symmetric, out);
    }
    triplets_close(&t);
    return status;
}

/* Appends alpha A; both halves when whole is set and only the lower one is stored. */
static void append(triplets *t, double alpha, const ifd_sparse *A, bool whole)
{
    for (int j = 0; j < A->n; j++) {
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            triplets_put(t, A->i[k], j, alpha * A->x[k]);
            if (whole && A->symmetric && A->i[k] != j)
                triplets_put(t, j, A->i[k], alpha * A->x[k]);
        }
    }
}

ifd_status ifd__sparse_add(ifd_arena *arena, double alpha, const ifd_sparse *A, double beta, const ifd_sparse *B,
                           ifd_sparse *out)
{
    assert(A->n == B->n);
    bool symmetric = A->symmetric && B->symmetric;
    triplets t;
    ifd_status status = IFD_NO_MEMORY;
    if (triplets_open(&t, 2 * ((size_t)A->p[A->n] + (size_t)B->p[B->n]) + (size_t)A->n)) {
        for (int j = 0; j < A->n; j++)
            triplets_put(&t, j, j, 0.0);
        append(&t, alpha, A, !symmetric);
        append(&t, beta, B, !symmetric);
        status = compress(arena, A->n, &t, symmetric, out);
        out->block = A->block ? A->block : B->block;
    }
    triplets_close(&t);
    return status;
}

double ifd__sparse_get(const ifd_sparse *A, int row, int column)
{
    if (A->symmetric && row < column) {
        int swap = row;
        row = column;
        column = swap;
    }
    int low = A->p[column], high = A->p[column + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (A->i[middle] == row)
            return A->x[middle];
        if (A->i[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return 0.0;
}
