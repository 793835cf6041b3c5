/* SPDX-License-Identifier: MIT */
/* The journal: what is written comes back bit by bit, what is cut or damaged is seen and said where, a disk that
 * stalls or is full keeps nobody waiting. */
#include "check.h"

#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

static ifd_journal *open_journal(double period, const ifd_journal_options *o)
{
    ifd_journal_facts f = ticks_facts(period);
    ifd_journal *j = NULL;
    assert_int_equal(ifd_journal_open(arena, path, &f, o, &j, &note), IFD_OK);
    return j;
}

/* A journal of ticks 1 to count. */
static void write_all(uint64_t count)
{
    const ifd_journal_options o = {.lossless = true};
    const ifd_journal_ending ending = {
        .report = {.fifo = true, .ticks = (long)count, .late_max = 0.25, .end = IFD_RUN_DONE},
        .wall = 2.5,
        .setup = 0.5};
    ifd_journal *j = open_journal(1e-3, &o);
    ticks t;
    for (uint64_t k = 1; k <= count; k++)
        ifd_journal_add(j, ticks_make(&t, k));
    assert_int_equal(ifd_journal_close(j, &ending, &note), IFD_OK);
    assert_int_equal(ifd_journal_written(j), count);
}

static ifd_journal_reader *reader_of(ifd_arena *a)
{
    ifd_journal_reader *r = NULL;
    assert_int_equal(ifd_journal_read(a, path, &r, &note), IFD_OK);
    return r;
}

static long size_of(const char *file)
{
    struct stat facts;
    assert_int_equal(stat(file, &facts), 0);
    return (long)facts.st_size;
}

TEST_WITH(every_record_comes_back_bit_by_bit, begin, end)
{
    enum { COUNT_ = 5000 };
    write_all(COUNT_);
    ifd_journal_reader *r = reader_of(arena);
    const ifd_journal_facts *f = ifd_journal_head(r), was = ticks_facts(1e-3);
    assert_string_equal(f->cpu, was.cpu);
    assert_string_equal(f->by, was.by);
    assert_string_equal(f->notes, was.notes);
    assert_true(f->remote.dofs == TICKS_TARGETS && f->remote.order == 3 && f->remote.paced && !f->rehearsal);
    assert_true(f->program == was.program && f->period == was.period);
    assert_int_equal(f->bundle_length, was.bundle_length);
    assert_memory_equal(f->bundle, was.bundle, was.bundle_length);
    for (int i = 0; i < TICKS_COLUMNS; i++) {
        assert_string_equal(f->column[i].name, was.column[i].name);
        assert_string_equal(f->column[i].unit, was.column[i].unit);
        assert_string_equal(f->column[i].group, was.column[i].group);
    }
    ifd_tick_record record;
    for (uint64_t k = 1; k <= COUNT_; k++) {
        assert_true(ifd_journal_next(r, &record));
        ticks_check(&record, k);
        assert_int_equal(record.skipped, k % 11 == 0);
        assert_int_equal(record.dropped, 0);
    }
    assert_false(ifd_journal_next(r, &record));
    ifd_journal_end e = ifd_journal_ended(r);
    assert_int_equal(e.state, IFD_JOURNAL_CLOSED);
    assert_int_equal(e.records, COUNT_);
    assert_true(e.has_ending && e.ending.report.fifo && e.ending.report.ticks == COUNT_);
    assert_true(e.ending.wall == 2.5 && e.ending.setup == 0.5 && e.ending.report.late_max == 0.25);
}

/* Where the first record begins, and how long one is. */
static void layout(long *head, long *record)
{
    ifd__journal_head h;
    int file = open(path, O_RDONLY);
    assert_int_equal(read(file, &h, sizeof h), (int)sizeof h);
    close(file);
    *head = (long)h.bytes;
    *record = (long)h.record;
}

