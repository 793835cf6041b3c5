/* SPDX-License-Identifier: MIT */
/* Tests with drives, controlled forces and channels allocate nothing from their first tick to their last. */
#include "check.h"

#include "alloc_count.h"

#include <interfield/case.h>

static void no_test_allocates(const char *file, int count, const char *const *sets)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c = NULL;
    ifd_hybrid *h = NULL;
    ifd_note_init(&note, arena);
    ifd_status status = ifd_case_read(arena, file, count, sets, &c, &note);
    if (status == IFD_OK)
        status = ifd_hybrid_make(arena, c->test, &h, &note);
    for (const ifd_finding *f = note.first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    ifd_ticked t = ifd_hybrid_ticked(h);
    ifd_run_state state = IFD_RUN_GOING;
    long ticks = 0;
    alloc_arm();
    while (state == IFD_RUN_GOING && ++ticks < 100000) {
        ifd_tick_in in = {.order = ticks == 1500   ? IFD_ORDER_HOLD
                                   : ticks == 2000 ? IFD_ORDER_RESUME
                                                   : IFD_ORDER_NONE};
        state = t.tick(t.self, &in);
    }
    long calls = alloc_disarm();
    assert_int_equal(calls, 0);
    assert_int_equal(ifd_hybrid_state(h), IFD_MACHINE_STOPPED);
    assert_true(ticks > 2000);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

TEST(a_block_between_three_actuators_allocates_nothing)
{
    const char *sets[] = {"time.end=2s", "test.limits=observe"}; /* large tracking error of a hold at full speed */
    no_test_allocates(IFD_SOURCE_DIR "/cases/three-actuators/block.yaml", 2, sets);
}

TEST(actuators_that_share_a_force_allocate_nothing)
{
    const char *sets[] = {"time.end=2s", "test.limits=observe", "drives.0.dofs={x: sway, y: heave}",
                          "drives.0.sharing={stiffness: 40 MN/m, limit: 5 mm}"};
    no_test_allocates(IFD_SOURCE_DIR "/cases/three-actuators/block.yaml", 4, sets);
}

TEST(a_column_under_mixed_control_with_channels_allocates_nothing)
{
    const char *sets[] = {"time.end=2s", "channels={stroke: {input: position 2, measures: position of jack, unit: "
                                         "mm, sensitivity: 25, range: [-60, 60]}, "
                                         "cell: {input: force 2, measures: force of jack, unit: kN}, top: {input: "
                                         "aux 3, twin: acceleration of side}}"};
    no_test_allocates(IFD_SOURCE_DIR "/cases/column-mixed/column.yaml", 2, sets);
}

TEST(copies_that_learn_from_a_specimen_allocate_nothing)
{
    const char *sets[] = {"time.end=3s", "test.ramp-in=0.5s", "test.limits=observe", "test.monitor=yes"};
    no_test_allocates(IFD_SOURCE_DIR "/cases/bridge/learning.yaml", 4, sets);
}

TEST(a_protocol_with_end_criteria_allocates_nothing)
{
    const char *sets[] = {"time.end=4s", "protocol.0.end-when={force-drop: 20 %, force: 100 kN, energy: 1 MJ}"};
    no_test_allocates(IFD_SOURCE_DIR "/cases/column-cycles/column.yaml", 2, sets);
}

TEST(a_monitor_that_acts_allocates_nothing)
{
    const char *sets[] = {"time.end=3s", "test.monitor={caution: retune, hold: note, passivity: damp, "
                                         "most-damping: 3 kN s/m, growth-frequency: 1.6 Hz, delay-margin: 4 ms}"};
    no_test_allocates(IFD_SOURCE_DIR "/cases/watched/loop.yaml", 2, sets);
}

TESTS()
