/* SPDX-License-Identifier: MIT */
/* The counts of a journal: ticks that were executed, recorded, intentionally omitted and lost, wherever that was, and
 * those that are there while it is written. */
#include "check.h"

#include <semaphore.h>
#include <unistd.h>

#include "files.h"
#include "record/journal/journal.h"
#include "ticks.h"

static ifd_arena *arena;
static ifd_note note;
static char path[512];

static int begin(void **state)
{
    (void)state;
    arena = ifd_arena_open();
    ifd_note_init(&note, arena);
    snprintf(path, sizeof path, "%s", files_path("result.journal"));
    unlink(path);
    return 0;
}

static int end(void **state)
{
    (void)state;
    ifd_arena_close(arena);
    unlink(path);
    return 0;
}

static ifd_journal *open_journal(const ifd_journal_options *o)
{
    ifd_journal_facts f = ticks_facts(1e-3);
    ifd_journal *j = NULL;
    assert_int_equal(ifd_journal_open(arena, path, &f, o, &j, &note), IFD_OK);
    return j;
}

static ifd_journal_reader *reader_of(ifd_arena *a)
{
    ifd_journal_reader *r = NULL;
    assert_int_equal(ifd_journal_read(a, path, &r, &note), IFD_OK);
    return r;
}

/* Stops the writer before its first write until it is released. */
typedef struct stall {
    sem_t reached, go;
    int times;
} stall;

static void hold(void *self)
{
    stall *s = self;
    if (s->times-- <= 0)
        return;
    sem_post(&s->reached);
    sem_wait(&s->go);
}

/* No record follows the last ticks to show that they are missing: the end record counts them. */
TEST_WITH(ticks_missing_at_the_end_are_counted_too, begin, end)
{
    enum { TICKS = 3000 };
    stall s;
    ticks t;
    ifd_tick_record got;
    s.times = 1;
    sem_init(&s.reached, 0, 0);
    sem_init(&s.go, 0, 0);
    ifd_journal *j = open_journal(&(ifd_journal_options){.queue = 0.2});
    ifd__journal_hook_set(j, (ifd__journal_hook){hold, &s});
    ifd_journal_add(j, ticks_make(&t, 1));
    sem_wait(&s.reached);
    for (uint64_t k = 2; k <= TICKS; k++)
        ifd_journal_add(j, ticks_make(&t, k));
    uint64_t dropped = ifd_journal_dropped(j);
    assert_true(dropped > TICKS / 2);
    sem_post(&s.go);
    const ifd_journal_ending ending = {.report = {.ticks = TICKS}, .wall = 1};
    assert_int_equal(ifd_journal_close(j, &ending, &note), IFD_OK);
    ifd_journal_reader *r = reader_of(arena);
    while (ifd_journal_next(r, &got))
        assert_int_equal(got.dropped, 0);
    ifd_journal_end e = ifd_journal_ended(r);
    assert_int_equal(e.state, IFD_JOURNAL_INCOMPLETE);
    assert_int_equal(e.ticks, TICKS);
    assert_int_equal(e.last, TICKS - dropped);
    assert_int_equal(e.records, TICKS - dropped);
    assert_int_equal(e.dropped, dropped);
    assert_int_equal(e.ending.seen, TICKS);
    assert_int_equal(e.ending.recorded, TICKS - dropped);
}

/* One tick of each hundred is kept, as while a tripped test waits: the others are counted, and nothing is missing. */
TEST_WITH(ticks_left_out_on_purpose_are_not_missing, begin, end)
{
    enum { TICKS = 1000, EVERY = 100 };
    const ifd_journal_options o = {.lossless = true};
    ifd_journal *j = open_journal(&o);
    ticks t;
    ifd_tick_record got;
    for (uint64_t k = 1; k <= TICKS + 7; k++)
        if (k % EVERY == 0)
            ifd_journal_add(j, ticks_make(&t, k));
        else
            ifd_journal_pass(j, ticks_make(&t, k));
    const ifd_journal_ending ending = {.report = {.ticks = TICKS + 7}};
    assert_int_equal(ifd_journal_close(j, &ending, &note), IFD_OK);
    ifd_journal_reader *r = reader_of(arena);
    while (ifd_journal_next(r, &got)) {
        ticks_check(&got, got.tick);
        assert_int_equal(got.thinned, EVERY - 1);
        assert_int_equal(got.dropped, 0);
    }
    ifd_journal_end e = ifd_journal_ended(r);
    assert_int_equal(e.state, IFD_JOURNAL_CLOSED);
    assert_int_equal(e.records, TICKS / EVERY);
    assert_int_equal(e.thinned, TICKS + 7 - TICKS / EVERY);
    assert_int_equal(e.ticks, TICKS + 7);
    assert_int_equal(e.dropped, 0);
}

/* A counter of ticks passes 2^31 after 25 days at 1 kHz, and 2^32 after 50. */
TEST_WITH(ticks_above_two_to_the_31_come_back, begin, end)
{
    const uint64_t starts[] = {((uint64_t)1 << 31) - 2, ((uint64_t)1 << 32) - 2, (uint64_t)1 << 40};
    const ifd_journal_options o = {.lossless = true};
    for (size_t i = 0; i < COUNT(starts); i++) {
        ifd_journal *j = open_journal(&o);
        ticks t;
        ifd_tick_record got;
        for (uint64_t k = 0; k < 5; k++)
            ifd_journal_add(j, ticks_make(&t, starts[i] + k));
        const ifd_journal_ending ending = {.report = {.ticks = (long)starts[i] + 6}};
        assert_int_equal(ifd_journal_close(j, &ending, &note), IFD_OK);
        ifd_journal_reader *r = reader_of(arena);
        for (uint64_t k = 0; k < 5; k++) {
            assert_true(ifd_journal_next(r, &got));
            ticks_check(&got, starts[i] + k);
        }
        assert_false(ifd_journal_next(r, &got));
        ifd_journal_end e = ifd_journal_ended(r);
        assert_int_equal(e.ticks, starts[i] + 6);
        assert_int_equal(e.last, starts[i] + 4);
        assert_int_equal(e.dropped, starts[i] + 1);
        unlink(path);
    }
}

TEST_WITH(a_journal_that_is_being_written_can_be_read, begin, end)
{
    enum { COUNT_ = 700 };
    ifd_journal *j = open_journal(NULL);
    ifd_journal_reader *r = reader_of(arena);
    ifd_tick_record got;
    ticks t;
    uint64_t added = 0, read = 0;
    while (read < COUNT_) {
        for (int i = 0; i < 100 && added < COUNT_; i++)
            ifd_journal_add(j, ticks_make(&t, ++added));
        ifd__journal_bound(r, ifd_journal_written(j));
        while (ifd_journal_next(r, &got))
            ticks_check(&got, ++read);
        usleep(1000);
    }
    assert_int_equal(ifd_journal_close(j, NULL, &note), IFD_OK);
    ifd__journal_bound(r, UINT64_MAX);
    assert_false(ifd_journal_next(r, &got));
    assert_int_equal(ifd_journal_ended(r).state, IFD_JOURNAL_CUT);
}

TESTS_WITH(files_open, files_close)