TEST_WITH(a_file_cut_anywhere_is_read_to_its_last_whole_record, begin, end)
{
    enum { COUNT_ = 64 };
    uint64_t random = 1;
    long head, record,
        used = (long)sizeof(ifd__frame) + 8 * (2 * TICKS_SENSED + TICKS_AUX + TICKS_TARGETS + TICKS_COLUMNS);
    write_all(COUNT_);
    layout(&head, &record);
    char *copy = ifd_arena_print(arena, "%s.whole", path);
    assert_int_equal(rename(path, copy), 0);
    for (int round = 0; round < 100; round++) {
        long at = head + (long)(ticks_random(&random) % (uint64_t)(COUNT_ * record));
        char *command = ifd_arena_print(arena, "cp '%s' '%s'", copy, path);
        assert_int_equal(system(command), 0);
        assert_int_equal(truncate(path, at), 0);
        if (round % 2) /* space that was claimed and never written */
            assert_int_equal(truncate(path, at + 3 * record), 0);
        ifd_arena *own = ifd_arena_open();
        ifd_journal_reader *r = reader_of(own);
        ifd_tick_record got;
        uint64_t whole = (uint64_t)((at - head) / record), k = 0;
        whole += round % 2 && (at - head) % record >= used; /* only zeros were cut, and they are back */
        while (ifd_journal_next(r, &got))
            ticks_check(&got, ++k);
        assert_int_equal(k, whole);
        assert_int_equal(ifd_journal_ended(r).state, IFD_JOURNAL_CUT);
        assert_false(ifd_journal_ended(r).has_ending);
        ifd_arena_close(own);
    }
    unlink(copy);
}

/* As a program leaves it that is killed in the middle of a write: whole pages, then the zeros of space that was
 * claimed. */
TEST_WITH(a_record_torn_between_two_pages_was_not_finished_but_nothing_is_damaged, begin, end)
{
    enum { COUNT_ = 64, PAGE = 4096 };
    long head, record,
        torn = 0,
        used = (long)sizeof(ifd__frame) + 8 * (2 * TICKS_SENSED + TICKS_AUX + TICKS_TARGETS + TICKS_COLUMNS);
    write_all(COUNT_);
    layout(&head, &record);
    const long end = head + COUNT_ * record;
    for (long at = (end - 1) / PAGE * PAGE; at > head; at -= PAGE) {
        assert_int_equal(truncate(path, at), 0);
        assert_int_equal(truncate(path, end), 0);
        ifd_arena *own = ifd_arena_open();
        ifd_journal_reader *r = reader_of(own);
        ifd_tick_record got;
        uint64_t k = 0;
        while (ifd_journal_next(r, &got))
            ticks_check(&got, ++k);
        assert_int_equal(k, (at - head) / record + ((at - head) % record >= used)); /* behind that are only zeros */
        assert_int_equal(ifd_journal_ended(r).state, IFD_JOURNAL_CUT);
        assert_int_equal(ifd_journal_ended(r).bad, 0);
        torn += (at - head) % record != 0;
        ifd_arena_close(own);
    }
    assert_true(torn > 2);
}

static void flip(long at, int bit)
{
    unsigned char byte;
    int file = open(path, O_RDWR);
    assert_int_equal(pread(file, &byte, 1, at), 1);
    byte = (unsigned char)(byte ^ 1u << bit);
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    close(file);
}

TEST_WITH(one_bit_anywhere_in_a_record_is_seen_and_said_where, begin, end)
{
    enum { COUNT_ = 50 };
    uint64_t random = 2;
    long head, record;
    write_all(COUNT_);
    layout(&head, &record);
    for (int round = 0; round < 300; round++) {
        uint64_t place = ticks_random(&random) % (uint64_t)(COUNT_ * record);
        int bit = (int)(ticks_random(&random) % 8);
        uint64_t hit = place / (uint64_t)record + 1;
        flip(head + (long)place, bit);
        ifd_arena *own = ifd_arena_open();
        ifd_journal_reader *r = reader_of(own);
        ifd_tick_record got;
        for (uint64_t k = 1; k <= COUNT_; k++)
            if (k != hit) {
                assert_true(ifd_journal_next(r, &got));
                ticks_check(&got, k);
            }
        assert_false(ifd_journal_next(r, &got));
        ifd_journal_end e = ifd_journal_ended(r);
        assert_int_equal(e.state, IFD_JOURNAL_DAMAGED);
        assert_int_equal(e.bad, 1);
        assert_int_equal(e.bad_record, hit);
        assert_int_equal(e.bad_tick, hit);
        assert_int_equal(e.bad_offset, head + (long)(hit - 1) * record);
        assert_true(e.has_ending);
        ifd_arena_close(own);
        flip(head + (long)place, bit);
    }
}

/* Lengths as no journal has them, under every schema that is read: refused, and nothing beyond the file is looked
 * at. */
