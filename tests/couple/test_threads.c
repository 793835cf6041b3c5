/* SPDX-License-Identifier: MIT */
/* Several threads give the bits of one. This program is also what the race detector watches. */
#include "couple/rich.h"

#include <cblas.h>
#include <fenv.h>
#include <pthread.h>

#include <interfield/run.h>

#include "couple/worker.h"

/* 100 runs of 12 cycles on two threads, 20 beside a sanitizer, against one run on one thread. */
static void threads_give_the_same_bits(const char *coupling, const char *method)
{
    ifd_arena *arena = ifd_arena_open();
    cut *c = rich_cut(arena, coupling, method, 1);
    running one = cut_start(c);
    cut_cycles(&one, 12);
    c->opt.threads = 2;
    assert_int_equal((int)one.x[one.c->fault], IFD_STEP_OK);
    for (int run = 0; run < (BRIEF ? 20 : 100); run++) {
        ifd_arena *own = ifd_arena_open();
        c->arena = own; /* the models are shared: they never change */
        running two = cut_start(c);
        cut_cycles(&two, 12);
        assert_int_equal(two.c->size, one.c->size);
        assert_memory_equal(two.x, one.x, sizeof(double) * (size_t)one.c->size);
        if (run % 2) /* the arena closes what is still open */
            ifd__coupled_close(two.c);
        ifd_arena_close(own);
    }
    /* Also in another floating-point environment than the worker was born with. */
    running two = cut_start(rich_cut(arena, coupling, method, 2));
    one = cut_start(rich_cut(arena, coupling, method, 1));
    assert_int_equal(fesetround(FE_DOWNWARD), 0);
    cut_cycles(&one, 12);
    cut_cycles(&two, 12);
    assert_int_equal(fesetround(FE_TONEAREST), 0);
    assert_memory_equal(two.x, one.x, sizeof(double) * (size_t)one.c->size);
    ifd_arena_close(arena);
}

TEST_IN_ARENA(parallel_gives_the_bits_of_one_thread)
{
    threads_give_the_same_bits("parallel", "lsrt2");
}

TEST_IN_ARENA(pg_alpha_gives_the_bits_of_one_thread)
{
    threads_give_the_same_bits("pg-alpha", "mg-alpha");
}

/* Eight substructures in a row on one to eight threads. */
TEST_IN_ARENA(any_number_of_threads_gives_the_bits_of_one)
{
    ifd_arena *arena = ifd_arena_open();
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    double *first = NULL;
    for (int threads = 1; threads <= 8; threads++) {
        cut *c = cut_make(arena, "pg-alpha", 0.004);
        for (int p = 0; p < PARTS; p++)
            cut_part(c, names[p], made(arena, everything_builder(arena, 5 + p % 3)), options("mg-alpha", 0.004, NULL),
                     1 + p % 4);
        for (int p = 0; p < PARTS - 1; p++)
            cut_joint(c, names[p], p, 4, p + 1, 1);
        c->opt.project_start = true;
        c->opt.threads = threads;
        running r = cut_start(c);
        assert_int_equal(r.c->workers, threads - 1);
        cut_cycles(&r, BRIEF ? 15 : 60);
        assert_int_equal((int)r.x[r.c->fault], IFD_STEP_OK);
        if (first)
            assert_memory_equal(r.x, first, sizeof(double) * (size_t)r.c->size);
        else
            first = r.x;
        ifd__coupled_close(r.c);
    }
    ifd_arena_close(arena);
}

/* The record is made while no job is away. */
TEST_IN_ARENA(a_run_publishes_between_jobs)
{
    const char *all[][2] = {{"parallel", "lsrt2"}, {"pg-alpha", "mg-alpha"}};
    for (size_t i = 0; i < COUNT(all); i++) {
        double *end[2] = {NULL, NULL};
        int count = 0;
        for (int threads = 1; threads <= 2; threads++) {
            cut *c = rich_cut(*state, all[i][0], all[i][1], threads);
            ifd_run *r;
            const ifd_run_options opt = {.couple = &c->opt, .end = 100 * c->opt.h, .what = IFD_RECORD_EVERYTHING};
            assert_int_equal(ifd_run_make(*state, &opt, &r, NULL), IFD_OK);
            while (ifd_run_tick(r) == IFD_RUN_GOING) {
            }
            assert_int_equal(ifd_run_fault(r).fault, IFD_FAULT_NONE);
            end[threads - 1] = ifd_run_save_area(r, &count);
            ifd_run_close(r);
        }
        assert_memory_equal(end[0], end[1], sizeof(double) * (size_t)count);
    }
}

static void *tick_elsewhere(void *argument)
{
    running *r = argument;
    cpu_set_t allowed, one;
    size_t last = CPU_SETSIZE - 1;
    if (pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) == 0) {
        while (!CPU_ISSET(last, &allowed))
            last--;
        CPU_ZERO(&one);
        CPU_SET(last, &one); /* where the worker would go by itself */
        pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    }
    cut_cycles(r, 12);
    return NULL;
}

/* Made on one thread, ticked on another that is pinned, closed by the first: as an executor does. */
TEST_IN_ARENA(a_coupling_may_be_ticked_by_another_thread_than_made_it)
{
    const char *all[][2] = {{"parallel", "lsrt2"}, {"pg-alpha", "mg-alpha"}};
    for (size_t i = 0; i < COUNT(all); i++) {
        running one = cut_start(rich_cut(*state, all[i][0], all[i][1], 1));
        running two = cut_start(rich_cut(*state, all[i][0], all[i][1], 2));
        pthread_t thread;
        cut_cycles(&one, 12);
        assert_int_equal(pthread_create(&thread, NULL, tick_elsewhere, &two), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_memory_equal(two.x, one.x, sizeof(double) * (size_t)one.c->size);
    }
}

static void nothing(void *argument)
{
    (void)argument;
}

/* Threads of BLAS would wait actively on the cores of a tick. */
TEST_IN_ARENA(blas_has_one_thread_beside_a_worker)
{
    ifd__worker *w;
#ifdef OPENBLAS_VERSION
    openblas_set_num_threads(2);
#endif
    assert_int_equal(ifd__worker_open(*state, 1, nothing, NULL, &w), IFD_OK);
#ifdef OPENBLAS_VERSION
    assert_int_equal(openblas_get_num_threads(), 1);
#endif
}

TESTS()
