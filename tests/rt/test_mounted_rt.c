/* SPDX-License-Identifier: MIT */
/* Models on the rig, mass on the rig, specimens that follow and members of frames take no memory in a tick. */
#include "check.h"

#include <interfield/case.h>

#include "rt/alloc_count.h"

static const struct {
    const char *path, *set;
} cases[] = {
    {"spring-pendulum-rig/rig", "time.end=1 s"},
    {"two-dof-rig/rig", "specimen.0.mass-on-rig.handled=taken-out"},
    {"rts-rig/rig", "time.end=1 s"},
    {"rts-rig/start", "time.end=1 s"},
    {"rts-building/walls", "time.end=1 s"},
    {"carried-damper/rig", "time.end=1 s"},
    {"shake-table/rig", "time.end=1 s"},
    {"../tests/hybrid/mounted-moved", "time.end=1 s"},
    {"../tests/hybrid/frame-moved", "record=all"},
};

TEST(no_such_case_takes_memory)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        ifd_arena *arena = ifd_arena_open();
        char path[512];
        ifd_note note;
        ifd_case *c = NULL;
        ifd_hybrid *h = NULL;
        ifd_note_init(&note, arena);
        snprintf(path, sizeof path, "%s/cases/%s.yaml", IFD_SOURCE_DIR, cases[i].path);
        assert_int_equal(ifd_case_read(arena, path, 1, &cases[i].set, &c, &note), IFD_OK);
        assert_int_equal(ifd_hybrid_make(arena, c->test, &h, &note), IFD_OK);
        ifd_ticked t = ifd_hybrid_ticked(h);
        ifd_arena_seal(arena);
        ifd_run_state s = IFD_RUN_GOING;
        alloc_arm();
        for (long k = 0; s == IFD_RUN_GOING && k < 1000000; k++)
            s = t.tick(t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
        long calls = alloc_disarm();
        if (calls)
            print_error("%s: %ld calls\n", cases[i].path, calls);
        assert_int_equal(s, IFD_RUN_DONE);
        assert_int_equal(calls, 0);
        ifd_hybrid_close(h);
        ifd_arena_close(arena);
    }
}

TESTS()
