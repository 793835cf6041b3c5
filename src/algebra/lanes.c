/* SPDX-License-Identifier: MIT */
/* The plain kernels, one lane at a time; the choice between the variants; solver and rows in lanes. */
#include "algebra/lanes.h"

#include <math.h>
#include <string.h>

#include "algebra/solver_parts.h"

#define TARGET
#define W 1
#define V double
#define ZERO 0.0
#define SET1(a) (a)
#define LOAD(p) (*(p))
#define STORE(p, a) (*(p) = (a))
#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define FMA(a, b, c) fma((a), (b), (c))
#define ABS(a) fabs(a)
#define SLIDE(v, z, limit) (((v) > 0.0 && (z) >= (limit)) || ((v) < 0.0 && (z) <= -(limit)) ? 0.0 : (v))
#define CLAMP(z, limit) (fabs(z) <= (limit) ? (z) : copysign((limit), (z)))

#include "algebra/lanes_template.h"

const ifd__lane_kernels ifd__lanes_plain = LANE_KERNELS("plain");

const ifd__lane_kernels *ifd__lanes_pick(const char *name)
{
    if (!ifd__kernels_pick(name))
        return NULL;
#if defined(__x86_64__)
    if (strcmp(name, ifd__lanes_avx512.name) == 0)
        return &ifd__lanes_avx512;
    if (strcmp(name, ifd__lanes_avx2.name) == 0)
        return &ifd__lanes_avx2;
#endif
    return &ifd__lanes_plain;
}

const ifd__lane_kernels *ifd__lanes_best(void)
{
    return ifd__lanes_pick(ifd__kernels_best()->name);
}

static bool in_panels(const ifd_solver *s)
{
    return s->there.run != NULL;
}

ifd_status ifd__lane_solver_make(ifd_arena *arena, const ifd_solver *solver, const ifd__lane_kernels *kernels,
                                 ifd__lane_solver *out)
{
    size_t n = (size_t)solver->n;
    *out = (ifd__lane_solver){.kernels = kernels, .solver = solver, .n = solver->n};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->place, n), IFD__ARRAY(out->z, IFD__LANES * n), IFD__ARRAY(out->x, n),
                      IFD__ARRAY(out->w, ifd__solver_work(solver))));
    for (int i = 0; i < solver->n; i++)
        out->place[i] = i;
    for (int k = 0, row = 0; in_panels(solver) && k < solver->there.runs; k++)
        for (uint32_t i = 0; i < (solver->there.run[k] & 15); i++)
            out->place[(solver->there.run[k] >> 4) + i] = row++;
    return IFD_OK;
}

/* A solver whose kernels are for one vector. */
static IFD_RT void lane_by_lane(const ifd__lane_solver *s, double *x)
{
    for (int l = 0; l < IFD__LANES; l++) {
        for (int i = 0; i < s->n; i++)
            s->x[i] = x[IFD__LANES * (size_t)i + (size_t)l];
        ifd__solver_solve(s->solver, s->x, s->w);
        for (int i = 0; i < s->n; i++)
            x[IFD__LANES * (size_t)i + (size_t)l] = s->x[i];
    }
}

void ifd__lane_solver_solve(const ifd__lane_solver *s, double *x)
{
    if (in_panels(s->solver)) {
        const ifd__panels back = ifd__panels_back(&s->solver->panels);
        s->kernels->forward(&s->solver->panels, x, s->z);
        s->kernels->backward(&back, s->z);
        memcpy(x, s->z, IFD__LANES * (size_t)s->n * sizeof *x);
    } else if (s->solver->facts.kind == IFD__SOLVER_DIAGONAL) {
        for (int i = 0; i < s->n; i++)
            for (int l = 0; l < IFD__LANES; l++)
                x[IFD__LANES * (size_t)i + (size_t)l] *= s->solver->a[i];
    } else
        lane_by_lane(s, x);
}

static void add_entries(ifd__triplets *t, double factor, const ifd_sparse *A)
{
    for (int j = 0; A && j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            if (factor * A->x[k] == 0.0)
                continue;
            ifd__triplet(t, j, A->i[k], factor * A->x[k]); /* of the transposed matrix: its columns are rows of A */
            if (A->symmetric && A->i[k] != j)
                ifd__triplet(t, A->i[k], j, factor * A->x[k]);
        }
}

ifd_status ifd__lane_rows_make(ifd_arena *arena, double alpha, const ifd_sparse *A, double beta, const ifd_sparse *B,
                               ifd__lane_rows *out)
{
    ifd__triplets t = {.arena = arena};
    ifd_sparse S;
    add_entries(&t, alpha, A);
    add_entries(&t, beta, B);
    IFD_TRY(ifd__sparse_make(arena, A->n, &t, false, &S));
    *out = (ifd__lane_rows){.n = A->n, .start = S.p, .at = S.i, .value = S.x};
    return IFD_OK;
}

ifd_status ifd__lane_rows_place(ifd_arena *arena, const int *place, ifd__lane_rows *rows)
{
    ifd__lane_rows to = {.n = rows->n};
    size_t entries = (size_t)rows->start[rows->n];
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(to.start, rows->n + 1), IFD__ARRAY(to.at, entries),
                      IFD__ARRAY(to.value, entries)));
    for (int i = 0; i < rows->n; i++)
        to.start[place[i] + 1] = rows->start[i + 1] - rows->start[i];
    for (int i = 0; i < rows->n; i++)
        to.start[i + 1] += to.start[i];
    for (int i = 0; i < rows->n; i++)
        for (int k = rows->start[i], at = to.start[place[i]]; k < rows->start[i + 1]; k++, at++) {
            to.at[at] = place[rows->at[k]];
            to.value[at] = rows->value[k];
        }
    *rows = to;
    return IFD_OK;
}

/* The lanes that have a vector; returns their number. */
static IFD_RT int live(const double *const *vector, int *lane)
{
    int count = 0;
    for (int l = 0; l < IFD__LANES; l++)
        if (vector[l])
            lane[count++] = l;
    return count;
}

void ifd__lanes_read(int n, const int *place, const double *const *from, double *to)
{
    int lane[IFD__LANES], count = live(from, lane);
    for (int i = 0; i < n; i++) {
        double *row = to + IFD__LANES * (size_t)(place ? place[i] : i);
        for (int k = 0; k < count; k++)
            row[lane[k]] = from[lane[k]][i];
    }
}

void ifd__lanes_give(int n, const int *place, const double *from, double *const *to)
{
    int lane[IFD__LANES], count = live((const double *const *)to, lane);
    for (int i = 0; i < n; i++) {
        const double *row = from + IFD__LANES * (size_t)(place ? place[i] : i);
        for (int k = 0; k < count; k++)
            to[lane[k]][i] = row[lane[k]];
    }
}
