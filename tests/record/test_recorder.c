/* SPDX-License-Identifier: MIT */
/* The recorder of a whole test: read while it goes, kept from its disk, made whole again. */
#include "check.h"

#include <interfield/replay.h>
#include <semaphore.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "record/journal/journal.h"
#include "onlooker.h"
#include "spring.h"
#include "ticks.h"

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static const double *column(const ifd_table *t, const char *name)
{
    for (int i = 0; i < t->columns; i++)
        if (strcmp(t->column[i].name, name) == 0)
            return t->value[i];
    print_error("no channel '%s'\n", name);
    fail();
    return NULL;
}

static void same_tables(const ifd_table *a, const ifd_table *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->columns, b->columns);
    size_t bytes = (size_t)a->rows * sizeof(double);
    assert_memory_equal(a->time, b->time, bytes);
    for (int i = 0; i < a->columns; i++) {
        assert_string_equal(a->column[i].name, b->column[i].name);
        assert_memory_equal(a->value[i], b->value[i], bytes);
    }
}

TEST(recovering_a_whole_record_gives_the_result_once_more)
{
    spring s;
    ifd_result *again;
    ifd_journal_end end;
    ifd_table a, b;
    spring_open(&s, "whole", 0, NULL);
    spring_run(&s);
    const char *journal = ifd_arena_print(s.books, "%s/" IFD_JOURNAL_FILE, s.folder);
    const char *folder = ifd_arena_print(s.books, "%s-again", s.folder);
    assert_int_equal(ifd_recover(s.books, journal, folder, &again, &end, &s.note), IFD_OK);
    assert_int_equal(end.state, IFD_JOURNAL_CLOSED);
    assert_int_equal(end.records, s.report.ticks);
    assert_string_equal(ifd_result_outcome(again), "completed");
    assert_int_equal(ifd_table_read(s.books, s.folder, &a, &s.note), IFD_OK);
    assert_int_equal(ifd_table_read(s.books, folder, &b, &s.note), IFD_OK);
    same_tables(&a, &b);
    assert_string_equal(a.outcome, b.outcome);
    assert_true(a.test && b.test);
    /* never over what is there */
    assert_int_equal(ifd_recover(s.books, journal, folder, &again, &end, &s.note), IFD_CONFLICT);
    spring_close(&s);
}

/* The reader of the records stalls from tick 300 on, to the end of the test. */
TEST(a_record_without_its_last_ticks_is_called_incomplete_by_every_reader)
{
    enum { LAST = 300 };
    spring s;
    ifd_executor_options o;
    ifd_executor *e;
    ifd_tick_record r;
    ifd_result *again;
    ifd_journal_end end;
    ifd_replay_report replay;
    ifd_table table;
    spring_open(&s, "tail", 0, NULL);
    ifd_ticked t = ifd_hybrid_ticked(s.test);
    ifd_executor_defaults(&o);
    o.period = 0;
    o.lock_memory = false;
    assert_int_equal(ifd_executor_open(s.arena, &o, &t, &e, &s.note), IFD_OK);
    for (bool last = false; !last; usleep(200)) {
        last = ifd_executor_finished(e);
        while (ifd_executor_next(e, &r))
            if (r.tick <= LAST)
                ifd_recorder_add(s.recorder, &r);
    }
    ifd_executor_close(e, &s.report);
    const ifd_timing timing = {.wall = 1, .ticks = s.report.ticks};
    const long lost = s.report.ticks - LAST;
    assert_true(lost > 100);
    assert_int_equal(ifd_recorder_close(s.recorder, &s.report, &timing, &s.note), IFD_OK);
    assert_string_equal(ifd_result_outcome(ifd_recorder_result(s.recorder)), "incomplete");
    assert_int_equal(ifd_recorder_end(s.recorder)->dropped, lost);
    assert_non_null(strstr(ifd_result_summary(ifd_recorder_result(s.recorder)), "\"state\": \"incomplete\""));
    assert_int_equal(ifd_table_read(s.books, s.folder, &table, &s.note), IFD_OK);
    assert_string_equal(table.outcome, "incomplete");
    assert_int_equal(table.missing, lost);
    const char *journal = ifd_arena_print(s.books, "%s/" IFD_JOURNAL_FILE, s.folder);
    const char *folder = ifd_arena_print(s.books, "%s-again", s.folder);
    assert_int_equal(ifd_recover(s.books, journal, folder, &again, &end, &s.note), IFD_OK);
    assert_int_equal(end.state, IFD_JOURNAL_INCOMPLETE);
    assert_int_equal(end.dropped, lost);
    assert_string_equal(ifd_result_outcome(again), "incomplete");
    assert_int_equal(ifd_replay_with(s.books, s.folder, &(ifd_replay_options){0}, &replay, &s.note), IFD_OK);
    assert_int_equal(replay.verdict, IFD_REPLAY_PARTIAL);
    assert_int_equal(replay.compared, LAST);
    assert_int_equal(replay.first, LAST + 1);
    spring_close(&s);
}

