/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Solutions that several threads share: the bits of one thread, after a late thread and from two callers as well. */
#include "check.h"

#include <cblas.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "algebra/crew.h"
#include "algebra/kernels.h"
#include "algebra/matrices.h"
#include "algebra/solver_parts.h"

typedef struct scene {
    ifd_arena *arena;
    ifd_sparse A;
    ifd_solver *alone, *shared;
    double *b, *x, *y, *w, *w2;
} scene;

/* Without threads only the solver of one thread. */
static void make_of(scene *s, const int size[3], int threads, const ifd__kernels *kernels)
{
    uint64_t seed = 61;
    s->arena = ifd_arena_open();
    s->A = matrix_frame(s->arena, &seed, size, 6);
    assert_int_equal(ifd__solver_make_with(s->arena, &s->A, IFD__SOLVER_SPARSE, kernels, &s->alone, NULL), IFD_OK);
    if (threads) {
        assert_int_equal(ifd__solver_make_with(s->arena, &s->A, IFD__SOLVER_SPARSE, kernels, &s->shared, NULL),
                         IFD_OK);
        assert_int_equal(ifd__solver_share(s->arena, s->shared, threads), IFD_OK);
        assert_int_equal(ifd__solver_facts_of(s->shared).threads, threads);
    }
    size_t n = (size_t)s->A.n, work = ifd__solver_work(s->alone);
    double **vectors[] = {&s->b, &s->x, &s->y};
    for (int k = 0; k < 3; k++)
        *vectors[k] = ifd_arena_array(s->arena, n, sizeof(double));
    s->w = ifd_arena_array(s->arena, work, sizeof(double));
    s->w2 = ifd_arena_array(s->arena, work, sizeof(double));
    matrix_random_vector(&seed, s->A.n, s->b);
    memcpy(s->y, s->b, n * sizeof(double));
    ifd__solver_solve(s->alone, s->y, s->w);
}

static void make(scene *s, int threads, const ifd__kernels *kernels)
{
    make_of(s, BRIEF ? (const int[]){8, 8, 10} : (const int[]){8, 8, 14}, threads, kernels);
}

static void check_once(scene *s)
{
    size_t bytes = (size_t)s->A.n * sizeof(double);
    memcpy(s->x, s->b, bytes);
    ifd__solver_solve(s->shared, s->x, s->w);
    assert_memory_equal(s->x, s->y, bytes);
}

TEST(shared_solutions_have_the_bits_of_one_thread)
{
    static const char *const names[] = {"plain", "avx2", "avx512"};
    for (size_t k = 0; k < (BRIEF ? 1 : COUNT(names)); k++) { /* the threads meet at the same places with each */
        const ifd__kernels *kernels = BRIEF ? ifd__kernels_best() : ifd__kernels_pick(names[k]);
        for (int threads = 2; threads <= 4 && kernels; threads += BRIEF ? 2 : 1) {
            scene s;
            make(&s, threads, kernels);
            assert_near(matrix_backward_error(&s.A, s.y, s.b), 0.0, 1e-14, "backward error, %s", names[k]);
            for (int round = 0; round < (BRIEF ? 10 : 30); round++)
                check_once(&s);
            ifd_arena_close(s.arena);
        }
    }
}

/* Its threads share the panels above the parts. */
TEST(a_factor_beyond_the_cache_has_the_bits_of_one_thread)
{
    if (BRIEF)
        skip(); /* the one whose thread does not return its rows takes the same ways after that */
    scene s;
    make_of(&s, (const int[]){12, 12, 18}, 0, ifd__kernels_best());
    assert_true(ifd__solver_facts_of(s.alone).stored > 3000000);
    ifd__crew *crew;
    size_t bytes = (size_t)s.A.n * sizeof(double);
    assert_int_equal(ifd__crew_open(s.arena, s.alone, 2, &crew), IFD_OK);
    bool done = false;
    for (int round = 0; round < 300 && !done; round++) { /* a busy machine may be late with a part */
        memcpy(s.x, s.b, bytes);
        done = ifd__crew_solve(crew, s.x);
    }
    assert_true(done);
    assert_memory_equal(s.x, s.y, bytes);
    ifd_arena_close(s.arena);
}

/* Every panel of a factor, by rows forward and by columns backward, its views in falling order. */
TEST(views_of_panels_have_the_bits_of_whole_panels)
{
    static const char *const names[] = {"plain", "avx2", "avx512"};
    for (size_t k = 0; k < COUNT(names); k++) {
        const ifd__kernels *kernels = ifd__kernels_pick(names[k]);
        scene s;
        if (!kernels)
            continue;
        make_of(&s, BRIEF ? (const int[]){4, 4, 6} : (const int[]){8, 8, 14}, 0, kernels);
        const ifd__panels *P = &s.alone->panels;
        size_t bytes = (size_t)P->n * sizeof(double);
        double *x = s.w, *z = ifd__solver_z(s.alone, s.w), *y = s.w2, *v = ifd__solver_z(s.alone, s.w2);
        for (int p = 0, parts = 1; p < P->count; p++, parts = parts % 8 + 1) {
            ifd__panels whole = *P, view;
            ifd__panel J;
            whole.panel += p;
            whole.count = 1;
            memcpy(x, s.b, bytes);
            memcpy(y, s.b, bytes);
            ifd__sweep_forward(kernels, &whole, x, z);
            for (int i = parts - 1; i >= 0; i--) {
                ifd__view_rows(P, p, (const int[]){i, parts}, &J, &view);
                ifd__sweep_forward(kernels, &view, y, v);
            }
            assert_memory_equal(x, y, bytes);
            assert_memory_equal(z + J.first, v + J.first, sizeof(double) * (size_t)P->panel[p].width);
            ifd__sweep_backward(kernels, &whole, x);
            for (int i = parts - 1; i >= 0; i--) {
                ifd__view_columns(P, p, (const int[]){i, parts}, &J, &view);
                ifd__sweep_backward(kernels, &view, y);
            }
            assert_memory_equal(x, y, bytes);
        }
        ifd_arena_close(s.arena);
    }
}

