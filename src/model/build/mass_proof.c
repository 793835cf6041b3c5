/* SPDX-License-Identifier: MIT */
/* A sum of positive semidefinite parts is positive definite if every dof belongs to a positive definite part: x^T M x
 * is zero only if it is zero for each part, so x is zero on the dofs of the definite parts. Parts are single masses
 * and the groups of members and linear elements, each a small matrix. The time is proportional to their number. */
#include "model/build/making.h"

#include <math.h>
#include <string.h>

enum { LARGEST_PART = 24 };

/* A pivot of a part, relative to its diagonal entry, must be clearly positive. Sums of parts have relative errors of
 * some 1e-15, far below it. */
static const double CLEAR = 1e-6;

/* One group: its dofs and its matrix by columns. */
typedef struct part {
    int count, dof[LARGEST_PART];
    double M[LARGEST_PART * LARGEST_PART];
} part;

static int place_of(part *p, int dof)
{
    for (int k = 0; k < p->count; k++)
        if (p->dof[k] == dof)
            return k;
    if (p->count == LARGEST_PART)
        return -1;
    p->dof[p->count] = dof;
    return p->count++;
}

/* Entries from `at` on that belong to the group of the first one; returns the index behind them, or -1 if the group
 * is too large. */
static int collect(const ifd_builder *b, int at, part *p)
{
    const ifd__list *list = &b->entry[IFD_MASS];
    int group = IFD__AT(*list, ifd__entry, at).group;
    p->count = 0;
    memset(p->M, 0, sizeof p->M);
    do {
        const ifd__entry *e = &IFD__AT(*list, ifd__entry, at++);
        if (e->j < 0) /* a support */
            continue;
        int i = place_of(p, e->i), j = place_of(p, e->j);
        if (i < 0 || j < 0)
            return -1;
        p->M[i + j * LARGEST_PART] += e->value;
    } while (group && at < list->count && IFD__AT(*list, ifd__entry, at).group == group);
    return at;
}

/* The rotation of a member leaves rounding errors of this size, relative to the diagonal. */
static double rounding(const part *p, int i, int j)
{
    return 1e-13 * sqrt(fabs(p->M[i + i * LARGEST_PART] * p->M[j + j * LARGEST_PART]));
}

static bool is_diagonal(const part *p)
{
    for (int j = 0; j < p->count; j++)
        for (int i = 0; i < p->count; i++)
            if (i != j && !(fabs(p->M[i + j * LARGEST_PART]) <= rounding(p, i, j)))
                return false;
    return true;
}

static bool is_symmetric(const part *p)
{
    for (int j = 0; j < p->count; j++)
        for (int i = 0; i < j; i++)
            if (!(fabs(p->M[i + j * LARGEST_PART] - p->M[j + i * LARGEST_PART]) <= rounding(p, i, j)))
                return false;
    return true;
}

/* Elimination without exchanges; the matrix is destroyed. */
static bool is_definite(part *p)
{
    double diagonal[LARGEST_PART];
    if (!is_symmetric(p))
        return false;
    for (int j = 0; j < p->count; j++)
        diagonal[j] = p->M[j + j * LARGEST_PART];
    for (int j = 0; j < p->count; j++) {
        const double *a = p->M + j * LARGEST_PART, d = a[j];
        if (!(d > CLEAR * diagonal[j]) || !isfinite(d))
            return false;
        for (int k = j + 1; k < p->count; k++)
            for (int i = k; i < p->count; i++)
                p->M[i + k * LARGEST_PART] -= a[i] * a[k] / d;
    }
    return true;
}

/* Whether the part is semidefinite; marks the dofs on which it is definite. */
static bool mark(part *p, bool *proved)
{
    if (!is_diagonal(p)) {
        if (!is_definite(p))
            return false;
        for (int k = 0; k < p->count; k++)
            proved[p->dof[k]] = true;
        return true;
    }
    for (int k = 0; k < p->count; k++) {
        double d = p->M[k + k * LARGEST_PART];
        if (!(d >= 0.0) || !isfinite(d))
            return false;
        proved[p->dof[k]] = proved[p->dof[k]] || d > 0.0;
    }
    return true;
}

bool ifd__mass_proved(ifd_arena *scratch, const ifd_builder *b)
{
    part p;
    bool *proved = ifd_arena_array(scratch, (size_t)b->dof.count + 1, sizeof *proved);
    if (!proved)
        return false;
    for (int at = 0; at < b->entry[IFD_MASS].count;) {
        at = collect(b, at, &p);
        if (at < 0 || !mark(&p, proved))
            return false;
    }
    for (int i = 0; i < b->dof.count; i++)
        if (!proved[i])
            return false;
    return true;
}