/* What 'record' and 'record-every' choose is what result.h5 has; the journal has everything. */
TEST(the_case_chooses_what_the_result_keeps)
{
    const char *sets[] = {"record=[energy, stages]", "time.record-every=10"};
    spring s;
    ifd_table t;
    ifd_journal_reader *r;
    ifd_tick_record record;
    spring_open(&s, "chosen", 2, sets);
    spring_run(&s);
    assert_int_equal(ifd_table_read(s.books, s.folder, &t, &s.note), IFD_OK);
    assert_int_equal(t.rows, (s.report.ticks + 9) / 10);
    for (int i = 0; i < t.columns; i++)
        assert_string_not_equal(t.column[i].group, "displacement");
    (void)column(&t, "spring deformation");
    const double *duration = column(&t, "duration"), *solve = column(&t, "solve");
    for (long i = 0; i < t.rows; i++)
        assert_true(solve[i] > 0 && solve[i] + column(&t, "command")[i] < duration[i]);
    const char *journal = ifd_arena_print(s.books, "%s/" IFD_JOURNAL_FILE, s.folder);
    assert_int_equal(ifd_journal_read(s.books, journal, &r, &s.note), IFD_OK);
    long count = 0;
    while (ifd_journal_next(r, &record))
        count++;
    assert_int_equal(count, s.report.ticks);
    spring_close(&s);
}

static const char tower[] =
    "time: {step: 2 ms, end: 0.1 s}\n"
    "model:\n"
    "  frame:\n"
    "    dimension: 2\n"
    "    material: {young: 30 GPa, density: 2500 kg/m3}\n"
    "    sections: {column: {width: 0.8 m, depth: 0.8 m}, beam: {width: 0.3 m, depth: 0.6 m}}\n"
    "    grid: {bays: 3 x 6 m, storeys: 10 x 3 m, columns: column, beams: beam, beam-mass: 1 t/m}\n"
    "specimen:\n"
    "  - name: brace\n"
    "    spring: {between: [ground, s1c1.x], stiffness: 1e6 N/m}\n"
    "    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2}\n"
    "test: {rig: virtual}\n"
    "record: [s10c1.x, s5c2.x]\n";

/* Of 120 dofs a test shows none by itself. */
TEST(dofs_that_a_case_names_are_shown_of_a_large_model)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c;
    ifd_hybrid *h;
    int columns, found = 0;
    assert_int_equal(ifd_case_read(arena, files_write("tower.yaml", tower), 0, NULL, &c, NULL), IFD_OK);
    assert_int_equal(ifd_hybrid_make(arena, c->test, &h, NULL), IFD_OK);
    const ifd_column *channel = ifd_hybrid_columns(h, &columns);
    for (int i = 0; i < columns; i++)
        if (strcmp(channel[i].group, "displacement") == 0) {
            assert_true(strcmp(channel[i].name, "s10c1.x displacement") == 0 ||
                        strcmp(channel[i].name, "s5c2.x displacement") == 0);
            found++;
        }
    assert_int_equal(found, 2);
    ifd_hybrid_close(h);
    ifd_arena_close(arena);
}