/* Threads of BLAS would wait actively on the cores of a tick. */
TEST(blas_has_one_thread_beside_a_crew)
{
    scene s;
#ifdef OPENBLAS_VERSION
    openblas_set_num_threads(2);
#endif
    make(&s, 2, ifd__kernels_best());
#ifdef OPENBLAS_VERSION
    assert_int_equal(openblas_get_num_threads(), 1);
#endif
    ifd_arena_close(s.arena);
}

/* Halves in every order; between them they leave the same y and z. */
TEST(halves_have_the_bits_of_one_thread)
{
    scene s;
    make(&s, 2, ifd__kernels_best());
    size_t bytes = (size_t)s.A.n * sizeof(double);
    for (int round = 0; round < 20; round++) {
        ifd__solver_forward(s.alone, s.b, s.w);
        ifd__solver_forward(s.shared, s.b, s.w2);
        assert_memory_equal(ifd__solver_y(s.alone, s.w), ifd__solver_y(s.shared, s.w2), bytes);
        assert_memory_equal(ifd__solver_z(s.alone, s.w), ifd__solver_z(s.shared, s.w2), bytes);
        if (round % 3 == 0)
            continue;
        ifd__solver_backward(s.shared, s.w2, s.x);
        if (round % 3 == 1) {
            ifd__solver_forward(s.shared, s.b, s.w2);
            ifd__solver_backward(s.shared, s.w2, s.x);
        }
        assert_memory_equal(s.x, s.y, bytes);
    }
    ifd_arena_close(s.arena);
}

typedef struct gate {
    atomic_int held, open, pass;
} gate;

/* Holds every thread but the caller with its task until the gate opens, after so many tasks that pass. */
static void hold(void *what, int thread)
{
    gate *g = what;
    if (!thread || atomic_fetch_sub(&g->pass, 1) > 0)
        return;
    atomic_store(&g->held, 1);
    while (!atomic_load(&g->open))
        sched_yield();
}

static void check_held(const int size[3], int pass)
{
    scene s;
    gate g = {.pass = pass};
    ifd__crew *crew;
    make_of(&s, size, 0, ifd__kernels_best());
    assert_int_equal(ifd__crew_open(s.arena, s.alone, 2, &crew), IFD_OK);
    ifd__crew_on_part(crew, hold, &g, 0.01);
    size_t bytes = (size_t)s.A.n * sizeof(double);
    while (!atomic_load(&g.held)) { /* until the other thread has a task */
        memcpy(s.x, s.b, bytes);
        if (ifd__crew_solve(crew, s.x))
            assert_memory_equal(s.x, s.y, bytes);
        else
            assert_memory_equal(s.x, s.b, bytes);
    }
    assert_true(ifd__crew_given_up(crew) >= 1); /* on a busy machine, an earlier one too */
    memcpy(s.x, s.b, bytes);
    assert_false(ifd__crew_solve(crew, s.x)); /* its task is still out */
    assert_memory_equal(s.x, s.b, bytes);
    atomic_store(&g.open, 1);
    for (bool again = false; !again;) {
        memcpy(s.x, s.b, bytes);
        again = ifd__crew_solve(crew, s.x);
    }
    assert_memory_equal(s.x, s.y, bytes);
    ifd_arena_close(s.arena);
}

TEST(a_thread_that_does_not_return_its_part_is_replaced_by_the_caller)
{
    check_held(BRIEF ? (const int[]){8, 8, 10} : (const int[]){8, 8, 14}, 0);
}

/* The other thread has at most 16 parts in a solution. */
TEST(a_thread_that_does_not_return_its_rows_is_replaced_by_the_caller)
{
    check_held((const int[]){12, 12, 18}, 20);
}

static void *other_caller(void *argument)
{
    scene *s = argument;
    size_t n = (size_t)s->A.n, work = ifd__solver_work(s->shared);
    ifd_arena *arena = ifd_arena_open();
    double *x = ifd_arena_array(arena, n, sizeof *x), *w = ifd_arena_array(arena, work, sizeof *w);
    bool same = true;
    for (int round = 0; round < (BRIEF ? 15 : 50); round++) {
        memcpy(x, s->b, n * sizeof *x);
        ifd__solver_solve(s->shared, x, w);
        same = same && memcmp(x, s->y, n * sizeof *x) == 0;
    }
    ifd_arena_close(arena);
    return same ? s : NULL;
}

TEST(two_callers_do_not_disturb_each_other)
{
    scene s;
    pthread_t thread;
    void *result;
    make(&s, 2, ifd__kernels_best());
    assert_int_equal(pthread_create(&thread, NULL, other_caller, &s), 0);
    for (int round = 0; round < (BRIEF ? 15 : 50); round++)
        check_once(&s);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &s);
    ifd_arena_close(s.arena);
}

TEST(a_small_factor_is_not_shared)
{
    uint64_t seed = 62;
    ifd_arena *arena = ifd_arena_open();
    ifd_sparse A = matrix_frame(arena, &seed, (const int[]){4, 4, 6}, 6);
    ifd_solver *s;
    assert_int_equal(ifd__solver_make(arena, &A, IFD__SOLVER_AUTO, &s, NULL), IFD_OK);
    assert_int_equal(ifd__solver_share(arena, s, 4), IFD_OK);
    assert_int_equal(ifd__solver_facts_of(s).threads, 1);
    ifd_arena_close(arena);
}

TESTS()
