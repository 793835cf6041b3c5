/* SPDX-License-Identifier: MIT */
/* Makes sparse matrices from triplets, and reads their entries. */
#include "algebra/sparse.h"

#include <assert.h>
#include <string.h>

static bool make_room(ifd__triplets *t)
{
    size_t count = (size_t)t->count, room = 2 * count + 64;
    ifd__triplets old = *t;
    t->failed = t->failed || IFD__TAKE(t->arena, IFD__ARRAY(t->row, room), IFD__ARRAY(t->column, room),
                                       IFD__ARRAY(t->value, room)) != IFD_OK;
    if (t->failed)
        return false;
    t->room = (int)room;
    if (count) {
        memcpy(t->row, old.row, count * sizeof *t->row);
        memcpy(t->column, old.column, count * sizeof *t->column);
        memcpy(t->value, old.value, count * sizeof *t->value);
    }
    return true;
}

void ifd__triplet(ifd__triplets *t, int row, int column, double value)
{
    if (t->count == t->room && !make_room(t))
        return;
    t->row[t->count] = row;
    t->column[t->count] = column;
    t->value[t->count++] = value;
}

void ifd__triplet_columns(ifd__triplets *t, int first, int columns, double factor, const ifd_sparse *A)
{
    for (int j = 0; j < columns; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            ifd__triplet(t, first + A->i[k], first + j, factor * A->x[k]);
            if (A->symmetric && A->i[k] != j)
                ifd__triplet(t, first + j, first + A->i[k], factor * A->x[k]);
        }
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

/* Sums repeated entries in the given order (so that the result does not depend on the sort) and drops zeros. Writes
 * the columns into p, i, x and returns the number of entries. If i and x are NULL it only counts. */
static int squeeze(const ifd__triplets *t, const int *sorted, int n, int *p, int *i, double *x)
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

static ifd_status compress(ifd_arena *arena, int n, const ifd__triplets *t, bool symmetric, ifd_sparse *out)
{
    int *start, *by_row, *sorted;
    IFD_TRY(IFD__TAKE(t->arena, IFD__ARRAY(start, (size_t)n + 2), IFD__ARRAY(by_row, t->count),
                      IFD__ARRAY(sorted, t->count)));
    sort_by(t->row, n, t->count, NULL, start, by_row);
    sort_by(t->column, n, t->count, by_row, start, sorted);
    size_t entries = (size_t)squeeze(t, sorted, n, NULL, NULL, NULL);
    *out = (ifd_sparse){.n = n, .symmetric = symmetric};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->p, (size_t)n + 1), IFD__ARRAY(out->i, entries),
                      IFD__ARRAY(out->x, entries)));
    squeeze(t, sorted, n, out->p, out->i, out->x);
    return IFD_OK;
}

ifd_status ifd__sparse_make(ifd_arena *arena, int n, const ifd__triplets *t, bool symmetric, ifd_sparse *out)
{
    assert(n >= 0 && t->count >= 0);
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__triplets all = {.arena = scratch};
    for (int j = 0; j < n; j++)
        ifd__triplet(&all, j, j, 0.0);
    for (int k = 0; k < t->count; k++) {
        assert(t->row[k] >= 0 && t->row[k] < n && t->column[k] >= 0 && t->column[k] < n);
        if (!symmetric || t->row[k] >= t->column[k])
            ifd__triplet(&all, t->row[k], t->column[k], t->value[k]);
    }
    return t->failed || all.failed ? IFD_NO_MEMORY : compress(arena, n, &all, symmetric, out);
}

ifd_status ifd__sparse_add(ifd_arena *arena, double alpha, const ifd_sparse *A, double beta, const ifd_sparse *B,
                           ifd_sparse *out)
{
    assert(A->n == B->n && !(A->rank && B->rank));
    const ifd_sparse *low = A->rank ? A : B;
    double weight = A->rank ? alpha * A->weight : beta * B->weight;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__triplets t = {.arena = scratch};
    ifd__triplet_columns(&t, 0, A->n, alpha, A);
    ifd__triplet_columns(&t, 0, B->n, beta, B);
    const int *block = A->block ? A->block : B->block;
    ifd_status status = ifd__sparse_make(arena, A->n, &t, A->symmetric && B->symmetric, out);
    out->block = block;
    if (low->rank && weight != 0.0) {
        assert(weight > 0.0);
        out->rank = low->rank;
        out->Z = low->Z;
        out->weight = weight;
    }
    return status;
}

static double low_rank_entry(const ifd_sparse *A, int row, int column)
{
    double sum = 0.0;
    for (size_t k = 0; k < (size_t)A->rank; k++)
        sum += A->Z[(size_t)row + k * (size_t)A->n] * A->Z[(size_t)column + k * (size_t)A->n];
    return A->rank ? A->weight * sum : 0.0;
}

static double stored_entry(const ifd_sparse *A, int row, int column)
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

double ifd__sparse_get(const ifd_sparse *A, int row, int column)
{
    return stored_entry(A, row, column) + low_rank_entry(A, row, column);
}

void ifd__sparse_fill(const ifd_sparse *A, double *a)
{
    size_t n = (size_t)A->n;
    memset(a, 0, n * n * sizeof *a);
    for (size_t j = 0; j < n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            a[(size_t)A->i[k] + j * n] = A->x[k];
            if (A->symmetric)
                a[j + (size_t)A->i[k] * n] = A->x[k];
        }
    for (int j = 0; A->rank && j < A->n; j++)
        for (int i = 0; i < A->n; i++)
            a[(size_t)i + (size_t)j * n] += low_rank_entry(A, i, j);
}
