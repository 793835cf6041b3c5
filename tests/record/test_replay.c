/* SPDX-License-Identifier: MIT */
/* ctest: begins 20 of the first, not with sanitizers, unless every test is asked for */
/* Every shipped case, shortened, is recorded and replayed: every bit must come back. And what must not come back as
 * identical does not: another state, another measurement, a damaged record, a gap. */
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <interfield/catalogue.h>
#include <interfield/replay.h>

#include "base/hash.h"
#include "files.h"
#include "record/journal/journal.h"
#include "text/yaml.h"
#include "spring.h"
#include "ticks.h"

enum { STEPS = 100 };

static ifd_replay_report replayed(const char *path)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_replay_report r;
    ifd_note_init(&note, arena);
    ifd_status status = ifd_replay_with(arena, path, &(ifd_replay_options){0}, &r, &note);
    for (const ifd_finding *f = note.first; f; f = f->next)
        print_error("%s\n", f->text);
    if (r.column) {
        print_message("first %llu, '%s' %.17g was %.17g\n", (unsigned long long)r.first, r.column, r.replayed,
                      r.recorded);
        r.column = "some";
    }
    ifd_arena_close(arena);
    assert_int_equal(status, IFD_OK);
    return r;
}

/* What else makes a large case small. */
static const struct {
    const char *folder, *set[2];
} smaller[] = {{"frame-3d/", {"model.frame.grid.bays=1 x 6 m", "model.frame.grid.bays-y=1 x 6 m"}}};

/* The overrides that shorten a case, of which *way_in belongs to its test only; how many. */
static int shorten(ifd_arena *arena, const char *name, const char *path, const char **sets, const char **way_in)
{
    ifd_note note;
    ifd__yaml doc;
    double step = 0, end = HUGE_VAL; /* a protocol may have none */
    int count = 0;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd__yaml_read_from(NULL, arena, path, &doc, &note), IFD_OK);
    const ifd__node *time = ifd__yaml_get(doc.root, "time");
    assert_int_equal(ifd__yaml_number(ifd__yaml_get(time, "step"), IFD_DIM_TIME, IFD_RANGE_POSITIVE, &step, &note),
                     IFD_OK);
    assert_int_equal(ifd__yaml_number(ifd__yaml_get(time, "end"), IFD_DIM_TIME, IFD_RANGE_POSITIVE, &end, &note),
                     IFD_OK);
    sets[count++] = ifd_arena_print(arena, "time.end=%.17g s", fmin(end, STEPS * step));
    for (size_t i = 0; i < COUNT(smaller); i++)
        for (int k = 0; k < 2 && strncmp(name, smaller[i].folder, strlen(smaller[i].folder)) == 0; k++)
            sets[count++] = smaller[i].set[k];
    *way_in = ifd__yaml_get(doc.root, "test") ? "test.ramp-in=50 ms" : NULL;
    return count;
}

/* Whether the test of a case is what its replay is; possible: its rig is in this process. */
static bool test_replays(const char *path, int count, const char *const *sets, bool *possible)
{
    spring s = {.arena = ifd_arena_open(), .books = ifd_arena_open()};
    bool same = true;
    ifd_note_init(&s.note, s.books);
    snprintf(s.folder, sizeof s.folder, "%.200s", files_path("test"));
    assert_int_equal(ifd_case_read(s.arena, path, count, sets, &s.c, &s.note), IFD_OK);
    *possible = strcmp(s.c->test->rig->name, "virtual") == 0;
    if (*possible) {
        assert_int_equal(ifd_hybrid_make(s.arena, s.c->test, &s.test, &s.note), IFD_OK);
        const ifd_recorder_options o = {s.folder, s.c, s.test, {.lossless = true}};
        assert_int_equal(ifd_recorder_open(s.books, &o, &s.recorder, &s.note), IFD_OK);
        spring_run(&s);
        ifd_replay_report r = replayed(s.folder);
        same = r.verdict == IFD_REPLAY_IDENTICAL && (long)r.compared == s.report.ticks && r.test;
    }
    spring_close(&s);
    return same;
}

static bool run_replays(const char *path, int count, const char *const *sets, bool *possible)
{
    ifd_arena *arena = ifd_arena_open(), *books = ifd_arena_open();
    ifd_note note;
    ifd_case *c;
    ifd_run *run;
    ifd_result *res;
    ifd_note_init(&note, books);
    const char *folder = ifd_arena_print(books, "%s", files_path("run"));
    assert_int_equal(ifd_case_read(arena, path, count, sets, &c, &note), IFD_OK);
    *possible = ifd_run_make(arena, &c->run, &run, &note) == IFD_OK;
    bool same = true;
    if (*possible) {
        assert_int_equal(ifd_result_open(books, folder, c, run, &res, &note), IFD_OK);
        if (ifd_run_fresh(run))
            ifd_result_append(res, ifd_run_values(run));
        while (ifd_run_tick(run) == IFD_RUN_GOING)
            if (ifd_run_fresh(run))
                ifd_result_append(res, ifd_run_values(run));
        if (ifd_run_fresh(run))
            ifd_result_append(res, ifd_run_values(run));
        const ifd_timing timing = {.wall = 1};
        assert_int_equal(ifd_result_close(res, &timing, &note), IFD_OK);
        ifd_replay_report r = replayed(folder);
        same = r.verdict == IFD_REPLAY_IDENTICAL && (long)r.compared == ifd_result_rows(res) && !r.test;
        ifd_run_close(run);
    }
    ifd_arena_close(books);
    ifd_arena_close(arena);
    return same;
}

