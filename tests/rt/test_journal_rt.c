/* SPDX-License-Identifier: MIT */
/* Passing a record to the journal allocates nothing, nor does dropping it when the disk stalls. */
#include "check.h"

#include "alloc_count.h"

#include <semaphore.h>

#include "record/journal/journal.h"
#include "scratch.h"

static sem_t reached, go;

static void hold(void *self)
{
    (void)self;
    sem_post(&reached);
    sem_wait(&go);
    sem_post(&go);
}

TEST(adding_and_dropping_take_no_memory)
{
    char folder[SCRATCH_PATH], path[SCRATCH_PATH + 8];
    static const ifd_column column[] = {{.name = "x", .unit = "m", .group = "displacement", .owner = ""}};
    const ifd_journal_facts f = {.version = "0",
                                 .kernels = "plain",
                                 .cpu = "any",
                                 .started = "now",
                                 .period = 1e-3,
                                 .sensed = 1,
                                 .columns = 1,
                                 .column = column,
                                 .bundle = ""};
    const ifd_journal_options o = {.queue = 0.1};
    ifd_arena *arena = ifd_arena_open();
    ifd_journal *j;
    double x = 1.0;
    ifd_tick_trace trace = {0};
    ifd_tick_record r = {.tick = 1, .values = &x, .trace = &trace};
    assert_true(scratch_make(folder));
    snprintf(path, sizeof path, "%s/j", folder);
    sem_init(&reached, 0, 0);
    sem_init(&go, 0, 0);
    assert_int_equal(ifd_journal_open(arena, path, &f, &o, &j, NULL), IFD_OK);
    ifd__journal_hook_set(j, (ifd__journal_hook){hold, NULL});
    ifd_journal_add(j, &r);
    sem_wait(&reached);
    alloc_arm();
    for (; r.tick < 2000; r.tick++)
        ifd_journal_add(j, &r);
    long calls = alloc_disarm();
    assert_true(ifd_journal_dropped(j) > 1000);
    sem_post(&go);
    assert_int_equal(ifd_journal_close(j, NULL, NULL), IFD_OK);
    ifd_arena_close(arena);
    assert_int_equal(scratch_remove(folder), 0);
    assert_int_equal(calls, 0);
}

TESTS()