TEST_WITH(lengths_in_the_head_that_cannot_be_are_refused, begin, end)
{
    const uint64_t lengths[] = {0, 1, 63, 64, 65, 4095, 1u << 20, (uint64_t)1 << 31, (uint64_t)1 << 63, UINT64_MAX};
    ifd__journal_head whole;
    write_all(3);
    int file = open(path, O_RDWR);
    assert_int_equal(pread(file, &whole, sizeof whole, 0), (int)sizeof whole);
    for (uint32_t schema = 0; schema <= IFD_JOURNAL_SCHEMA + 1; schema++)
        for (size_t i = 0; i < COUNT(lengths); i++)
            for (size_t k = 0; k < COUNT(lengths); k++) {
                ifd__journal_head h = whole;
                h.schema = schema;
                h.bytes = lengths[i];
                h.text = lengths[k];
                assert_int_equal(pwrite(file, &h, sizeof h, 0), (int)sizeof h);
                ifd_arena *own = ifd_arena_open();
                ifd_journal_reader *r = NULL;
                assert_int_equal(ifd_journal_read(own, path, &r, &note), IFD_FILE);
                ifd_arena_close(own);
            }
    close(file);
}

TEST_WITH(every_bit_of_the_head_counts, begin, end)
{
    write_all(3);
    for (long k = 0; k < 8 * ((long)sizeof(ifd__journal_head) + 300); k++) {
        flip(k / 8, (int)(k % 8));
        ifd_arena *own = ifd_arena_open();
        ifd_journal_reader *r = NULL;
        assert_int_equal(ifd_journal_read(own, path, &r, &note), IFD_FILE);
        ifd_arena_close(own);
        flip(k / 8, (int)(k % 8));
    }
    (void)reader_of(arena);
}

TEST_WITH(what_is_no_journal_is_refused_by_name, begin, end)
{
    ifd_journal_reader *r = NULL;
    const char *texts[] = {"", "title: no journal at all\n", "ifdjrnl\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        ifd_note own;
        ifd_note_init(&own, arena);
        assert_int_equal(ifd_journal_read(arena, files_write("other", texts[i]), &r, &own), IFD_FILE);
        assert_non_null(strstr(own.first->text, "other"));
    }
    assert_int_equal(ifd_journal_read(arena, files_path("missing"), &r, &note), IFD_FILE);
    assert_int_equal(ifd_journal_read(arena, files_path("."), &r, &note), IFD_FILE);
}

/* Stops the writer before its next write until it is released. */
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

/* The writer held in its first write; the first record is in its hands. */
static ifd_journal *held(stall *s, double period, double queue)
{
    const ifd_journal_options o = {.queue = queue};
    ticks t;
    s->times = 1;
    sem_init(&s->reached, 0, 0);
    sem_init(&s->go, 0, 0);
    ifd_journal *j = open_journal(period, &o);
    ifd__journal_hook_set(j, (ifd__journal_hook){hold, s});
    ifd_journal_add(j, ticks_make(&t, 1));
    sem_wait(&s->reached);
    return j;
}

/* Reads the journal; the sum of the records and of the ticks that they count as missing. */
static uint64_t accounted(uint64_t *read)
{
    ifd_journal_reader *r = reader_of(arena);
    ifd_tick_record got;
    uint64_t missing = 0, expected = 1;
    for (*read = 0; ifd_journal_next(r, &got); ++*read) {
        assert_int_equal(got.tick, expected + got.dropped);
        ticks_check(&got, got.tick);
        missing += got.dropped;
        expected = got.tick + 1;
    }
    assert_int_equal(ifd_journal_ended(r).dropped, missing);
    return missing + *read;
}

/* All this is added by one thread while the disk is stalled: had adding waited once, the test would hang. */
TEST_WITH(a_disk_that_stalls_for_seconds_costs_nothing, begin, end)
{
    enum { TICKS = 4000 }; /* 4 s at 1 kHz */
    stall s;
    ticks t;
    uint64_t read;
    ifd_journal *j = held(&s, 1e-3, 4.0);
    for (uint64_t k = 2; k <= TICKS; k++)
        ifd_journal_add(j, ticks_make(&t, k));
    assert_int_equal(ifd_journal_dropped(j), 0);
    sem_post(&s.go);
    assert_int_equal(ifd_journal_close(j, &(ifd_journal_ending){.wall = 1}, &note), IFD_OK);
    assert_int_equal(accounted(&read), TICKS);
    assert_int_equal(read, TICKS);
}

