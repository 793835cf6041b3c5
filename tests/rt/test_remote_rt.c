/* SPDX-License-Identifier: MIT */
/* A test with a remote master allocates nothing, with targets in time or late. */
#include "check.h"

#include "alloc_count.h"

#include <interfield/case.h>

TEST(following_a_master_takes_no_memory)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = NULL;
    ifd_hybrid *h = NULL;
    ifd_remote_answer answer = {0};
    ifd_remote_target target = {.number = 1};
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/opensees/sdof.yaml", 0, NULL, &c, NULL), IFD_OK);
    assert_int_equal(
        ifd_remote_make(arena, &(ifd_remote_options){.dofs = 1, .order = 3, .paced = true}, &c->test->remote, NULL),
        IFD_OK);
    assert_int_equal(ifd_hybrid_make(arena, c->test, &h, NULL), IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(h);
    ifd_run_state going = IFD_RUN_GOING;
    long ticks = 0, spoken = 0;
    alloc_arm();
    (void)ifd_remote_say(c->test->remote, &target);
    for (; going == IFD_RUN_GOING && ticks < 100000; ticks++) {
        ifd_order order = ticks == 4000 ? IFD_ORDER_HOLD : ticks == 4500 ? IFD_ORDER_RESUME : IFD_ORDER_NONE;
        going = t.tick(t.self, &(ifd_tick_in){.order = order});
        if (ifd_remote_hear(c->test->remote, &answer) && !answer.over)
            spoken = ticks + (long)(target.number % 20); /* occasionally too late */
        if (spoken == ticks && answer.number == target.number) {
            target.number++;
            target.step = 1;
            target.kind = target.number > 300 ? IFD_REMOTE_END : IFD_REMOTE_TARGET;
            target.u[0] = 0.05 * sin(0.1 * (double)target.number);
            (void)ifd_remote_say(c->test->remote, &target);
        }
    }
    long calls = alloc_disarm();
    assert_int_equal(calls, 0);
    assert_int_equal(going, IFD_RUN_DONE);
    assert_true(ifd_hybrid_count(h, IFD_TRIP_MASTER_LATE) > 50);
    assert_int_equal(ifd_hybrid_count(h, IFD_TRIP_GOVERNED), 0);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

TESTS()
