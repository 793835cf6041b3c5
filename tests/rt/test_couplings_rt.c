/* SPDX-License-Identifier: MIT */
/* No coupling allocates on a tick, on its thread or on its worker. */
#include "couple/rich.h"

#include <interfield/run.h>

#include "rt/alloc_count.h"

enum { CYCLES = 500 };

/* The run starts before the counter is armed: its worker already exists. */
static void count_ticks(cut *c, const char *what)
{
    ifd_run *r;
    ifd_note note;
    ifd_note_init(&note, c->arena);
    const ifd_run_options opt = {.couple = &c->opt, .end = CYCLES * c->opt.h, .what = IFD_RECORD_EVERYTHING};
    assert_ok(ifd_run_make(c->arena, &opt, &r, &note), &note);
    ifd_arena_seal(c->arena);
    long elsewhere = alloc_elsewhere();
    alloc_arm();
    ifd_run_state state;
    while ((state = ifd_run_tick(r)) == IFD_RUN_GOING) {
    }
    long calls = alloc_disarm();
    elsewhere = alloc_elsewhere() - elsewhere;
    ifd_run_close(r);
    if (calls || elsewhere)
        print_error("%s: %ld allocations on the tick, %ld on other threads\n", what, calls, elsewhere);
    assert_int_equal(state, IFD_RUN_DONE);
    assert_int_equal(calls, 0);
    assert_int_equal(elsewhere, 0);
}

static const char *const nonlinear[][2] = {
    {"staggered", "lsrt1"}, {"staggered", "lsrt2"}, {"parallel", "lsrt2"}, {"pg-alpha", "mg-alpha"}};

TEST(parts_with_every_element_take_no_memory)
{
    for (size_t i = 0; i < COUNT(nonlinear); i++)
        for (int threads = 1; threads <= (strcmp(nonlinear[i][0], "pg-alpha") == 0 ? 3 : 2); threads++) {
            ifd_arena *arena = ifd_arena_open();
            count_ticks(rich_cut(arena, nonlinear[i][0], nonlinear[i][1], threads), nonlinear[i][0]);
            ifd_arena_close(arena);
        }
}

TEST(drift_control_takes_no_memory)
{
    const ifd_constraint_drift drift[] = {IFD_DRIFT_FEEDBACK, IFD_DRIFT_PROJECT};
    for (size_t i = 0; i < COUNT(nonlinear); i++)
        for (size_t d = 0; d < COUNT(drift); d++) {
            ifd_arena *arena = ifd_arena_open();
            cut *c = rich_cut(arena, nonlinear[i][0], nonlinear[i][1], 2);
            c->opt.drift = drift[d];
            /* projection requires gamma plus */
            for (int p = 0; p < c->opt.parts && strcmp(nonlinear[i][1], "lsrt2") == 0; p++)
                assert_true(ifd_step_options_set(&c->part[p].step, "gamma", ifd_word("plus")));
            if (strcmp(nonlinear[i][0], "pg-alpha") != 0 || drift[d] != IFD_DRIFT_FEEDBACK)
                count_ticks(c, nonlinear[i][0]);
            ifd_arena_close(arena);
        }
}

TEST(couplings_for_comparison_take_no_memory)
{
    const char *coupling[] = {"midpoint", "gc", "ph"};
    for (size_t i = 0; i < COUNT(coupling); i++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_step_options step = options("newmark", 0.01, NULL);
        count_ticks(split_mass(arena, coupling[i], 0.5, 1.0, 0.01, 10, &step), coupling[i]);
        ifd_arena_close(arena);
    }
}

TESTS()