TEST_WITH(a_disk_that_stalls_for_longer_costs_ticks_that_are_counted, begin, end)
{
    enum { TICKS = 3000, AFTER = 100 };
    stall s;
    ticks t;
    uint64_t read;
    ifd_journal *j = held(&s, 1e-3, 0.2);
    for (uint64_t k = 2; k <= TICKS; k++)
        ifd_journal_add(j, ticks_make(&t, k));
    uint64_t dropped = ifd_journal_dropped(j);
    assert_true(dropped > TICKS / 2 && dropped < TICKS - 200);
    sem_post(&s.go);
    while (ifd_journal_written(j) < TICKS - dropped)
        usleep(1000);
    for (uint64_t k = TICKS + 1; k <= TICKS + AFTER; k++)
        ifd_journal_add(j, ticks_make(&t, k));
    assert_int_equal(ifd_journal_close(j, &(ifd_journal_ending){.wall = 1}, &note), IFD_OK);
    assert_int_equal(ifd_journal_dropped(j), dropped);
    assert_int_equal(accounted(&read), TICKS + AFTER);
    assert_int_equal(read, TICKS + AFTER - dropped);
}

/* A writer that comes to its work late: the queue fills up while it holds its last records. */
static void dawdle(void *self)
{
    (void)self;
    usleep(20000);
}

/* Ticks until the journal reports that no more space is available, then
 * those of ramp-out. 0 if all succeeded. */
static int fill(uint64_t *told, uint64_t way_out)
{
    ifd_arena *own = ifd_arena_open();
    ifd_journal_facts f = ticks_facts(1e-3);
    const ifd_journal_options o = {.lossless = true};
    ifd_journal *j = NULL;
    ticks t;
    uint64_t k = 0;
    if (ifd_journal_open(own, path, &f, &o, &j, NULL) != IFD_OK)
        return 2;
    ifd__journal_hook_set(j, (ifd__journal_hook){dawdle, NULL});
    for (; ifd_journal_status(j) == IFD_OK && k < 1000000; k += 10)
        for (uint64_t i = 1; i <= 10; i++)
            ifd_journal_add(j, ticks_make(&t, k + i));
    if (ifd_journal_status(j) != IFD_OUTPUT)
        return 3;
    for (uint64_t i = 1; i <= way_out; i++)
        ifd_journal_add(j, ticks_make(&t, k + i));
    *told = k;
    ifd_status status = ifd_journal_close(j, &(ifd_journal_ending){.wall = 1}, NULL);
    ifd_arena_close(own);
    return status == IFD_OK ? 0 : 4;
}

static void check_filled(uint64_t told, uint64_t way_out)
{
    ifd_journal_reader *r = reader_of(arena);
    ifd_tick_record got;
    uint64_t k = 0;
    while (ifd_journal_next(r, &got))
        ticks_check(&got, ++k);
    assert_true(told > 500);
    assert_int_equal(k, told + way_out);
    assert_true(ifd_journal_ended(r).has_ending);
}

/* The queue may hold a second of ticks that are still to be written when the word comes. */
TEST_WITH(a_file_that_may_not_grow_is_told_while_there_is_room_for_the_way_out, begin, end)
{
    enum { WAY_OUT = 500, LIMIT = 5 << 20 };
    uint64_t told;
    struct rlimit before, limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = LIMIT;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int status = fill(&told, WAY_OUT);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, 0);
    assert_true(size_of(path) <= LIMIT);
    check_filled(told, WAY_OUT);
}

/* A disk of 6 MB, where this may be had. */
TEST_WITH(a_full_disk_is_told_while_there_is_room_for_the_way_out, begin, end)
{
    enum { WAY_OUT = 500 };
    uint64_t told;
    char folder[256];
    snprintf(folder, sizeof folder, "%.200s.disk", path);
    assert_int_equal(mkdir(folder, 0777), 0);
    if (mount("interfield", folder, "tmpfs", 0, "size=6m") != 0) {
        print_message("no disk can be mounted here\n");
        rmdir(folder);
        skip();
    }
    snprintf(path, sizeof path, "%s/result.journal", folder);
    int status = fill(&told, WAY_OUT);
    if (status == 0)
        check_filled(told, WAY_OUT);
    ifd_arena_close(arena); /* its reader keeps the disk busy */
    arena = ifd_arena_open();
    assert_int_equal(umount(folder), 0);
    rmdir(folder);
    assert_int_equal(status, 0);
}

TESTS_WITH(files_open, files_close)
