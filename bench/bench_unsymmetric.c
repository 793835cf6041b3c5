/* SPDX-License-Identifier: MIT */
/* The sparse factor of an unsymmetric matrix against the full one, in alternating rounds of one run: frames in space
 * with gyroscopic damping at every node and loads that follow it. Both solutions must agree.
 *
 *     bench_unsymmetric            frames of 1,944 to 20,280 dofs; the largest without the full factor
 *     bench_unsymmetric 8 8 20     one frame of 8 x 8 bays and 20 storeys, with the full factor */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/structures.h>

#include "algebra/solver.h"
#include "measure.h"
#include "model/model.h"

enum { ROUNDS = 30 };

/* M + c h C + (c h)^2 K, h = 1 ms; at every node damping turns a velocity by 90 degrees, and a load that follows the
 * rotation adds 1 % of a stiffness on one side of the diagonal. */
static ifd_sparse matrix(ifd_arena *arena, const int size[3])
{
    ifd_grid grid;
    ifd_frame frame;
    ifd_builder *b = ifd_builder_make(arena);
    ifd_model *m;
    ifd_sparse symmetric, rest, A;
    ifd__triplets t = {.arena = arena};
    const double c = 0.29289321881345247560 * 1e-3;
    ifd_grid_defaults(&grid);
    grid.planar = false;
    grid.bays_x = size[0];
    grid.bays_y = size[1];
    grid.storeys = size[2];
    if (!b || ifd_frame_grid(arena, &grid, &frame, NULL) != IFD_OK || ifd_builder_frame(b, &frame, NULL) != IFD_OK ||
        ifd_model_make(arena, b, &m, NULL) != IFD_OK ||
        ifd__sparse_add(arena, 1.0, &m->M, c * c, &m->K, &symmetric) != IFD_OK)
        abort();
    for (int i = 0; i + 6 <= m->n; i += 6) {
        double turn = 0.5 * ifd__sparse_get(&symmetric, i, i);
        ifd__triplet(&t, i, i + 1, turn);
        ifd__triplet(&t, i + 1, i, -turn);
        ifd__triplet(&t, i + 1, i + 3, 0.01 * c * c * ifd__sparse_get(&m->K, i + 1, i + 1));
    }
    if (ifd__sparse_make(arena, m->n, &t, false, &rest) != IFD_OK ||
        ifd__sparse_add(arena, 1.0, &symmetric, 1.0, &rest, &A) != IFD_OK)
        abort();
    return A;
}

typedef struct side {
    ifd_solver *solver;
    double set_up, best, *x, *w;
} side;

static void make(ifd_arena *arena, const ifd_sparse *A, ifd__solver_kind kind, side *s)
{
    double start = now();
    if (ifd__solver_make(arena, A, kind, &s->solver, NULL) != IFD_OK)
        abort();
    s->set_up = now() - start;
    s->best = (double)INFINITY;
    s->x = ifd_arena_array(arena, (size_t)A->n, sizeof *s->x);
    s->w = ifd_arena_array(arena, ifd__solver_work(s->solver), sizeof *s->w);
}

static void solve(side *s, size_t n, const double *b)
{
    memcpy(s->x, b, n * sizeof *b);
    double start = now();
    ifd__solver_solve(s->solver, s->x, s->w);
    s->best = fmin(s->best, now() - start);
}

static double difference(size_t n, const double *x, const double *y)
{
    double most = 0.0, size = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return most / size;
}

static int measure(const int size[3], bool with_full)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_sparse A = matrix(arena, size);
    size_t n = (size_t)A.n;
    side sparse = {0}, full = {0};
    double *b = ifd_arena_array(arena, n, sizeof *b), error = 0.0;
    for (size_t i = 0; i < n; i++)
        b[i] = sin((double)i);
    make(arena, &A, IFD__SOLVER_SPARSE_LU, &sparse);
    if (with_full)
        make(arena, &A, IFD__SOLVER_DENSE_LU, &full);
    for (int round = 0; round < ROUNDS; round++) {
        solve(&sparse, n, b);
        if (with_full)
            solve(&full, n, b);
    }
    double mb = 8e-6 * (double)ifd__solver_facts_of(sparse.solver).stored;
    printf("%7d %10.1f %10.3f %12.1f", A.n, mb, sparse.set_up, sparse.best * 1e6);
    if (with_full) {
        error = difference(n, sparse.x, full.x);
        printf(" %10.1f %10.3f %12.1f %8.1f %8.1f %8.1f %10.1e", 8e-6 * (double)(n * n), full.set_up, full.best * 1e6,
               8e-6 * (double)(n * n) / mb, full.set_up / sparse.set_up, full.best / sparse.best, error);
    }
    printf("\n");
    ifd_arena_close(arena);
    return !(error < 1e-10);
}

int main(int count, char **word)
{
    static const int sizes[][3] = {{5, 5, 9}, {7, 7, 13}, {12, 12, 20}};
    int wrong = 0;
    printf("%7s %10s %10s %12s %10s %10s %12s %8s %8s %8s %10s\n", "dofs", "sparse, MB", "set-up, s", "solve, us",
           "full, MB", "set-up, s", "solve, us", "memory", "set-up", "solve", "difference");
    if (count == 4)
        return measure((const int[]){atoi(word[1]), atoi(word[2]), atoi(word[3])}, true);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        wrong += measure(sizes[k], k < 2);
    return wrong != 0;
}
