/* SPDX-License-Identifier: MIT */
/* Parts with every kind of element, on one thread and on two. */
#ifndef TESTS_COUPLE_THREADS_H
#define TESTS_COUPLE_THREADS_H

#include "couple/fixtures.h"

#include <fenv.h>

/* Three parts that hold everything, the first one coarse; two joint rows. */
UNUSED static cut *rich_cut(ifd_arena *arena, const char *coupling, const char *method, int threads)
{
    cut *c = cut_make(arena, coupling, 0.004);
    const char *names[] = {"coarse", "fine", "finer"};
    const int ss[] = {1, 2, 4};
    for (int p = 0; p < 3; p++)
        cut_part(c, names[p], made(arena, everything_builder(arena, 5 + p)), options(method, 0.004, NULL), ss[p]);
    c->part[0].coarse = true;
    cut_joint(c, "first", 0, 4, 1, 1);
    cut_joint(c, "second", 1, 4, 2, 0);
    c->opt.project_start = true;
    c->opt.threads = threads;
    return c;
}

/* 100 runs of 40 cycles on two threads, against one run on one thread. */
UNUSED static void threads_give_the_same_bits(const char *coupling, const char *method)
{
    ifd_arena *arena = ifd_arena_open();
    running one = cut_start(rich_cut(arena, coupling, method, 1));
    cut_cycles(&one, 40);
    assert_int_equal((int)one.x[one.c->fault], IFD_STEP_OK);
    for (int run = 0; run < 100; run++) {
        ifd_arena *own = ifd_arena_open();
        running two = cut_start(rich_cut(own, coupling, method, 2));
        cut_cycles(&two, 40);
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
    cut_cycles(&one, 40);
    cut_cycles(&two, 40);
    assert_int_equal(fesetround(FE_TONEAREST), 0);
    assert_memory_equal(two.x, one.x, sizeof(double) * (size_t)one.c->size);
    ifd_arena_close(arena);
}

#endif