TEST(the_result_can_be_read_while_the_test_goes)
{
    spring s;
    ticks t;
    int columns;
    long seen = 0;
    onlooker o = onlooker_start();
    spring_open(&s, "going", 0, NULL);
    (void)ifd_hybrid_columns(s.test, &columns);
    double *values = ifd_arena_array(s.books, (size_t)columns, sizeof *values);
    for (uint64_t k = 1; k < 20000 && seen == 0; k++) { /* rows are flushed once in a second */
        ifd_tick_record r = *ticks_make(&t, k);
        r.values = values;
        ifd_recorder_add(s.recorder, &r);
        if (k % 50 == 0) {
            sleep_ms(50);
            seen = onlooker_rows(&o, s.folder, "/specimen/spring/deformation");
            assert_true(seen >= 0);
        }
    }
    assert_true(seen > 0);
    onlooker_end(&o);
    const ifd_timing timing = {.wall = 1};
    assert_int_equal(ifd_recorder_close(s.recorder, &s.report, &timing, &s.note), IFD_OK);
    ifd_table table;
    assert_int_equal(ifd_table_read(s.books, s.folder, &table, &s.note), IFD_OK);
    spring_close(&s);
}

/* A disk that stalls from its first write on. */
static sem_t go;

static void stand_still(void *self)
{
    (void)self;
    sem_wait(&go);
    sem_post(&go);
}

typedef struct counting {
    ticks t;
    uint64_t made, most;
} counting;

static ifd_run_state count_tick(void *self, const ifd_tick_in *in)
{
    counting *c = self;
    (void)in;
    (void)ticks_make(&c->t, ++c->made);
    return c->made < c->most ? IFD_RUN_GOING : IFD_RUN_DONE;
}

static const double *count_values(const void *self)
{
    return ((const counting *)self)->t.values;
}

static const ifd_tick_trace *count_trace(const void *self)
{
    return &((const counting *)self)->t.trace;
}

/* Without a clock the tick waits for a watcher that does not take its records: were the watcher kept
 * by the disk, this would never end. It ends, no record is lost in the ring, and those that the queue
 * had no room for are counted. */
TEST(neither_tick_nor_watcher_wait_for_a_disk_that_stands_still)
{
    enum { MOST = 20000 };
    ifd_arena *arena = ifd_arena_open(), *books = ifd_arena_open();
    counting c = {.most = MOST};
    ifd_ticked t = {
        .self = &c, .tick = count_tick, .values = count_values, .count = TICKS_COLUMNS, .trace = count_trace};
    const ifd_journal_facts f = ticks_facts(1e-3);
    const ifd_journal_options small = {.queue = 0.5};
    ifd_journal *j;
    ifd_executor_options o;
    ifd_executor *e;
    ifd_executor_report report;
    ifd_tick_record r;
    sem_init(&go, 0, 0);
    assert_int_equal(ifd_journal_open(books, files_path("still"), &f, &small, &j, NULL), IFD_OK);
    ifd__journal_hook_set(j, (ifd__journal_hook){stand_still, NULL});
    ifd_executor_defaults(&o);
    o.period = 0;
    o.lock_memory = false;
    o.ring = 256;
    assert_int_equal(ifd_executor_open(arena, &o, &t, &e, NULL), IFD_OK);
    for (bool last = false; !last; usleep(100)) {
        last = ifd_executor_finished(e);
        while (ifd_executor_next(e, &r))
            ifd_journal_add(j, &r);
    }
    ifd_executor_close(e, &report);
    assert_int_equal(report.ticks, MOST);
    assert_int_equal(report.dropped, 0);
    assert_int_equal(ifd_journal_written(j), 0);
    uint64_t dropped = ifd_journal_dropped(j);
    assert_true(dropped > MOST / 2);
    sem_post(&go);
    assert_int_equal(ifd_journal_close(j, NULL, NULL), IFD_OK);
    assert_int_equal(ifd_journal_written(j), MOST - dropped);
    ifd_arena_close(books);
    ifd_arena_close(arena);
}

TESTS_WITH(files_open, files_close)
