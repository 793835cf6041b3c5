/* SPDX-License-Identifier: MIT */
/* The linear algebra of one step, two solves and two products, on frames of increasing size, compared with the read
 * bandwidth of this machine and, if available, with the solve of CHOLMOD and a general product, in one run.
 *
 * The bytes of a solve are two sweeps over the true nonzeros of L, 8 bytes each, without padding. The bandwidth is
 * that of a vector sum over an array of that size. Every time is the best of several. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>
#ifdef HAVE_CHOLMOD
#include <cholmod.h>
#endif

#include <interfield/structures.h>

#include "algebra/kernels.h"
#include "algebra/solver.h"
#include "measure.h"
#include "model/model.h"

enum { ROUNDS = 60 };

typedef struct size {
    const char *name;
    bool planar;
    int bays_x, bays_y, storeys;
} size;

static const size sizes[] = {{"planar 3 x 10", true, 3, 0, 10},
                             {"4 x 4 x 10", false, 4, 4, 10},
                             {"7 x 7 x 13", false, 7, 7, 13},
                             {"12 x 12 x 20", false, 12, 12, 20}};

static double noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0 - 0.5;
}

/* The matrix that LSRT2 factorises: M + (gamma h)^2 K of a concrete frame, h = 1 ms. */
static ifd_sparse matrix(ifd_arena *arena, const size *s)
{
    ifd_grid grid;
    ifd_frame frame;
    ifd_builder *b = ifd_builder_make(arena);
    ifd_model *m;
    ifd_sparse A;
    const double c = 0.29289321881345247560 * 1e-3;
    ifd_grid_defaults(&grid);
    grid.planar = s->planar;
    grid.bays_x = s->bays_x;
    grid.bays_y = s->bays_y;
    grid.storeys = s->storeys;
    if (!b || ifd_frame_grid(arena, &grid, &frame, NULL) != IFD_OK || ifd_builder_frame(b, &frame, NULL) != IFD_OK ||
        ifd_model_make(arena, b, &m, NULL) != IFD_OK ||
        ifd__sparse_add(arena, 1.0, &m->M, c * c, &m->K, &A) != IFD_OK)
        abort();
    return A;
}

/* For comparison: the factor of CHOLMOD and a product over the whole matrix by rows. */
typedef struct rival {
    ifd_sparse whole;
    double *y;
#ifdef HAVE_CHOLMOD
    cholmod_common c;
    cholmod_factor *L;
    cholmod_dense *b, *solution, *Y, *E;
#endif
} rival;

#ifdef HAVE_CHOLMOD
enum { RIVALS = 2 }; /* its simplicial and its supernodal factor: the better one counts */

static void product_by_rows(const ifd_sparse *A, const double *x, double *y)
{
    for (int i = 0; i < A->n; i++) {
        double dot = 0.0;
        for (int k = A->p[i]; k < A->p[i + 1]; k++)
            dot += A->x[k] * x[A->i[k]];
        y[i] += dot;
    }
}

static void rival_open(ifd_arena *arena, const ifd_sparse *A, int supernodal, rival *r)
{
    ifd_sparse none;
    r->y = ifd_arena_array(arena, (size_t)A->n, sizeof *r->y);
    if (!r->y || ifd__sparse_make(arena, A->n, &(ifd__triplets){0}, false, &none) != IFD_OK ||
        ifd__sparse_add(arena, 1.0, A, 1.0, &none, &r->whole) != IFD_OK)
        abort();
    cholmod_start(&r->c);
    r->c.supernodal = supernodal ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
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
    r->L = cholmod_analyze(&view, &r->c);
    r->b = cholmod_ones((size_t)A->n, 1, CHOLMOD_REAL, &r->c);
    r->solution = r->Y = r->E = NULL;
    if (!r->L || !r->b || !cholmod_factorize(&view, r->L, &r->c))
        abort();
}

static void rival_close(rival *r)
{
    cholmod_free_factor(&r->L, &r->c);
    cholmod_free_dense(&r->b, &r->c);
    cholmod_free_dense(&r->solution, &r->c);
    cholmod_free_dense(&r->Y, &r->c);
    cholmod_free_dense(&r->E, &r->c);
    cholmod_finish(&r->c);
}

static const double *rival_solve(rival *r, const double *b)
{
    memcpy(r->b->x, b, r->b->nrow * sizeof *b);
    cholmod_solve2(CHOLMOD_A, r->L, r->b, NULL, &r->solution, NULL, &r->Y, &r->E, &r->c);
    return r->solution->x;
}

static void rival_step(rival *r, const double *b)
{
    for (int solve = 0; solve < 2; solve++)
        product_by_rows(&r->whole, rival_solve(r, b), r->y);
}
#else
enum { RIVALS = 0 };

static void rival_open(ifd_arena *arena, const ifd_sparse *A, int supernodal, rival *r)
{
    (void)arena, (void)A, (void)supernodal, (void)r;
}

static void rival_close(rival *r)
{
    (void)r;
}

static const double *rival_solve(rival *r, const double *b)
{
    (void)r;
    return b;
}

static void rival_step(rival *r, const double *b)
{
    (void)r, (void)b;
}
#endif

typedef struct times {
    double set_up, solve, step, bandwidth, rival, difference;
} times;

typedef struct ours {
    ifd_sparse A;
    ifd_solver *solver;
    double *b, *x, *y, *w;
} ours;

