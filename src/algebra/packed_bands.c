/* SPDX-License-Identifier: MIT */
/* The diagonals of a small matrix. Frames with regularly numbered nodes have few of them, and a product then reads
 * whole vectors only. */
#include <math.h>
#include <string.h>

#include "algebra/packed.h"

enum { OFFSETS = 2 * IFD__BANDS_REACH + 1 };

/* Number of the band of each diagonal in one group of rows; -1: it is zero there. */
typedef struct group {
    int band[OFFSETS];
} group;

/* Calls put for each entry (row, column, value) of A, both halves if it is symmetric. */
static void each(const ifd_sparse *A, void *self, void (*put)(void *self, int row, int column, double value))
{
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            put(self, A->i[k], j, A->x[k]);
            if (A->symmetric && A->i[k] != j)
                put(self, j, A->i[k], A->x[k]);
        }
}

typedef struct filling {
    group *groups;
    ifd__bands *bands;
} filling;

static void mark(void *self, int row, int column, double value)
{
    const filling *f = self;
    (void)value;
    f->groups[row / f->bands->rows].band[column - row + IFD__BANDS_REACH] = 1;
}

static void fill(void *self, int row, int column, double value)
{
    const filling *f = self;
    int rows = f->bands->rows, k = f->groups[row / rows].band[column - row + IFD__BANDS_REACH];
    f->bands->value[k * rows + row % rows] = value;
}

/* Numbers the bands of all groups in order; returns how many there are. */
static int number(filling *f, int groups)
{
    int used = 0;
    for (int g = 0; g < groups; g++)
        for (int d = 0; d < OFFSETS; d++) {
            int *k = &f->groups[g].band[d];
            *k = *k ? used++ : -1;
        }
    return used;
}

static void lay_out(const filling *f, int groups)
{
    ifd__bands *B = f->bands;
    int used = 0;
    for (int g = 0; g < groups; g++) {
        B->start[g] = used;
        for (int d = 0; d < OFFSETS; d++)
            if (f->groups[g].band[d] >= 0)
                B->at[used++] = g * B->rows + d - IFD__BANDS_REACH + B->reach;
    }
    B->start[groups] = used;
}

static int reach_of(const ifd_sparse *A)
{
    int reach = 0;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            int distance = A->i[k] > j ? A->i[k] - j : j - A->i[k];
            reach = distance > reach ? distance : reach;
        }
    return reach;
}

static ifd_status make(ifd_arena *arena, ifd_arena *scratch, const ifd_sparse *A, ifd__packed *packed, double *time)
{
    ifd__bands *B = &packed->bands;
    int groups = (A->n + B->rows - 1) / B->rows;
    filling f = {ifd_arena_array(scratch, (size_t)groups, sizeof *f.groups), B};
    if (!f.groups)
        return IFD_NO_MEMORY;
    each(A, &f, mark);
    int bands = number(&f, groups);
    *time = 15.0 + 2.0 * groups + 0.75 * bands;
    if (!arena)
        return IFD_OK;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(B->start, groups + 1), IFD__ARRAY(B->at, bands),
                      IFD__ARRAY(B->value, bands * B->rows)));
    lay_out(&f, groups);
    each(A, &f, fill);
    return IFD_OK;
}

ifd_status ifd__bands_of(ifd_arena *arena, const ifd_sparse *A, ifd__packed *packed, double *time)
{
    packed->bands = (ifd__bands){.n = A->n, .rows = 2 * packed->kernels->lanes, .reach = reach_of(A)};
    *time = HUGE_VAL;
    if (A->n > IFD__BANDS_ROWS || packed->bands.reach > IFD__BANDS_REACH)
        return arena ? IFD_TOO_LARGE : IFD_OK;
    ifd_arena *scratch = ifd_arena_open();
    ifd_status status = scratch ? make(arena, scratch, A, packed, time) : IFD_NO_MEMORY;
    ifd_arena_close(scratch);
    return status;
}
