/* SPDX-License-Identifier: MIT */
/* Set-up of large frames: time of the model, of the first factor (analysis and numbers; also processor time of all
 * threads) and of a second one of one pattern (numbers only), and the peak of memory of the first one relative to the
 * factor. CHOLMOD, if available, uses one thread; interfield uses all cores that the process may use (taskset -c 0:
 * one).
 *
 *     bench_setup                     frames of 20,280 and 98,394 dofs, compared with CHOLMOD
 *     bench_setup 33 33 43            bays in x, bays in y, storeys; without comparison */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cblas.h>
#ifdef HAVE_CHOLMOD
#include <cholmod.h>
#endif

#include <interfield/structures.h>

#include "algebra/kernels.h"
#include "algebra/solver.h"
#include "measure.h"
#include "model/model.h"

/* Peak of the resident memory so far, MB; reset first. */
static double peak(void)
{
    char line[256];
    double kB = 0.0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %lf", &kB) == 1)
            break;
    if (f)
        fclose(f);
    return kB / 1024.0;
}

static void reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f) {
        fputs("5\n", f);
        fclose(f);
    }
}

static ifd_sparse matrix(ifd_arena *arena, const int size[3], double *time)
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
    double start = now();
    if (!b || ifd_frame_grid(arena, &grid, &frame, NULL) != IFD_OK || ifd_builder_frame(b, &frame, NULL) != IFD_OK ||
        ifd_model_make(arena, b, &m, NULL) != IFD_OK)
        abort();
    *time = now() - start;
    if (ifd__sparse_add(arena, 1.0, &m->M, c * c, &m->K, &A) != IFD_OK)
        abort();
    return A;
}

#ifdef HAVE_CHOLMOD
/* Analysis and numeric factorisation, s. */
static void rival(const ifd_sparse *A, double time[2])
{
    cholmod_common c;
    cholmod_start(&c);
    c.supernodal = CHOLMOD_SUPERNODAL;
    cholmod_sparse view = {.nrow = (size_t)A->n,
                           .ncol = (size_t)A->n,
                           .nzmax = (size_t)A->p[A->n],
                           .p = A->p,
                           .i = A->i,
                           .x = A->x,
                           .stype = -1,
                           .itype = CHOLMOD_INT,
                           .xtype = CHOLMOD_REAL,
                           .sorted = 1,
                           .packed = 1};
    double start = now();
    cholmod_factor *L = cholmod_analyze(&view, &c);
    time[0] = now() - start;
    start = now();
    if (!L || !cholmod_factorize(&view, L, &c))
        abort();
    time[1] = now() - start;
    cholmod_free_factor(&L, &c);
    cholmod_finish(&c);
}
#else
static void rival(const ifd_sparse *A, double time[2])
{
    (void)A;
    time[0] = time[1] = NAN;
}
#endif

static void measure(const int size[3], bool compare)
{
    ifd_arena *arena = ifd_arena_open(), *own = ifd_arena_open();
    double model, first, again, processor, theirs[2] = {(double)NAN, (double)NAN};
    ifd_sparse A = matrix(arena, size, &model);
    ifd_solver *s;
    reset_peak();
    clock_t used = clock();
    double before = peak(), start = now();
    if (ifd__solver_make(own, &A, IFD__SOLVER_AUTO, &s, NULL) != IFD_OK)
        abort();
    first = now() - start;
    processor = (double)(clock() - used) / CLOCKS_PER_SEC;
    double most = peak() - before, factor = (double)ifd__solver_facts_of(s).stored * 8.0 / 1048576.0;
    start = now();
    if (ifd__solver_make(own, &A, IFD__SOLVER_AUTO, &s, NULL) != IFD_OK)
        abort();
    again = now() - start;
    ifd__solver_facts f = ifd__solver_facts_of(s);
    ifd_arena_close(own);
    if (compare)
        rival(&A, theirs);
    printf("%7d %11ld %9.2f %9.2f %9.2f %9.2f %9.1f %9.1f %6.2f %9.2f %9.2f %6.2f\n", A.n, f.nonzeros, model, first,
           processor, again, factor, most, most / factor, theirs[0], theirs[1], theirs[1] / again);
    ifd_arena_close(arena);
}

int main(int count, char **word)
{
    static const int sizes[][3] = {{12, 12, 20}, {22, 22, 31}};
#ifdef OPENBLAS_VERSION
    openblas_set_num_threads(1); /* also for CHOLMOD */
#endif
    printf("%7s %11s %9s %9s %9s %9s %9s %9s %6s %9s %9s %6s\n", "dofs", "nonzeros", "model s", "first s", "cpu s",
           "again s", "factor MB", "peak MB", "ratio", "analyse s", "CHOLMOD s", "ratio");
    if (count == 4)
        measure((const int[]){atoi(word[1]), atoi(word[2]), atoi(word[3])}, false);
    for (size_t k = 0; count < 4 && k < sizeof sizes / sizeof *sizes; k++)
        measure(sizes[k], true);
    return 0;
}