static void ours_make(ifd_arena *arena, const size *s, ours *o, times *t)
{
    o->A = matrix(arena, s);
    double start = now();
    if (ifd__solver_make(arena, &o->A, IFD__SOLVER_AUTO, &o->solver, NULL) != IFD_OK)
        abort();
    t->set_up = now() - start;
    if (ifd__sparse_pack(arena, &o->A) != IFD_OK)
        abort();
    size_t n = (size_t)o->A.n;
    double **vectors[] = {&o->b, &o->x, &o->y};
    for (int k = 0; k < 3; k++)
        *vectors[k] = ifd_arena_array(arena, n, sizeof(double));
    o->w = ifd_arena_array(arena, ifd__solver_work(o->solver), sizeof(double));
    uint64_t seed = 7;
    for (size_t i = 0; i < n; i++)
        o->b[i] = noise(&seed);
}

/* Relative difference of the solutions. */
static double difference(int n, const double *x, const double *y)
{
    double largest = 0.0, gap = 0.0;
    for (int i = 0; i < n; i++) {
        gap = fmax(gap, fabs(x[i] - y[i]));
        largest = fmax(largest, fabs(x[i]));
    }
    return gap / largest;
}

static void measure_ours(ours *o, int repeats, times *t)
{
    size_t bytes = (size_t)o->A.n * sizeof(double);
    ifd__solver_solve(o->solver, o->x, o->w);
    double start = now();
    for (int k = 0; k < repeats; k++) {
        memcpy(o->x, o->b, bytes);
        ifd__solver_solve(o->solver, o->x, o->w);
    }
    t->solve = fmin(t->solve, (now() - start) / repeats);
    start = now();
    for (int k = 0; k < 2 * repeats; k++) {
        memcpy(o->x, o->b, bytes);
        ifd__solver_solve(o->solver, o->x, o->w);
        ifd__sparse_mul_add(&o->A, 1.0, o->x, o->y);
    }
    t->step = fmin(t->step, (now() - start) / repeats);
}

/* Rounds alternate, so that a disturbance affects all of them; each has a warm-up before its clock starts. */
static void measure(ifd_arena *arena, ours *o, int repeats, times *t)
{
    ifd__solver_facts facts = ifd__solver_facts_of(o->solver);
    size_t room = ((size_t)facts.nonzeros + 31) & ~(size_t)31;
    double *array = ifd_arena_array(arena, room, sizeof *array), total = 0.0;
    rival rivals[RIVALS + 1];
    for (size_t i = 0; i < room; i++)
        array[i] = 1.0;
    for (int r = 0; r < RIVALS; r++)
        rival_open(arena, &o->A, r, &rivals[r]);
    t->solve = t->step = t->rival = (double)INFINITY;
    t->bandwidth = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        measure_ours(o, repeats, t);
        total += sum(room, array);
        double start = now();
        for (int k = 0; k < 2 * repeats; k++)
            total += sum(room, array);
        t->bandwidth = fmax(t->bandwidth, 2.0 * repeats * (double)room * 8.0 / (now() - start));
        for (int r = 0; r < RIVALS; r++) {
            rival_step(&rivals[r], o->b);
            start = now();
            for (int k = 0; k < repeats; k++)
                rival_step(&rivals[r], o->b);
            t->rival = fmin(t->rival, (now() - start) / repeats);
        }
    }
    t->difference = 0.0;
    for (int r = 0; r < RIVALS; r++) {
        t->difference = fmax(t->difference, difference(o->A.n, o->x, rival_solve(&rivals[r], o->b)));
        rival_close(&rivals[r]);
    }
    if (total != (2.0 * repeats + 1.0) * ROUNDS * (double)room)
        abort();
}

int main(void)
{
    int wrong = 0;
#ifdef OPENBLAS_VERSION
    openblas_set_num_threads(1); /* also for CHOLMOD: none may use a second core */
#endif
    printf("one step = 2 solves + 2 products; kernels: %s; bytes: 2 sweeps x true nonzeros x 8 per solve\n\n",
           ifd__kernels_best()->name);
    printf("%-14s %6s %9s %8s %9s %10s %7s %7s %6s %10s %10s %7s\n", "frame", "dofs", "nnz(L)", "padding",
           "set-up ms", "solve us", "GB/s", "read", "share", "step us", "CHOLMOD us", "ratio");
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        ifd_arena *arena = ifd_arena_open();
        ours o;
        times t;
        ours_make(arena, &sizes[c], &o, &t);
        ifd__solver_facts f = ifd__solver_facts_of(o.solver);
        int repeats = (int)(2e6 / (double)f.reads) + 1;
        measure(arena, &o, repeats, &t);
        double rate = 16.0 * (double)f.nonzeros / t.solve;
        printf("%-14s %6d %9ld %6.1f %% %9.2f %10.3f %7.1f %7.1f %4.0f %% %10.3f %10.3f %7.2f\n", sizes[c].name,
               o.A.n, f.nonzeros, 50.0 * (double)f.reads / (double)f.nonzeros - 100.0, t.set_up * 1e3, t.solve * 1e6,
               rate * 1e-9, t.bandwidth * 1e-9, 100.0 * rate / t.bandwidth, t.step * 1e6, t.rival * 1e6,
               t.rival / t.step);
        if (!(t.difference < 1e-11)) {
            printf("    the solutions differ by %.1e\n", t.difference);
            wrong = 1;
        }
        ifd_arena_close(arena);
    }
    return wrong;
}
