/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* What a test of many hours takes: memory that does not grow with its ticks, and no more of the disk than its numbers
 * need. Counted in bytes, without a clock. */
#include "check.h"

#include <hdf5.h>
#include <malloc.h>
#include <sys/stat.h>

#include "files.h"
#include "record/result.h"
#include "base/os_linux.h"
#include "spring.h"
#include "ticks.h"

/* Bytes that the whole program has asked for and not given back. Under a sanitizer this is always 0. */
static size_t in_use(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

typedef struct scene {
    spring s;
    ifd_result *result;
    double *values;
    uint64_t made;
} scene;

/* The result that is read while it is written, without a journal before it. */
static void scene_open(scene *c, const char *name, int count, const char *const *sets)
{
    int columns;
    *c = (scene){.made = 0};
    spring_open(&c->s, name, count, sets);
    (void)ifd_hybrid_columns(c->s.test, &columns);
    c->values = ifd_arena_array(c->s.books, (size_t)columns, sizeof *c->values);
    const char *folder = ifd_arena_print(c->s.books, "%s-long", c->s.folder);
    assert_int_equal(ifd_result_open_test(c->s.books, folder, c->s.c, c->s.test, &c->result, &c->s.note), IFD_OK);
}

static void scene_go(scene *c, uint64_t until)
{
    ticks t;
    ifd_tick_record r = *ticks_make(&t, 1);
    for (r.values = c->values; c->made < until;) {
        r.tick = ++c->made;
        c->values[0] = (double)c->made;
        if (ifd_result_append_record(c->result, &r) != IFD_OK)
            fail_msg("tick %lu could not be written", (unsigned long)c->made);
    }
}

static void scene_close(scene *c)
{
    const ifd_timing timing = {.wall = 1};
    assert_int_equal(ifd_recorder_close(c->s.recorder, &c->s.report, &timing, &c->s.note), IFD_OK);
    spring_close(&c->s);
}

/* A row of each hundred ticks, and chunks of 16 rows: 4 million ticks make 2500 chunks of every column, as many as a
 * test of 40 minutes has at 1 kHz that keeps each tick. What HDF5 knows of a chunk takes 20 bytes when it is kept,
 * 0.9 MB here. What it holds ready of blocks that it has given up is limited by itself; they become larger as the
 * file does, in steps. */
TEST(memory_does_not_grow_with_the_ticks)
{
    enum { FIRST = 1000000, LAST = 5000000, EVERY = 100, MOST = 250000 /* bytes */ };
    const char *sets[] = {"time.record-every=100"};
    scene c;
    scene_open(&c, "memory", 1, sets);
    assert_int_equal(c.result->chunk, 16);
    scene_go(&c, FIRST);
    size_t before = in_use();
    scene_go(&c, LAST);
    size_t after = in_use();
    double chunks = (double)(LAST - FIRST) / EVERY / 16 * (c.result->columns + 1);
    print_message("%d ticks: %.0f bytes of memory more, %.2f for each of %.0f chunks\n", LAST - FIRST,
                  (double)after - (double)before, ((double)after - (double)before) / chunks, chunks);
    assert_true((double)after - (double)before < MOST);
    const ifd_timing timing = {.wall = 1};
    assert_int_equal(ifd_result_close_test(c.result, &c.s.report, &timing, &c.s.note), IFD_OK);
    scene_close(&c);
}

/* The file was last written as long ago as the rows that wait for it would have taken in real time. Beside the
 * numbers there are the case, the attributes, and what finds the chunks: 24 bytes each. */
TEST(a_result_that_is_read_meanwhile_is_as_large_as_its_numbers)
{
    enum { TICKS = 100000, BESIDE = 400000 };
    scene c;
    struct stat facts;
    scene_open(&c, "large", 0, NULL);
    double period = ifd_hybrid_period(c.s.test);
    for (uint64_t k = 1; k <= TICKS; k++) {
        c.result->flushed = ifd__clock_now() - (int64_t)(1e9 * period * (double)c.result->used);
        scene_go(&c, k);
    }
    double chunks = TICKS * period, columns = c.result->columns + 1, numbers = 8.0 * TICKS * columns;
    const char *path = ifd_arena_text(c.s.books, c.result->file_path);
    const ifd_timing timing = {.wall = 1};
    assert_int_equal(ifd_result_close_test(c.result, &c.s.report, &timing, &c.s.note), IFD_OK);
    assert_int_equal(stat(path, &facts), 0);
    print_message("%.1f MB of numbers, a file of %.1f MB\n", 1e-6 * numbers, 1e-6 * (double)facts.st_size);
    assert_true((double)facts.st_size < numbers + 24 * chunks * columns + BESIDE);
    scene_close(&c);
}

TESTS_WITH(files_open, files_close)
