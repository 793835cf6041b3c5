/* SPDX-License-Identifier: MIT */
/* Seeded damage to a result.h5, with its seal and without: no reader crashes or hangs, or accepts
 * changed number or text for a good one without saying that the file has no seal. IFD_DAMAGES=n tries n of them. */
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <interfield/replay.h>

#include "files.h"
#include "record/result.h"
#include "spring.h"
#include "ticks.h"

enum {
    DAMAGES = BRIEF ? 240 : 600,
    PATIENCE = 3600, /* s; a reader that hangs ends the program */
    REPLAYED = 10,   /* each so many is also replayed and asked for its case */
    BLOCK = 64,      /* bytes that are zeroed */
};

typedef enum kind { FLIP, FLIPS, ZEROS, CUT, KINDS } kind;
static const char *const kind_name[KINDS] = {"one bit", "eight bits", "64 bytes zeroed", "cut"};

typedef struct scene {
    spring s;
    const char *path;
    unsigned char *whole; /* as it was written, with its seal */
    long size;
    ifd_table table; /* what is in it */
    long tried[KINDS][2], unchanged[KINDS][2], refused[KINDS][2], same[KINDS][2], warned[KINDS][2];
    long crashes, loops; /* of HDF5, in its process */
} scene;

static void put_file(const char *path, const unsigned char *bytes, long size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, (size_t)size), size);
    close(file);
}

static unsigned char *get_file(const char *path, long *size)
{
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0 && fstat(file, &facts) == 0);
    unsigned char *bytes = malloc((size_t)facts.st_size);
    assert_int_equal(read(file, bytes, (size_t)facts.st_size), facts.st_size);
    close(file);
    *size = (long)facts.st_size;
    return bytes;
}

/* New size; the bytes are changed in place. */
static long damage(unsigned char *bytes, long size, kind k, uint64_t *random)
{
    uint64_t at = ticks_random(random) % (uint64_t)size;
    switch (k) {
    case FLIP:
        bytes[at] = (unsigned char)(bytes[at] ^ 1u << ticks_random(random) % 8);
        return size;
    case FLIPS:
        for (int i = 0; i < 8; i++, at = ticks_random(random) % (uint64_t)size)
            bytes[at] = (unsigned char)(bytes[at] ^ 1u << ticks_random(random) % 8);
        return size;
    case ZEROS:
        for (uint64_t i = at / BLOCK * BLOCK; i < at / BLOCK * BLOCK + BLOCK && i < (uint64_t)size; i++)
            bytes[i] = 0;
        return size;
    case CUT:
    default:
        return (long)at;
    }
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool same_table(const ifd_table *a, const ifd_table *b)
{
    size_t column = (size_t)a->rows * sizeof(double);
    if (a->rows != b->rows || a->columns != b->columns || a->test != b->test || a->missing != b->missing ||
        !same_text(a->title, b->title) || !same_text(a->method, b->method) || !same_text(a->outcome, b->outcome) ||
        !same_text(a->case_text, b->case_text) || memcmp(a->time, b->time, column) != 0)
        return false;
    for (int i = 0; i < a->columns; i++)
        if (!same_text(a->column[i].name, b->column[i].name) || !same_text(a->column[i].unit, b->column[i].unit) ||
            !same_text(a->column[i].group, b->column[i].group) || memcmp(a->value[i], b->value[i], column) != 0)
            return false;
    return true;
}

/* A damaged file: refused with a reason, or read as it was, or read with the remark that it has no seal. */
static void read_it(scene *x, kind k, bool sealed, uint64_t seed)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_table t;
    ifd_note_init(&note, arena);
    ifd_status status = ifd_table_read(arena, x->path, &t, &note);
    bool remark = note.remark_first != NULL, same = status == IFD_OK && same_table(&t, &x->table);
    if (status != IFD_OK && (!note.first || !note.first->text[0]))
        fail_msg("seed %llu: refused without a reason", (unsigned long long)seed);
    if (status == IFD_OK && sealed && k != CUT)
        fail_msg("seed %llu: a broken seal was accepted", (unsigned long long)seed);
    if (status == IFD_OK && !remark)
        fail_msg("seed %llu: a file without a seal was accepted in silence", (unsigned long long)seed);
    if (status == IFD_OK && k == CUT && !same)
        fail_msg("seed %llu: a file that was cut reads as another one", (unsigned long long)seed);
    x->crashes += status != IFD_OK && strstr(note.first->text, "HDF5 crashes") != NULL;
    x->loops += status != IFD_OK && strstr(note.first->text, "does not finish") != NULL;
    (status != IFD_OK ? x->refused : same ? x->same : x->warned)[k][sealed]++;
    ifd_arena_close(arena);
}