static void clear(const char *folder)
{
    static const char *const names[] = {"result.h5", "summary.json", IFD_JOURNAL_FILE, "result.csv"};
    char path[400];
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof path, "%.300s/%s", files_path(folder), names[i]);
        unlink(path);
    }
}

static size_t folder_length(const char *name)
{
    return strcspn(name, "/");
}

TEST(every_shipped_case_replays_bit_by_bit)
{
    ifd_arena *arena = ifd_arena_open();
    int cases = 0, tests = 0, runs = 0, wrong = 0;
    const ifd_catalogue_row *row = ifd_catalogue_cases(arena, IFD_SOURCE_DIR "/cases", &cases);
    for (int i = 0; i < cases; i++) {
        const char *sets[8], *way_in;
        if (BRIEF && i && folder_length(row[i].name) == folder_length(row[i - 1].name) &&
            strncmp(row[i].name, row[i - 1].name, folder_length(row[i].name)) == 0)
            continue; /* the bits of all are those of the build without sanitizers */
        bool possible;
        const char *path = ifd_arena_print(arena, IFD_SOURCE_DIR "/cases/%s.yaml", row[i].name);
        if (access(path, R_OK) != 0)
            path = ifd_arena_print(arena, IFD_SOURCE_DIR "/cases/%s/case.yaml", row[i].name);
        int count = shorten(arena, row[i].name, path, sets, &way_in);
        if (way_in) {
            sets[count] = way_in;
            bool same = test_replays(path, count + 1, sets, &possible);
            tests += possible && same;
            wrong += !same;
            if (!possible || !same)
                print_message("test of %s %s\n", row[i].name, possible ? "differs" : "needs a rig that is not here");
        }
        bool same = run_replays(path, count, sets, &possible);
        runs += possible && same;
        wrong += !same;
        if (!same)
            print_error("run of %s differs\n", row[i].name);
        clear("test");
        clear("run");
    }
    print_message("%d cases: %d tests and %d runs replayed, %d wrong\n", cases, tests, runs, wrong);
    assert_int_equal(wrong, 0);
    assert_true(runs > 0 && tests > 0);
    ifd_arena_close(arena);
}

/* The frame of one tick, changed by a function, with a checksum that holds. */
static void forge(const char *folder, uint64_t tick, void (*change)(ifd__frame *f, double *after))
{
    ifd__journal_head h;
    char path[300];
    snprintf(path, sizeof path, "%.250s/" IFD_JOURNAL_FILE, folder);
    int file = open(path, O_RDWR);
    assert_int_equal(read(file, &h, sizeof h), (int)sizeof h);
    double *p = malloc(h.record);
    off_t at = (off_t)(h.bytes + (tick - 1) * h.record);
    assert_int_equal(pread(file, p, h.record, at), h.record);
    change((ifd__frame *)(void *)p, p + sizeof(ifd__frame) / sizeof *p);
    ((ifd__frame *)(void *)p)->checksum = ifd__hash(h.id, p + 1, h.record / sizeof *p - 1);
    assert_int_equal(pwrite(file, p, h.record, at), h.record);
    free(p);
    close(file);
}

/* The force of the one channel: behind its position. */
static void another_force(ifd__frame *f, double *after)
{
    (void)f;
    after[1] = nextafter(after[1], INFINITY);
}

static void another_hash(ifd__frame *f, double *after)
{
    (void)after;
    f->hash ^= 1;
}

static void another_order(ifd__frame *f, double *after)
{
    (void)after;
    f->order = IFD_ORDER_HOLD;
}

TEST(a_measurement_that_differs_in_its_last_bit_is_found)
{
    spring s;
    spring_open(&s, "forged", 0, NULL);
    spring_run(&s);
    assert_int_equal(replayed(s.folder).verdict, IFD_REPLAY_IDENTICAL);
    forge(s.folder, 900, another_hash);
    ifd_replay_report r = replayed(s.folder);
    assert_true(r.verdict == IFD_REPLAY_DIFFERS && r.first == 900 && r.compared == 899 && !r.column);
    forge(s.folder, 700, another_order);
    r = replayed(s.folder);
    assert_true(r.verdict == IFD_REPLAY_DIFFERS && r.first == 700 && r.column);
    forge(s.folder, 500, another_force);
    r = replayed(s.folder);
    assert_true(r.verdict == IFD_REPLAY_DIFFERS && r.first == 500 && r.column);
    assert_true(r.largest > 0 && r.largest < 1e-9);
    spring_close(&s);
}

