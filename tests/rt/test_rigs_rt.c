/* SPDX-License-Identifier: MIT */
/* A test with three rigs, one of them equalised, allocates nothing from its first tick to its last. */
#include "check.h"

#include "alloc_count.h"

#include <interfield/case.h>

TEST(several_rigs_allocate_nothing)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c = NULL;
    ifd_hybrid *h = NULL;
    ifd_note_init(&note, arena);
    const char *set[] = {"test.rigs.1.equalise=6ms", "test.allow-resume=yes", "specimen.1.limits.energy=none"};
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/tests/several/three.yaml", 3, set, &c, &note), IFD_OK);
    assert_int_equal(ifd_hybrid_make(arena, c->test, &h, &note), IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(h);
    ifd_run_state last = IFD_RUN_GOING;
    long ticks = 0;
    alloc_arm();
    while (last == IFD_RUN_GOING && ++ticks < 20000) {
        ifd_tick_in in = {.order = ticks == 300 ? IFD_ORDER_HOLD : ticks == 400 ? IFD_ORDER_RESUME : IFD_ORDER_NONE};
        last = t.tick(t.self, &in);
    }
    assert_int_equal(alloc_disarm(), 0);
    assert_true(ticks > 500);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

TESTS()
