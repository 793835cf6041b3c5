/* SPDX-License-Identifier: MIT */
/* Assembles and condenses the matrices of a model. */
#include "model/build/system.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"

const char *const ifd__matrix_name[3] = {"mass", "damping", "stiffness"};

static const double TOLERANCE = 1e-12; /* tolerance of symmetry, relative to the largest entry */

ifd_status ifd__rows_take(ifd_arena *arena, int count, size_t entries, ifd__rows *out)
{
    out->count = count;
    return IFD__TAKE(arena, IFD__ARRAY(out->start, (size_t)count + 1), IFD__ARRAY(out->column, entries),
                     IFD__ARRAY(out->value, entries));
}

static const char *column_name(const ifd_builder *b, int j)
{
    return j >= 0 ? IFD__AT(b->dof, ifd__dof, j).name : IFD__AT(b->support, ifd__support, -2 - j).name;
}

static ifd_status assemble(ifd_arena *arena, const ifd_builder *b, int which, ifd_sparse *out, ifd_note *note)
{
    int n = b->dof.count, count = b->entry[which].count;
    ifd__triplets t = {.arena = arena};
    for (int k = 0; k < count; k++) {
        const ifd__entry *e = &IFD__AT(b->entry[which], ifd__entry, k);
        if (!isfinite(e->value))
            return ifd_note_about(note, IFD_NOT_FINITE, ifd__matrix_name[which],
                                  "the %s between '%s' and '%s' is not a finite number", ifd__matrix_name[which],
                                  column_name(b, e->i), column_name(b, e->j));
        ifd__triplet(&t, e->i, e->j >= 0 ? e->j : n - 2 - e->j, e->value);
    }
    return ifd__sparse_make(arena, n + b->support.count, &t, false, out);
}