/* The same length, so that nothing moves. */
static void other_kernels(const char *folder)
{
    char path[300], *kernels;
    snprintf(path, sizeof path, "%.250s/" IFD_JOURNAL_FILE, folder);
    int file = open(path, O_RDWR);
    ifd__journal_head h;
    assert_int_equal(read(file, &h, sizeof h), (int)sizeof h);
    unsigned char *p = calloc(1, h.bytes + 1);
    assert_int_equal(pread(file, p, h.bytes, 0), (int)h.bytes);
    kernels = strstr((char *)p + sizeof h, "kernels ");
    assert_non_null(kernels);
    for (kernels += strlen("kernels "); *kernels != '\n'; kernels++)
        *kernels = 'x';
    h.checksum = ifd__head_checksum(p, (size_t)h.text);
    memcpy(p, &h, sizeof h);
    assert_int_equal(pwrite(file, p, h.bytes, 0), (int)h.bytes);
    free(p);
    close(file);
}

TEST(a_record_of_another_class_of_processor_is_told_apart)
{
    spring s;
    spring_open(&s, "elsewhere", 0, NULL);
    spring_run(&s);
    ifd_replay_report r = replayed(s.folder);
    assert_false(r.other_kernels || r.other_cpu || r.other_program);
    other_kernels(s.folder);
    r = replayed(s.folder);
    assert_true(r.other_kernels && !r.other_program);
    assert_int_equal(r.verdict, IFD_REPLAY_IDENTICAL);
    spring_close(&s);
}

TEST(a_damaged_record_says_where)
{
    spring s;
    char path[300];
    uint64_t random = 5;
    spring_open(&s, "damaged", 0, NULL);
    spring_run(&s);
    snprintf(path, sizeof path, "%.250s/" IFD_JOURNAL_FILE, s.folder);
    ifd__journal_head h;
    int file = open(path, O_RDWR);
    assert_int_equal(read(file, &h, sizeof h), (int)sizeof h);
    for (int round = 0; round < 20; round++) {
        uint64_t place = ticks_random(&random) % ((uint64_t)s.report.ticks * h.record), hit = place / h.record + 1;
        unsigned char byte, bad;
        assert_int_equal(pread(file, &byte, 1, (off_t)(h.bytes + place)), 1);
        bad = (unsigned char)(byte ^ 0x10);
        assert_int_equal(pwrite(file, &bad, 1, (off_t)(h.bytes + place)), 1);
        ifd_replay_report r = replayed(path);
        assert_int_equal(r.verdict, IFD_REPLAY_PARTIAL);
        assert_true(r.compared == hit - 1 && r.first == hit);
        assert_true(r.end.bad_record == hit && r.end.bad_tick == hit);
        assert_int_equal(r.end.bad_offset, h.bytes + (hit - 1) * h.record);
        assert_int_equal(pwrite(file, &byte, 1, (off_t)(h.bytes + place)), 1);
    }
    close(file);
    spring_close(&s);
}

/* Orders and what follows from them, noise, delays, adaptation: all that a replay cannot know by itself. */
TEST(a_test_with_holds_trips_and_noise_replays)
{
    static const struct {
        const char *what;
        ifd_order order[4];
        const char *set;
    } row[] = {
        {"hold-resume", {IFD_ORDER_HOLD, IFD_ORDER_RESUME}, "specimen.0.force-sensor={noise: 20}"},
        {"trip", {IFD_ORDER_NONE, IFD_ORDER_TRIP}, "specimen.0.position-sensor={noise: 1e-5}"},
        {"reset",
         {IFD_ORDER_TRIP, IFD_ORDER_RESET, IFD_ORDER_ARM, IFD_ORDER_RUN},
         "specimen.0.actuator={delay: {delay: 5 ms}}"},
        {"limit", {IFD_ORDER_NONE}, "specimen.0.limits.force=1 kN"},
        {"out", {IFD_ORDER_HOLD, IFD_ORDER_RAMP_OUT}, "test.leave=zero-force"},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *sets[] = {"time.end=4s", row[i].set};
        spring s;
        spring_open(&s, row[i].what, 2, sets);
        spring_run_ordered(&s, row[i].order, 4);
        ifd_replay_report r = replayed(s.folder);
        if (r.verdict != IFD_REPLAY_IDENTICAL || (long)r.compared != s.report.ticks)
            print_error("%s: differs from tick %llu on\n", row[i].what, (unsigned long long)r.first);
        assert_int_equal(r.verdict, IFD_REPLAY_IDENTICAL);
        assert_int_equal(r.compared, s.report.ticks);
        spring_close(&s);
    }
}

TEST(what_cannot_be_replayed_is_refused_by_name)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_replay_report r;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_replay_with(arena, files_path("nowhere"), &(ifd_replay_options){0}, &r, &note), IFD_FILE);
    assert_non_null(strstr(note.first->text, "nowhere"));
    assert_int_equal(ifd_replay_with(arena, files_write("a.h5", "no result"), &(ifd_replay_options){0}, &r, &note),
                     IFD_FILE);
    ifd_arena_close(arena);
}

TESTS_WITH(files_open, files_close)
