/* SPDX-License-Identifier: MIT */
/* A complete LSRT2 step of a linear frame compared with other programs, h = 1 ms, in one run: a plain program on
 * CHOLMOD, SUNDIALS ARKODE, PETSc TSROSW. On large frames only CHOLMOD is included.
 *
 *     bench_rivals [ROUNDS]      11
 *
 * Rounds of all programs alternate, so that a disturbance affects all of them; the best round of each counts. */
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <interfield/method.h>
#include <interfield/structures.h>

#include "measure.h"
#include "model/model.h"
#include "rivals/rivals.h"

enum { MOST = 8, CHECKED = 100 };

typedef struct size {
    bool planar;
    int bays_x, bays_y, storeys, steps;
} size;

static const size sizes[] = {
    {true, 3, 0, 10, 4000}, {false, 4, 4, 10, 100}, {false, 7, 7, 13, 20}, {false, 12, 12, 20, 4}};

/* One program; the first two are this library, with both gammas. */
typedef struct entry {
    const rival *rival; /* NULL: this library */
    void *self;
    ifd_stepper *stepper;
    double *x;
    double best, difference;
} entry;

static void need(bool good)
{
    if (!good)
        abort();
}

static ifd_model *frame_model(ifd_arena *arena, const size *s)
{
    ifd_grid grid;
    ifd_frame frame;
    ifd_builder *b = ifd_builder_make(arena);
    ifd_model *m;
    ifd_grid_defaults(&grid);
    grid.planar = s->planar;
    grid.bays_x = s->bays_x;
    grid.bays_y = s->bays_y;
    grid.storeys = s->storeys;
    grid.column = ifd_section_rectangle(0.5, 0.5);
    grid.beam = ifd_section_rectangle(0.3, 0.6);
    need(b && ifd_frame_grid(arena, &grid, &frame, NULL) == IFD_OK && ifd_builder_frame(b, &frame, NULL) == IFD_OK);
    for (int i = 0; i < ifd_builder_dofs(b); i++)
        ifd_builder_initial(b, i, 1e-3 * sin(1.0 + i), 0.1 * cos(2.0 * i));
    need(ifd_model_make(arena, b, &m, NULL) == IFD_OK);
    return m;
}

/* Both triangles of A. */
static ifd_sparse whole(ifd_arena *arena, const ifd_sparse *A)
{
    ifd_sparse none, out = {0};
    need(ifd__sparse_make(arena, A->n, &(ifd__triplets){0}, false, &none) == IFD_OK &&
         ifd__sparse_add(arena, 1.0, A, 1.0, &none, &out) == IFD_OK);
    return out;
}

static void open_ours(ifd_arena *arena, const ifd_model *m, double h, const char *gamma, entry *e)
{
    ifd_step_options o;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), h, &o);
    need(ifd_step_options_set(&o, "gamma", ifd_word(gamma)));
    need(ifd_stepper_make(arena, &o, m, &e->stepper, NULL) == IFD_OK);
    e->x = ifd_arena_array(arena, (size_t)ifd_stepper_size(e->stepper), sizeof *e->x);
    ifd_stepper_initial(e->stepper, e->x);
    ifd_stepper_start(e->stepper, 0.0, NULL, e->x);
}

static int open_rivals(const problem *p, bool large, entry *e)
{
    const rival *const lists[] = {cholmod_rivals, arkode_rivals, petsc_rivals};
    int count = 0;
    for (int l = 0; l < 3; l++)
        for (const rival *r = lists[l]; r->name; r++)
            if (r->large || !large)
                e[count++] = (entry){.rival = r, .self = r->open(r, p)};
    return count;
}

static void run(entry *e, int steps)
{
    if (e->rival)
        e->rival->steps(e->self, steps);
    else
        for (int k = 0; k < steps; k++)
            for (int i = 0; i < 2; i++)
                ifd_stepper_stage(e->stepper, i, 1e-3 * k, NULL, e->x);
}

/* Largest difference of the displacements, relative to the largest of this library with the same gamma. */
static double difference(int n, const double *ours, const entry *e, double *u)
{
    double gap = 0.0, largest = 0.0;
    e->rival->state(e->self, u);
    for (int i = 0; i < n; i++) {
        gap = fmax(gap, fabs(u[i] - ours[i]));
        largest = fmax(largest, fabs(ours[i]));
    }
    return gap / largest;
}

/* Both start from the same state and must agree after several steps. */
static void check(int n, int count, entry *e)
{
    double *u = malloc((size_t)n * sizeof *u);
    need(u);
    for (int k = 0; k < count; k++)
        run(&e[k], CHECKED);
    for (int k = 2; k < count; k++)
        e[k].difference = difference(n, e[e[k].rival->plus].x, &e[k], u);
    free(u);
}

static void measure(int count, entry *e, int rounds, int steps)
{
    for (int k = 0; k < count; k++)
        e[k].best = (double)INFINITY;
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < count; k++) {
            run(&e[k], 1 + steps / 20);
            double start = now();
            run(&e[k], steps);
            e[k].best = fmin(e[k].best, (now() - start) / steps);
        }
}

static bool print(int n, int count, const entry *e)
{
    bool good = true;
    for (int k = 0; k < count; k++) {
        const rival *r = e[k].rival;
        const char *name = r ? r->name : k == 0 ? "interfield, LSRT2 gamma minus" : "interfield, LSRT2 gamma plus";
        printf("%7d  %-30s %12.0f", n, name, 1e9 * e[k].best);
        if (!r) {
            printf("\n");
            continue;
        }
        printf(" %8.2f %10.0e\n", e[k].best / e[r->plus].best, e[k].difference);
        good = good && e[k].difference < 1e-9;
    }
    return good;
}

static bool compare(const size *s, bool large, int rounds)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_model *m = frame_model(arena, s);
    problem p = {.n = m->n, .h = 1e-3, .M = whole(arena, &m->M), .K = whole(arena, &m->K), .u = m->u0, .v = m->v0};
    double c = GAMMA_MINUS * p.h;
    entry e[MOST] = {0};
    need(ifd__sparse_add(arena, 1.0, &m->M, c * c, &m->K, &p.S) == IFD_OK);
    open_ours(arena, m, p.h, "minus", &e[0]);
    open_ours(arena, m, p.h, "plus", &e[1]);
    int count = 2 + open_rivals(&p, large, e + 2);
    check(p.n, count, e);
    measure(count, e, rounds, s->steps);
    bool good = print(p.n, count, e);
    for (int k = 2; k < count; k++)
        e[k].rival->close(e[k].self);
    ifd_arena_close(arena);
    return good;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 11, wrong = 0;
#ifdef OPENBLAS_VERSION
    openblas_set_num_threads(1); /* also for the other programs: none may use a second core */
#endif
    printf("free vibration of linear frames, h = 1 ms; ratio: to interfield with the same gamma; difference: of the "
           "displacements after %d steps\n\n%7s  %-30s %12s %8s %10s\n",
           CHECKED, "dofs", "program", "ns per step", "ratio", "difference");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        wrong += !compare(&sizes[k], k > 0, rounds);
    if (wrong)
        printf("the programs do not agree\n");
    return wrong > 0;
}