/* Pointer to entry (i, j), NULL if it is not stored. */
static double *entry_of(const ifd_sparse *A, int i, int j)
{
    int low = A->p[j], high = A->p[j + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (A->i[middle] == i)
            return &A->x[middle];
        if (A->i[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The first pair of dofs with entries that differ by more than the tolerance; false if there is none. */
static bool find_unsymmetric(const ifd_sparse *A, int n, int *row, int *column)
{
    double tolerance = TOLERANCE * ifd__largest(A->p[A->n], A->x);
    for (int j = 0; j < n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            const double *other = A->i[k] < n ? entry_of(A, j, A->i[k]) : &A->x[k];
            if (fabs(A->x[k] - (other ? *other : 0.0)) <= tolerance)
                continue;
            *row = A->i[k];
            *column = j;
            return true;
        }
    return false;
}

static void symmetrise(const ifd_sparse *A, int n)
{
    for (int j = 0; j < n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            double *other = A->i[k] > j && A->i[k] < n ? entry_of(A, j, A->i[k]) : NULL;
            if (other)
                *other = A->x[k] = 0.5 * (A->x[k] + *other);
        }
}

ifd_status ifd__system_unsymmetric(const ifd_builder *b, const ifd__system *s, int k, ifd_note *note)
{
    int i = 0, j = 0;
    find_unsymmetric(&s->A[k], s->n, &i, &j);
    double here = ifd__sparse_get(&s->A[k], i, j), there = ifd__sparse_get(&s->A[k], j, i);
    const char *a = ifd_builder_dof_name(b, s->dof[i]), *c = ifd_builder_dof_name(b, s->dof[j]);
    return ifd_note_about(note, IFD_NOT_SYMMETRIC, ifd__matrix_name[k],
                          "the %s matrix is not symmetric: entry ('%s', '%s') is %.9g, entry ('%s', '%s') is %.9g",
                          ifd__matrix_name[k], a, c, here, c, a, there);
}

ifd_status ifd__system_check(const ifd_builder *b, const ifd__system *s, ifd_note *note)
{
    const ifd_sparse *M = &s->A[IFD_MASS];
    for (int j = 0; j < s->n; j++) {
        double diagonal = ifd__sparse_get(M, j, j);
        if (diagonal > 0.0)
            continue;
        if (diagonal < 0.0)
            return ifd_note_about(note, IFD_NOT_POSITIVE, "mass", "the mass of dof '%s' is negative: %.9g",
                                  ifd_builder_dof_name(b, s->dof[j]), diagonal);
        for (int k = M->p[j]; k < M->p[j + 1]; k++)
            if (M->i[k] != j && M->x[k] != 0.0)
                return ifd_note_about(note, IFD_NOT_POSITIVE, "mass",
                                      "dof '%s' has no mass, but its mass is coupled to dof '%s'",
                                      ifd_builder_dof_name(b, s->dof[j]), ifd_builder_dof_name(b, s->dof[M->i[k]]));
    }
    return IFD_OK;
}

static bool make_identity(ifd_arena *arena, int n, ifd__system *s)
{
    s->dof = ifd_arena_array(arena, (size_t)n, sizeof *s->dof);
    s->T.count = n;
    s->T.start = ifd_arena_array(arena, (size_t)n + 1, sizeof *s->T.start);
    s->T.column = ifd_arena_array(arena, (size_t)n, sizeof *s->T.column);
    s->T.value = ifd_arena_array(arena, (size_t)n, sizeof *s->T.value);
    if (!s->dof || !s->T.start || !s->T.column || !s->T.value)
        return false;
    for (int i = 0; i < n; i++) {
        s->dof[i] = s->T.column[i] = i;
        s->T.start[i + 1] = i + 1;
        s->T.value[i] = 1.0;
    }
    return true;
}

ifd_status ifd__system_make(ifd_arena *arena, const ifd_builder *b, ifd__system *out, ifd_note *note)
{
    int row, column;
    *out = (ifd__system){.n = b->dof.count, .nsupport = b->support.count};
    if (!make_identity(arena, out->n, out))
        return IFD_NO_MEMORY;
    for (int k = 0; k < 3; k++) {
        IFD_TRY(assemble(arena, b, k, &out->A[k], note));
        out->symmetric[k] = !find_unsymmetric(&out->A[k], out->n, &row, &column);
        if (out->symmetric[k])
            symmetrise(&out->A[k], out->n);
    }
    if (!out->symmetric[IFD_MASS])
        return ifd__system_unsymmetric(b, out, IFD_MASS, note);
    return IFD_OK;
}

/* T^T A T; rows and columns of supports stay. */
static ifd_status tie_matrix(ifd_arena *arena, const ifd__rows *T, int n, ifd_sparse *A)
{
    ifd__triplets t = {.arena = arena};
    ifd_sparse out;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            for (int a = T->start[A->i[k]]; a < T->start[A->i[k] + 1]; a++) {
                double value = T->value[a] * A->x[k];
                if (j >= T->count)
                    ifd__triplet(&t, T->column[a], n + j - T->count, value);
                for (int b = j < T->count ? T->start[j] : 0; j < T->count && b < T->start[j + 1]; b++)
                    ifd__triplet(&t, T->column[a], T->column[b], value * T->value[b]);
            }
    IFD_TRY(ifd__sparse_make(arena, n + A->n - T->count, &t, false, &out));
    *A = out;
    return IFD_OK;
}

ifd_status ifd__system_tie(ifd_arena *arena, const ifd__rows *T, int n, int *dof, ifd__system *s)
{
    for (int k = 0; k < 3; k++) {
        IFD_TRY(tie_matrix(arena, T, n, &s->A[k]));
        if (s->symmetric[k])
            symmetrise(&s->A[k], n);
    }
    s->n = n;
    s->dof = dof;
    s->T = *T;
    return IFD_OK;
}

void ifd__system_project(const ifd__system *s, const double *p, double *out)
{
    memset(out, 0, (size_t)s->n * sizeof *out);
    for (int i = 0; i < s->T.count; i++)
        for (int k = s->T.start[i]; k < s->T.start[i + 1]; k++)
            if (s->T.column[k] < s->n)
                out[s->T.column[k]] += s->T.value[k] * p[i];
}
