/* SPDX-License-Identifier: MIT */
/* Space that a journal claims in advance, byte by byte. A record has 1024 bytes here. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files.h"
#include "record/journal/journal.h"

enum { RECORD = 1024, MB = 1 << 20, MOST_COLUMNS = 128 };
static int refusals, why;              /* how often the file system refuses a claim, and its errno */
static const double slow = 1.0 / 64.0; /* s per tick: 256 of them are the 4 s of a queue */
static ifd_arena *arena;
static char path[512];
static uint64_t head; /* bytes */

int fallocate(int fd, int mode, off_t from, off_t bytes)
{
    if (refusals-- <= 0)
        return (int)syscall(SYS_fallocate, fd, mode, from, bytes);
    errno = why;
    return -1;
}

static int begin(void **state)
{
    (void)state;
    arena = ifd_arena_open();
    snprintf(path, sizeof path, "%s", files_path("claims.journal"));
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
#define TEST_OF_SPACE(sentence) TEST_WITH(sentence, begin, end)

static ifd_status opened(double period, double queue, ifd_journal **out, ifd_note *note)
{
    static ifd_column column[MOST_COLUMNS];
    const int columns = (RECORD - (int)sizeof(ifd__frame)) / 8;
    assert_true(columns > 0 && columns <= MOST_COLUMNS);
    for (int i = 0; i < columns; i++)
        column[i] = (ifd_column){.name = "c", .unit = "m", .group = "g"};
    const ifd_journal_facts f = {.version = "1",
                                 .kernels = "k",
                                 .cpu = "c",
                                 .started = "now",
                                 .period = period,
                                 .columns = columns,
                                 .column = column,
                                 .bundle = "text",
                                 .bundle_length = 4};
    ifd__layout l;
    assert_non_null(ifd__head_encode(arena, &f, &l));
    assert_int_equal(l.record, RECORD);
    head = l.head;
    unlink(path);
    return ifd_journal_open(arena, path, &f, &(ifd_journal_options){.queue = queue, .lossless = true}, out, note);
}

/* Some file systems cannot claim space: a file grows while it is written. */
static void need_claims(void)
{
    int file = open(path, O_RDWR | O_CREAT, 0600);
    bool can = fallocate(file, 0, 0, MB) == 0;
    close(file);
    if (!can) {
        print_message("no space can be claimed here\n");
        skip();
    }
}

static uint64_t size(void)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    return (uint64_t)facts.st_size;
}

/* Returns when the records are written. */
static void add(ifd_journal *j, uint64_t until)
{
    static const double values[MOST_COLUMNS];
    for (uint64_t k = ifd_journal_written(j) + 1; k <= until; k++)
        ifd_journal_add(j, &(ifd_tick_record){.tick = k, .values = values});
    while (ifd_journal_written(j) < until)
        usleep(200);
}

TEST_OF_SPACE(ten_seconds_are_claimed_within_a_megabyte_and_64)
{
    need_claims();
    static const struct {
        double period;
        uint64_t bytes;
    } row[] = {{slow, MB}, {1e-3, 10000 * RECORD}, {10.0 / (63 * 1024), 63 * MB}, {1e-5, 64 * MB}};
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_journal *j;
        assert_int_equal(opened(row[i].period, 1e-9, &j, NULL), IFD_OK);
        assert_near((double)(size() - head), (double)row[i].bytes, 1.0, "row %zu, bytes", i);
        assert_int_equal(ifd_journal_close(j, NULL, NULL), IFD_OK);
        assert_int_equal(size(), head);
    }
}

/* More is claimed when a full queue and half of what is claimed at a time no longer fit. */
TEST_OF_SPACE(more_is_claimed_before_the_queue_would_not_fit)
{
    need_claims();
    static const struct {
        double queue;
        uint64_t records, bytes;
    } row[] = {{4.0, 255, MB},      {4.0, 256, MB},      {4.0, 257, 2 * MB},
               {4.0, 1280, 2 * MB}, {4.0, 1281, 3 * MB}, {4.001, 1, 2 * MB}, /* 512 records */
               {1e9, 512, 65 * MB},                                          /* at most 64 MB */
               {1e9, 513, 66 * MB}};
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_journal *j;
        assert_int_equal(opened(slow, row[i].queue, &j, NULL), IFD_OK);
        add(j, row[i].records);
        assert_int_equal(size() - head, row[i].bytes);
        assert_int_equal(ifd_journal_status(j), IFD_OK);
        assert_int_equal(ifd_journal_close(j, NULL, NULL), IFD_OK);
        assert_int_equal(size(), head + row[i].records * RECORD);
    }
}

/* A claim beyond the limit causes this signal, which by default ends a program. */
static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    (void)number;
    signals++;
}

static void limit_size(rlim_t bytes, struct rlimit *before)
{
    struct rlimit limit;
    signal(SIGXFSZ, count_signal);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, before), 0);
    limit = *before;
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST_OF_SPACE(a_limit_of_the_size_is_kept_to_the_byte)
{
    need_claims();
    struct rlimit before;
    ifd_journal *j;
    ifd_note note;
    ifd_note_init(&note, arena);
    assert_int_equal(opened(slow, 4.0, &j, NULL), IFD_OK);
    assert_int_equal(ifd_journal_close(j, NULL, NULL), IFD_OK);
    limit_size(head + MB - 1, &before);
    ifd_status status = opened(slow, 4.0, &j, &note);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, IFD_OUTPUT);
    assert_non_null(strstr(note.last->text, "File too large"));
    for (int less = 0; less < 2; less++) {
        limit_size(head + 2 * MB - (rlim_t)less, &before);
        status = opened(slow, 4.0, &j, &note);
        if (status == IFD_OK) {
            add(j, 257);
            add(j, 258); /* what was reported stays */
        }
        ifd_status room = ifd_journal_status(j);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, IFD_OK);
        assert_int_equal(room, less ? IFD_OUTPUT : IFD_OK);
        assert_int_equal(size() - head, less ? MB : 2 * MB);
        assert_int_equal(ifd_journal_dropped(j), 0); /* there is room for the ramp-out */
        assert_int_equal(ifd_journal_close(j, &(ifd_journal_ending){.wall = 1.0}, &note), IFD_OK);
        assert_int_equal(size(), head + 259 * RECORD);
    }
    assert_int_equal(signals, 0);
}

/* A signal is no refusal; without claims a file grows while it is written. */
TEST_OF_SPACE(a_file_system_that_refuses_a_claim_is_asked_again_or_not)
{
    static const struct {
        int why, refusals;
        bool opens;
        uint64_t bytes; /* behind the head, with one record */
    } row[] = {{EINTR, 1, true, MB},
               {EOPNOTSUPP, 100, true, RECORD},
               {ENOSYS, 100, true, RECORD},
               {ENOSPC, 100, false, 0},
               {EIO, 100, false, 0}};
    need_claims();
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_journal *j;
        refusals = row[i].refusals;
        why = row[i].why;
        ifd_status status = opened(slow, 4.0, &j, NULL);
        assert_int_equal(status, row[i].opens ? IFD_OK : IFD_OUTPUT);
        if (row[i].opens) {
            assert_int_equal(size(), head);
            add(j, 1);
            assert_int_equal(ifd_journal_status(j), IFD_OK);
            assert_int_equal(size() - head, row[i].bytes);
            assert_int_equal(ifd_journal_close(j, NULL, NULL), IFD_OK);
        }
        refusals = 0;
    }
}

TESTS_WITH(files_open, files_close)