/* The journal is whole: what was changed in result.h5 is found by comparing, in its numbers, units and case. */
static void replay_it(scene *x, kind k, bool sealed, uint64_t seed)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_replay_report r;
    ifd_case *c = NULL;
    ifd_table t;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_replay_with(arena, x->s.folder, &(ifd_replay_options){0}, &r, &note), IFD_OK);
    assert_int_equal(r.verdict, IFD_REPLAY_IDENTICAL);
    if (sealed && k != CUT && !r.result_wrong)
        fail_msg("seed %llu: replay did not notice a broken seal", (unsigned long long)seed);
    if (!r.result_wrong && ifd_table_read(arena, x->path, &t, &note) == IFD_OK && !r.result_unfinished) {
        size_t column = (size_t)t.rows * sizeof(double);
        assert_int_equal(t.rows, x->table.rows);
        for (int i = 0; i < t.columns; i++)
            if (memcmp(t.value[i], x->table.value[i], column) != 0)
                fail_msg("seed %llu: replay did not notice a wrong number", (unsigned long long)seed);
    }
    (void)ifd_result_case(arena, x->path, &c, &note);
    ifd_arena_close(arena);
}

static void one(scene *x, uint64_t seed)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
    kind k = (kind)(seed % KINDS);
    bool sealed = seed / KINDS % 2;
    long size = sealed ? x->size : x->size - IFD__SEAL_BYTES, was = size;
    unsigned char *bytes = malloc((size_t)x->size);
    memcpy(bytes, x->whole, (size_t)x->size);
    (void)ticks_random(&random);
    size = damage(bytes, size, k, &random);
    put_file(x->path, bytes, size);
    x->tried[k][sealed]++;
    if (size == was && memcmp(bytes, x->whole, (size_t)size) == 0) {
        x->unchanged[k][sealed]++; /* bytes that were zero before: no damage at all */
    } else {
        read_it(x, k, sealed, seed);
        if (seed / KINDS / 2 % REPLAYED == 0)
            replay_it(x, k, sealed, seed);
    }
    free(bytes);
}

static void no_damage_crashes_or_keeps_a_reader_or_passes_in_silence(void **state)
{
    (void)state;
    scene x = {.size = 0};
    const char *asked = getenv("IFD_DAMAGES"), *from = getenv("IFD_DAMAGES_FROM");
    long count = asked ? atol(asked) : DAMAGES, first = from ? atol(from) : 0;
    const struct rlimit no_core = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &no_core);
    spring_open(&x.s, "damaged", 0, NULL);
    spring_run(&x.s);
    x.path = ifd_arena_print(x.s.books, "%s/result.h5", x.s.folder);
    x.whole = get_file(x.path, &x.size);
    assert_int_equal(ifd_table_read(x.s.books, x.path, &x.table, &x.s.note), IFD_OK);
    assert_null(x.s.note.remark_first);
    for (long i = first; i < first + count; i++)
        one(&x, (uint64_t)i);
    print_message("%ld bytes, %ld rows of %d columns\n", x.size, x.table.rows, x.table.columns);
    for (int k = 0; k < KINDS; k++)
        for (int sealed = 0; sealed < 2; sealed++)
            print_message("%-16s %s: %ld tried, %ld unchanged, %ld refused, %ld read as it was, %ld read with the "
                          "warning that it has no seal\n",
                          kind_name[k], sealed ? "sealed  " : "unsealed", x.tried[k][sealed], x.unchanged[k][sealed],
                          x.refused[k][sealed], x.same[k][sealed], x.warned[k][sealed]);
    print_message("HDF5 crashed on %ld and did not come to an end with %ld, each in a process of its own\n",
                  x.crashes, x.loops);
    free(x.whole);
    spring_close(&x.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_damage_crashes_or_keeps_a_reader_or_passes_in_silence),
    };
    alarm(PATIENCE);
    return cmocka_run_group_tests(tests, files_open, files_close);
}
