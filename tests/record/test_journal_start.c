/* SPDX-License-Identifier: MIT */
/* The start of a test on the clocks of the machine, spread over the records of its journal. */
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

#include "files.h"
#include "record/journal/journal.h"
#include "ticks.h"

static const int64_t second = 1000000000;
static const int64_t utc = 1794868181123456789, monotonic = 0x123456789abcdef0 >> 4;

/* Writes `count` records that were cut, damages some and reads the rest. */
static ifd_executor_report start_of(uint64_t count, int64_t at, const uint64_t *damaged, int damages)
{
    const ifd_journal_options o = {.lossless = true};
    const char *path = files_path("start.journal");
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_journal *j = NULL;
    ifd_journal_reader *r = NULL;
    ifd_journal_facts f = ticks_facts(1e-3);
    ifd_note_init(&note, arena);
    unlink(path);
    assert_int_equal(ifd_journal_open(arena, path, &f, &o, &j, &note), IFD_OK);
    for (uint64_t k = 1; k <= count; k++) {
        ticks t;
        ifd_tick_record record = *ticks_make(&t, k);
        record.start_utc = at;
        record.start_tai = at ? at + 37 * second + 40 : 0; /* the clocks are read one after the other */
        record.start_monotonic = at ? monotonic : 0;
        ifd_journal_add(j, &record);
    }
    assert_int_equal(ifd_journal_close(j, NULL, &note), IFD_OK);
    ifd__journal_head h;
    int file = open(path, O_RDWR);
    assert_int_equal(pread(file, &h, sizeof h, 0), (int)sizeof h);
    for (int i = 0; i < damages; i++)
        assert_int_equal(pwrite(file, "x", 1, (off_t)(h.bytes + (damaged[i] - 1) * h.record + 20)), 1);
    close(file);
    assert_int_equal(ifd_journal_read(arena, path, &r, &note), IFD_OK);
    ifd_tick_record got;
    while (ifd_journal_next(r, &got))
        ticks_check(&got, got.tick);
    assert_int_equal(ifd_journal_ended(r).records, count - (uint64_t)damages);
    ifd_executor_report report = {0};
    ifd__journal_start(r, &report);
    ifd_arena_close(arena);
    return report;
}

TEST(five_records_have_the_start)
{
    ifd_executor_report e = start_of(5, utc, NULL, 0);
    assert_true(e.start_utc == utc && e.start_tai == utc + 37 * second && e.start_monotonic == monotonic);
    e = start_of(4, utc, NULL, 0);
    assert_true(e.start_utc == 0 && e.start_tai == 0 && e.start_monotonic == 0);
}

TEST(any_five_sound_records_in_a_row_have_it)
{
    static const uint64_t damaged[] = {1, 3, 4, 7, 8};
    (void)state;
    ifd_executor_report e = start_of(9, utc, damaged, 5); /* words 2, 0, 1 and 4 are left: not 3 */
    assert_true(e.start_utc == 0);
    e = start_of(13, utc, damaged, 5);
    assert_true(e.start_utc == utc && e.start_tai == utc + 37 * second && e.start_monotonic == monotonic);
}

/* Earlier versions wrote zeros. */
TEST(a_start_that_is_not_recorded_is_unknown)
{
    ifd_executor_report e = start_of(20, 0, NULL, 0);
    assert_true(e.start_utc == 0 && e.start_tai == 0 && e.start_monotonic == 0);
}

TEST(a_start_that_is_no_time_is_unknown)
{
    static const uint32_t most[IFD__JOURNAL_START] = {~0u, ~0u, ~0u, ~0u, ~0u},
                          late[IFD__JOURNAL_START] = {0, 1u << 30, 0, 1, 0},
                          last[IFD__JOURNAL_START] = {~0u, (1u << 30) - 1, (uint32_t)INT32_MAX, 1, 0};
    ifd_executor_report e = {0};
    (void)state;
    ifd__start_decode(most, &e);
    ifd__start_decode(late, &e);
    assert_true(e.start_utc == 0 && e.start_monotonic == 0);
    ifd__start_decode(last, &e);
    assert_true(e.start_utc == (INT64_C(1) << 62) - 1 && e.start_tai == e.start_utc + INT32_MAX * second);
}

TESTS_WITH(files_open, files_close)
