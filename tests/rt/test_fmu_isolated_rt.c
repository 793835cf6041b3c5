/* SPDX-License-Identifier: MIT */
/* A tick with an isolated FMU: set, save, step, restore, step, get. */
#include "check.h"

#include <interfield/fmu.h>

#include "alloc_count.h"
#include "foreign_fmu.h"
#include "scratch.h"

TEST(a_step_in_another_process_allocates_nothing_here)
{
    char folder[SCRATCH_PATH], file[200];
    const ifd_fmu_open_options o = {.isolated = true, .patience = 30};
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_fmu *f;
    ifd_note_init(&note, arena);
    assert_true(scratch_make(folder));
    assert_int_equal(foreign_fmu(folder, FOREIGN_CRASHES, file, sizeof file), 0);
    assert_int_equal(ifd_fmu_open_as(arena, file, &o, &f, &note), IFD_OK);
    assert_int_equal(ifd_fmu_begin(f, 0, &note), IFD_OK);
    const int u = ifd_fmu_find(f, "u"), y = ifd_fmu_find(f, "y");
    int wrong = 0, failed = 0;
    double in, out = 0;
    alloc_arm();
    for (int k = 0; k < 60; k++) { /* the fifty-first step ends its process: a failure allocates nothing either */
        in = 0.01 * k;
        bool good = ifd_fmu_set(f, 1, &u, &in) && ifd_fmu_save(f) && ifd_fmu_step(f, 1e-3 * k, 1e-3) &&
                    ifd_fmu_restore(f) && ifd_fmu_set(f, 1, &u, &in) && ifd_fmu_step(f, 1e-3 * k, 1e-3) &&
                    ifd_fmu_get(f, 1, &y, &out);
        wrong += good && out != 30.0 * in;
        failed += !good;
    }
    assert_int_equal(alloc_disarm(), 0);
    assert_int_equal(wrong, 0);
    assert_int_equal(failed, 10);
    ifd_arena_close(arena);
    assert_int_equal(scratch_remove(folder), 0);
}

TESTS()
