/* SPDX-License-Identifier: MIT */
/* The stamp of a measurement is recorded and has no effect: a journal with other stamps has the same hashes. */
#include "check.h"

#include <string.h>
#include <sys/stat.h>

#include <interfield/journal.h>
#include <interfield/replay.h>

#include "files.h"
#include "spring.h"

/* Copies the journal of the test with stamps k * scale + 1; returns the number of ticks. */
static long copy(const char *from, const char *to, int64_t scale, uint32_t clock)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_journal_reader *in;
    ifd_journal *out;
    ifd_tick_record r;
    long ticks = 0;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_journal_read(arena, ifd_arena_print(arena, "%s/" IFD_JOURNAL_FILE, from), &in, &note),
                     IFD_OK);
    assert_int_equal(mkdir(to, 0777), 0);
    const ifd_journal_options lossless = {.lossless = true};
    assert_int_equal(ifd_journal_open(arena, ifd_arena_print(arena, "%s/" IFD_JOURNAL_FILE, to), ifd_journal_head(in),
                                      &lossless, &out, &note),
                     IFD_OK);
    while (ifd_journal_next(in, &r)) {
        ifd_tick_trace trace = *r.trace;
        trace.measure.taken = ++ticks * scale + 1;
        trace.measure.clock = clock;
        r.trace = &trace;
        ifd_journal_add(out, &r);
    }
    ifd_journal_ending ending = ifd_journal_ended(in).ending;
    assert_int_equal(ifd_journal_close(out, &ending, &note), IFD_OK);
    ifd_arena_close(arena);
    return ticks;
}

/* Stamps and hashes as a reader finds them. */
static void stamps_are(const char *folder, int64_t scale, uint32_t clock, uint64_t *hashes)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_journal_reader *in;
    ifd_tick_record r;
    long ticks = 0;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_journal_read(arena, ifd_arena_print(arena, "%s/" IFD_JOURNAL_FILE, folder), &in, &note),
                     IFD_OK);
    while (ifd_journal_next(in, &r)) {
        assert_int_equal(r.trace->measure.taken, ++ticks * scale + 1);
        assert_int_equal(r.trace->measure.clock, clock);
        *hashes = *hashes * 31 + r.trace->hash;
    }
    ifd_arena_close(arena);
}

static void replays(const char *folder, long ticks)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_replay_report r;
    assert_int_equal(ifd_replay_with(arena, folder, &(ifd_replay_options){0}, &r, NULL), IFD_OK);
    assert_int_equal(r.verdict, IFD_REPLAY_IDENTICAL);
    assert_int_equal((long)r.compared, ticks);
    ifd_arena_close(arena);
}

TEST(the_hash_does_not_depend_on_the_stamps)
{
    spring s;
    char one[300], two[300];
    uint64_t first = 0, second = 0;
    spring_open(&s, "stamped", 0, NULL);
    spring_run(&s);
    snprintf(one, sizeof one, "%s", files_path("one"));
    snprintf(two, sizeof two, "%s", files_path("two"));
    const int64_t far = INT64_C(1000000000000007);
    long ticks = copy(s.folder, one, far, IFD_CLOCK_TAI);
    assert_true(ticks > 100);
    assert_int_equal(copy(s.folder, two, -3, IFD_CLOCK_OWN), ticks);
    stamps_are(one, far, IFD_CLOCK_TAI, &first);
    stamps_are(two, -3, IFD_CLOCK_OWN, &second);
    assert_true(first == second);
    replays(s.folder, ticks);
    replays(one, ticks);
    replays(two, ticks);
    spring_close(&s);
}

TESTS_WITH(files_open, files_close)
