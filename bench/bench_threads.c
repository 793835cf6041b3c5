/* SPDX-License-Identifier: MIT */
/* Solutions that several threads share against those of one thread, in alternating rounds of one run, on frames in
 * space; the bits must be equal. Without another idle core the ratio has no meaning. The last columns are plain reads
 * of as many numbers as the factor has, by one thread and shared: the limit of a factor beyond the cache.
 *
 *     bench_threads            2 threads, frames of 4,992 to 20,280 dofs
 *     bench_threads 4 22 22 31     4 threads, one frame of 22 x 22 bays and 31 storeys */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/structures.h>

#include "algebra/dense.h"
#include "algebra/solver.h"
#include "algebra/team.h"
#include "measure.h"
#include "model/model.h"

enum { ROUNDS = 40 };

static ifd_sparse matrix(ifd_arena *arena, const int size[3])
{
    ifd_grid grid;
    ifd_frame frame;
    ifd_builder *b = ifd_builder_make(arena);
    ifd_model *m;
    ifd_sparse A;
    const double c = 0.29289321881345247560 * 1e-3;
    ifd_grid_defaults(&grid);
    grid.planar = false;
    grid.bays_x = size[0];
    grid.bays_y = size[1];
    grid.storeys = size[2];
    if (!b || ifd_frame_grid(arena, &grid, &frame, NULL) != IFD_OK || ifd_builder_frame(b, &frame, NULL) != IFD_OK ||
        ifd_model_make(arena, b, &m, NULL) != IFD_OK ||
        ifd__sparse_add(arena, 1.0, &m->M, c * c, &m->K, &A) != IFD_OK)
        abort();
    return A;
}

/* best: the least time of a solution so far, s. */
static void solve(const ifd_solver *s, double *x, double *w, double *best)
{
    double start = now();
    ifd__solver_solve(s, x, w);
    *best = fmin(*best, now() - start);
}

/* Reads of as many numbers as the factor has, by one thread or shared: the limit of a factor beyond the cache. */
typedef struct reading {
    const double *numbers;
    size_t count;
    double best, sum[IFD__TEAM_MOST];
} reading;

static void read_share(void *shared, ifd__team *team, int me)
{
    reading *r = shared;
    size_t each = r->count / (size_t)ifd__team_size(team);
    for (int round = 0; round < ROUNDS; round++) {
        ifd__team_meet(team);
        double start = now();
        const double *mine = r->numbers + (size_t)me * each;
        r->sum[me] += ifd__dot((int)each, mine, mine);
        ifd__team_meet(team);
        r->best = me ? r->best : fmin(r->best, now() - start);
    }
}

static double time_to_read(int threads, const double *numbers, size_t count)
{
    reading r = {.numbers = numbers, .count = count, .best = (double)INFINITY};
    ifd__team_run(threads, read_share, &r);
    return r.best;
}

static int measure(int threads, const int size[3])
{
    ifd_arena *arena = ifd_arena_open();
    ifd_sparse A = matrix(arena, size);
    ifd_solver *alone, *shared;
    if (ifd__solver_make(arena, &A, IFD__SOLVER_AUTO, &alone, NULL) != IFD_OK ||
        ifd__solver_make(arena, &A, IFD__SOLVER_AUTO, &shared, NULL) != IFD_OK ||
        ifd__solver_share(arena, shared, threads) != IFD_OK)
        abort();
    size_t n = (size_t)A.n;
    double *b = ifd_arena_array(arena, n, sizeof *b), *x = ifd_arena_array(arena, n, sizeof *x),
           *y = ifd_arena_array(arena, n, sizeof *y), one = (double)INFINITY, many = (double)INFINITY,
           *w = ifd_arena_array(arena, ifd__solver_work(alone), sizeof *w);
    int wrong = 0;
    for (size_t i = 0; i < n; i++)
        b[i] = sin((double)i);
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < 4; k++) { /* two in sequence: the first one wakes the threads */
            memcpy(k < 2 ? x : y, b, n * sizeof *b);
            solve(k < 2 ? alone : shared, k < 2 ? x : y, w, k < 2 ? &one : &many);
            wrong += k == 3 && memcmp(x, y, n * sizeof *x) != 0;
        }
    ifd__solver_facts f = ifd__solver_facts_of(shared);
    double *numbers = ifd_arena_array(arena, (size_t)f.nonzeros, sizeof *numbers);
    for (long i = 0; i < f.nonzeros && numbers; i++)
        numbers[i] = 1e-3;
    double alone_reads = numbers ? time_to_read(1, numbers, (size_t)f.nonzeros) : 0.0,
           shared_reads = numbers ? time_to_read(threads, numbers, (size_t)f.nonzeros) : 1.0;
    printf("%7d %10ld %8d %12.1f %12.1f %8.2f %10.1f %8.2f%s\n", A.n, f.nonzeros, f.threads, one * 1e6, many * 1e6,
           one / many, 8e-9 * (double)f.nonzeros / alone_reads, alone_reads / shared_reads,
           wrong ? "   the bits differ" : "");
    ifd_arena_close(arena);
    return wrong;
}

int main(int count, char **word)
{
    static const int sizes[][3] = {{7, 7, 13}, {10, 10, 14}, {12, 12, 20}};
    int threads = count > 1 ? atoi(word[1]) : 2, wrong = 0;
    printf("%7s %10s %8s %12s %12s %8s %10s %8s\n", "dofs", "nonzeros", "threads", "one, us", "shared, us", "ratio",
           "read, GB/s", "ratio");
    if (count == 5)
        return measure(threads, (const int[]){atoi(word[2]), atoi(word[3]), atoi(word[4])});
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        wrong += measure(threads, sizes[k]);
    return wrong != 0;
}
